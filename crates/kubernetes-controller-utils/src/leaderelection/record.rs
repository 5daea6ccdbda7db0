//! Reading and writing the contents of a Lease.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::config::Config;

/// The fields of a Lease that are times.
const TIMES: [&str; 2] = ["acquireTime", "renewTime"];

/// Reads the contents of a Lease without those times that Rust's type can't represent: a server
/// accepts years up to 9999 to their ends, and no decision depends on the times.
pub(super) fn parse(mut raw: Value) -> Result<LeaseSpec, serde_json::Error> {
    if let Some(fields) = raw.as_object_mut() {
        fields.retain(|name, value| {
            !TIMES.contains(&name.as_str())
                || value
                    .as_str()
                    .is_some_and(|time| time.parse::<Timestamp>().is_ok())
        });
    }
    let spec: Option<LeaseSpec> = serde_json::from_value(raw)?;
    Ok(spec.unwrap_or_default())
}

/// Returns the holder, `None` if the Lease is free.
pub(super) fn holder(spec: &LeaseSpec) -> Option<&str> {
    spec.holder_identity
        .as_deref()
        .filter(|holder| !holder.is_empty())
}

/// Returns how long the holder may be silent. A Lease without a valid duration has the one that
/// this candidate would write.
pub(super) fn duration(spec: &LeaseSpec, config: &Config) -> Duration {
    match spec.lease_duration_seconds {
        Some(seconds) if seconds > 0 => Duration::from_secs(seconds.unsigned_abs().into()),
        _ => config.lease_duration,
    }
}

/// Returns the contents of a Lease that this candidate holds, following `last`.
pub(super) fn held(last: Option<&LeaseSpec>, config: &Config, now: MicroTime) -> LeaseSpec {
    let mut spec = last.cloned().unwrap_or_default();
    let was_held = holder(&spec) == Some(config.identity.as_str());
    let is_transition = last.is_some() && !was_held;
    let transitions = transitions(&spec).saturating_add(i32::from(is_transition));
    spec.lease_transitions = Some(transitions);
    spec.acquire_time = spec.acquire_time.filter(|_| was_held).or(Some(now.clone()));
    spec.renew_time = Some(now);
    spec.holder_identity = Some(config.identity.clone());
    spec.lease_duration_seconds = Some(whole_seconds(config.lease_duration));
    spec
}

/// Returns the contents of a Lease that its holder gives up, which client-go writes alike.
pub(super) fn released(mut spec: LeaseSpec, now: MicroTime) -> LeaseSpec {
    spec.lease_transitions = Some(transitions(&spec));
    spec.acquire_time = Some(now.clone());
    spec.renew_time = Some(now);
    spec.holder_identity = Some(String::new());
    spec.lease_duration_seconds = Some(1);
    spec
}

/// Returns a time for a renewal that differs from all that were written during the last lease
/// duration, because others see that a Lease was renewed by its changed contents.
pub(super) fn distinct(now: MicroTime, last: Option<&MicroTime>, config: &Config) -> MicroTime {
    let Some(last) = last.filter(|last| now <= **last) else {
        return now;
    };
    // A clock that was set back further meets the times of then only after the lease duration.
    let back = last.0.duration_since(now.0).unsigned_abs();
    if back > config.lease_duration {
        return now;
    }
    let next: Result<Timestamp, _> = last.0.checked_add(SignedDuration::from_micros(1));
    next.map_or(now, MicroTime)
}

/// Returns whole seconds, rounded up: a shorter duration in the Lease would let others in early.
fn whole_seconds(duration: Duration) -> i32 {
    let rounds_up = u64::from(duration.subsec_nanos() > 0);
    i32::try_from(duration.as_secs().saturating_add(rounds_up)).unwrap_or(i32::MAX)
}

/// Returns the count of transitions, zero if it is absent or invalid.
fn transitions(spec: &LeaseSpec) -> i32 {
    spec.lease_transitions.unwrap_or_default().max(0)
}
