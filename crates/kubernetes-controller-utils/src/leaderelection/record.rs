//! Reading and writing the contents of a Lease.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::config::Config;

/// The fields of a Lease that are times.
const TIMES: [&str; 2] = ["acquireTime", "renewTime"];

/// The most renew times that are remembered: those of half an hour with the default times.
const MOST_WRITTEN: usize = 1024;

/// The renew times that a candidate has written, the last one at the end, for all its elections.
///
/// Others see that a Lease was renewed by its changed contents. So no time is written twice, even
/// if the clock was set back and forth: a candidate that got no answer meanwhile would take what it
/// reads for what it saw before.
#[derive(Clone, Default)]
pub(super) struct Written(Arc<Mutex<VecDeque<MicroTime>>>);

impl Written {
    pub(super) fn note(&self, time: &MicroTime) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.retain(|written| written != time);
        if times.len() >= MOST_WRITTEN {
            times.pop_front();
        }
        times.push_back(time.clone());
    }

    /// Returns a time for the next write: the clock's or, if that was written, a later one.
    pub(super) fn next(&self, now: MicroTime, config: &Config) -> MicroTime {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = now;
        if let Some(last) = times.back().filter(|last| next <= **last) {
            // A clock that was set back a little waits for the time of the last write, so that a
            // process that restarts, and knows no other, doesn't repeat one before it.
            let back = last.0.duration_since(next.0).unsigned_abs();
            if back <= config.lease_duration {
                next = after(last);
            }
        }
        while times.contains(&next) && next.0 < Timestamp::MAX {
            next = after(&next);
        }
        next
    }
}

/// Returns the next time that a Lease can have.
fn after(time: &MicroTime) -> MicroTime {
    let next = time.0.checked_add(SignedDuration::from_micros(1));
    MicroTime(next.unwrap_or(Timestamp::MAX))
}

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

/// Returns whole seconds, rounded up: a shorter duration in the Lease would let others in early.
fn whole_seconds(duration: Duration) -> i32 {
    let rounds_up = u64::from(duration.subsec_nanos() > 0);
    i32::try_from(duration.as_secs().saturating_add(rounds_up)).unwrap_or(i32::MAX)
}

/// Returns the count of transitions, zero if it is absent or invalid.
fn transitions(spec: &LeaseSpec) -> i32 {
    spec.lease_transitions.unwrap_or_default().max(0)
}
