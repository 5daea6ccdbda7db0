//! The options of a controller, and their checks.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use crate::rules::{Names, Ownership};
use kubernetes_controller_utils::workqueue::{
    Constant, Exponential, MaxOf, RateLimiter, TokenBucket,
};

/// The number of attempts to store a volume, and the waits between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    interval: Duration,
    attempts: u32,
    factor: f64,
    longest: Duration,
}

impl Backoff {
    /// Returns a back-off of `attempts` attempts that are `interval` apart.
    #[must_use]
    pub const fn new(interval: Duration, attempts: u32) -> Self {
        Self {
            interval,
            attempts,
            factor: 1.0,
            longest: Duration::MAX,
        }
    }

    /// Multiplies the interval by `factor`, at least 1, after each attempt.
    #[must_use]
    pub const fn with_factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// Limits the interval.
    #[must_use]
    pub const fn with_longest_interval(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    pub(crate) const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns the wait after so many attempts.
    pub(crate) fn interval(&self, attempts: u32) -> Duration {
        let exponent = attempts.saturating_sub(1);
        let factor = self
            .factor
            .powi(i32::try_from(exponent).unwrap_or(i32::MAX));
        let seconds = self.interval.as_secs_f64() * factor;
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(Duration::MAX)
            .min(self.longest)
    }
}

/// Five attempts, 10 s apart.
impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_secs(10), 5)
    }
}

/// An error in the options of a controller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two options contradict one another.
    #[error("the options {first} and {second} contradict one another: {reason}")]
    Conflict {
        /// One of them.
        first: &'static str,
        /// The other one.
        second: &'static str,
        /// The reason, and what to do.
        reason: &'static str,
    },
    /// The value of an option is out of range.
    #[error("the option {option} is invalid: {reason}")]
    Invalid {
        /// The option.
        option: &'static str,
        /// The values that are valid.
        reason: String,
    },
}

fn invalid(option: &'static str, reason: impl Into<String>) -> BuildError {
    BuildError::Invalid {
        option,
        reason: reason.into(),
    }
}

pub(crate) type Limiter = Arc<dyn RateLimiter<String>>;

/// The options that were set; [`Settings`] have the defaults.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) additional_names: Vec<String>,
    pub(crate) claim_annotations: Vec<String>,
    pub(crate) ownership: Ownership,
    pub(crate) volume_name_prefix: Option<String>,
    pub(crate) finalizer: Option<bool>,
    pub(crate) read_node: Option<bool>,
    pub(crate) store_backoff: Option<Backoff>,
    pub(crate) store_interval: Option<Duration>,
    pub(crate) store_retries: Option<u32>,
    pub(crate) store_limiter: Option<Limiter>,
    pub(crate) exponential: Option<bool>,
    pub(crate) limiter: Option<Limiter>,
    pub(crate) provision_threshold: Option<u32>,
    pub(crate) delete_threshold: Option<u32>,
    pub(crate) infeasible_delay: Option<Duration>,
    pub(crate) provision_timeout: Option<Duration>,
    pub(crate) delete_timeout: Option<Duration>,
    pub(crate) drain_timeout: Option<Duration>,
    pub(crate) resync: Option<Duration>,
    pub(crate) threads: Option<usize>,
    pub(crate) election: Option<bool>,
    pub(crate) election_namespace: Option<String>,
    pub(crate) lease_duration: Option<Duration>,
    pub(crate) renew_deadline: Option<Duration>,
    pub(crate) retry_period: Option<Duration>,
    pub(crate) metrics_address: Option<IpAddr>,
    pub(crate) metrics_port: u16,
    pub(crate) metrics_path: Option<String>,
}

/// The strategy for storing volumes.
#[derive(Clone)]
pub(crate) enum StoreMode {
    Backoff(Backoff),
    Queue(Limiter),
}

#[derive(Clone, Debug)]
pub(crate) struct ElectionSettings {
    pub(crate) namespace: Option<String>,
    pub(crate) lease_duration: Duration,
    pub(crate) renew_deadline: Duration,
    pub(crate) retry_period: Duration,
}

/// Checked options.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) names: Names,
    pub(crate) claim_annotations: Vec<String>,
    pub(crate) ownership: Ownership,
    pub(crate) volume_name_prefix: String,
    pub(crate) finalizer: bool,
    pub(crate) read_node: bool,
    pub(crate) store: StoreMode,
    pub(crate) limiter: Limiter,
    /// Zero means no threshold.
    pub(crate) provision_threshold: u32,
    pub(crate) delete_threshold: u32,
    pub(crate) infeasible_delay: Duration,
    pub(crate) provision_timeout: Option<Duration>,
    pub(crate) delete_timeout: Option<Duration>,
    pub(crate) drain_timeout: Duration,
    pub(crate) resync: Duration,
    pub(crate) threads: usize,
    pub(crate) election: Option<ElectionSettings>,
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "there is no server")
    )]
    pub(crate) metrics_address: IpAddr,
    /// Zero means no server.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "there is no server")
    )]
    pub(crate) metrics_port: u16,
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "there is no server")
    )]
    pub(crate) metrics_path: String,
}

impl Options {
    pub(crate) fn check(self, name: &str) -> Result<Settings, BuildError> {
        self.check_conflicts()?;
        self.check_durations()?;
        let names = self.names(name)?;
        let threads = self.threads.unwrap_or(4);
        if threads == 0 {
            return Err(invalid("threadiness", "must be at least 1"));
        }
        let path = self
            .metrics_path
            .clone()
            .unwrap_or_else(|| "/metrics".to_owned());
        check_path(&path)?;
        if self.metrics_port != 0 && cfg!(not(feature = "http")) {
            let reason = "there is no server without the feature `http` of this crate";
            return Err(invalid("metrics_port", reason));
        }
        let prefix = self.volume_name_prefix.clone();
        Ok(Settings {
            names,
            claim_annotations: self.claim_annotations.clone(),
            ownership: self.ownership,
            volume_name_prefix: check_prefix(prefix)?,
            finalizer: self.finalizer.unwrap_or(true),
            read_node: self.read_node.unwrap_or(true),
            store: self.store()?,
            election: self.election_settings()?,
            limiter: self.queue_limiter(),
            provision_threshold: self.provision_threshold.unwrap_or(15),
            delete_threshold: self.delete_threshold.unwrap_or(15),
            infeasible_delay: self.infeasible_delay.unwrap_or(Duration::from_secs(300)),
            provision_timeout: self.provision_timeout,
            delete_timeout: self.delete_timeout,
            drain_timeout: self.drain_timeout.unwrap_or(Duration::from_secs(20)),
            resync: self.resync.unwrap_or(Duration::from_secs(15 * 60)),
            threads,
            metrics_address: self
                .metrics_address
                .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
            metrics_port: self.metrics_port,
            metrics_path: path,
        })
    }

    fn check_conflicts(&self) -> Result<(), BuildError> {
        const ONE_STORE: &str = "a volume is either stored with a limited number of \
             attempts, after which its storage is deleted, or queued until it is stored; set \
             one of them";
        const ONE_BACKOFF: &str = "the back-off has its own interval and number of attempts";
        let backoff = ("create_volume_backoff", self.store_backoff.is_some());
        let interval = ("create_volume_interval", self.store_interval.is_some());
        let retries = ("create_volume_retry_count", self.store_retries.is_some());
        let queue = ("create_volume_limiter", self.store_limiter.is_some());
        let limiter = ("rate_limiter", self.limiter.is_some());
        let exponential = ("exponential_backoff_on_error", self.exponential.is_some());
        let pairs = [
            (queue, backoff, ONE_STORE),
            (queue, interval, ONE_STORE),
            (queue, retries, ONE_STORE),
            (backoff, interval, ONE_BACKOFF),
            (backoff, retries, ONE_BACKOFF),
            (
                limiter,
                exponential,
                "the limiter alone decides how long failures wait",
            ),
        ];
        for ((first, has_first), (second, has_second), reason) in pairs {
            if has_first && has_second {
                return Err(BuildError::Conflict {
                    first,
                    second,
                    reason,
                });
            }
        }
        Ok(())
    }

    fn check_durations(&self) -> Result<(), BuildError> {
        let durations = [
            ("create_volume_interval", self.store_interval),
            ("infeasible_delay", self.infeasible_delay),
            ("provision_timeout", self.provision_timeout),
            ("delete_timeout", self.delete_timeout),
            ("resync_period", self.resync),
            ("lease_duration", self.lease_duration),
            ("renew_deadline", self.renew_deadline),
            ("retry_period", self.retry_period),
        ];
        match durations
            .iter()
            .find(|(_, value)| *value == Some(Duration::ZERO))
        {
            Some((option, _)) => Err(invalid(option, "must be greater than zero")),
            None => Ok(()),
        }
    }

    fn names(&self, name: &str) -> Result<Names, BuildError> {
        let empty = |name: &str| name.trim().is_empty();
        if empty(name) {
            return Err(invalid(
                "name",
                "the name of the provisioner must not be empty",
            ));
        }
        const OPTION: &str = "additional_provisioner_names";
        if self.additional_names.iter().any(|other| empty(other)) {
            return Err(invalid(OPTION, "a name must not be empty"));
        }
        if self.additional_names.iter().any(|other| other == name) {
            let reason = format!("\"{name}\" is the name of the provisioner already");
            return Err(invalid(OPTION, reason));
        }
        Ok(Names {
            primary: name.to_owned(),
            additional: self.additional_names.clone(),
        })
    }

    fn store(&self) -> Result<StoreMode, BuildError> {
        if let Some(limiter) = &self.store_limiter {
            return Ok(StoreMode::Queue(Arc::clone(limiter)));
        }
        let default = Backoff::default();
        let backoff = self.store_backoff.unwrap_or_else(|| {
            Backoff::new(
                self.store_interval.unwrap_or(default.interval),
                self.store_retries.unwrap_or(default.attempts),
            )
        });
        if backoff.attempts == 0 {
            let option = if self.store_backoff.is_some() {
                "create_volume_backoff"
            } else {
                "create_volume_retry_count"
            };
            return Err(invalid(option, "must allow at least 1 attempt"));
        }
        if !backoff.factor.is_finite() || backoff.factor < 1.0 {
            let reason = "the factor must be at least 1";
            return Err(invalid("create_volume_backoff", reason));
        }
        Ok(StoreMode::Backoff(backoff))
    }

    fn queue_limiter(&self) -> Limiter {
        if let Some(limiter) = &self.limiter {
            return Arc::clone(limiter);
        }
        let bucket = TokenBucket::default();
        if self.exponential.unwrap_or(true) {
            Arc::new(MaxOf::new(Exponential::default(), bucket))
        } else {
            Arc::new(MaxOf::new(Constant::default(), bucket))
        }
    }

    fn election_settings(&self) -> Result<Option<ElectionSettings>, BuildError> {
        if !self.election.unwrap_or(true) {
            return Ok(None);
        }
        let seconds = |set: Option<Duration>, default| set.unwrap_or(Duration::from_secs(default));
        let settings = ElectionSettings {
            namespace: self.election_namespace.clone(),
            lease_duration: seconds(self.lease_duration, 15),
            renew_deadline: seconds(self.renew_deadline, 10),
            retry_period: seconds(self.retry_period, 2),
        };
        let conflict = |first, second, reason| {
            Err(BuildError::Conflict {
                first,
                second,
                reason,
            })
        };
        if settings.lease_duration <= settings.renew_deadline {
            return conflict(
                "lease_duration",
                "renew_deadline",
                "a leader has to stop before its lease can be taken, so the lease has to last \
                 longer than the deadline",
            );
        }
        if settings.renew_deadline <= settings.retry_period.mul_f64(1.2) {
            return conflict(
                "renew_deadline",
                "retry_period",
                "the deadline has to be more than 1.2 retry periods, so that a renewal can be \
                 retried before it",
            );
        }
        Ok(Some(settings))
    }
}

fn check_path(path: &str) -> Result<(), BuildError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "/-_.~".contains(c);
    let taken = ["/healthz", "/readyz"].contains(&path);
    if path.starts_with('/') && path.chars().all(allowed) && !taken {
        return Ok(());
    }
    let reason = "must begin with /, have nothing but letters, digits and the characters \
                  -_.~ otherwise, and be neither /healthz nor /readyz";
    Err(invalid("metrics_path", reason))
}

fn check_prefix(prefix: Option<String>) -> Result<String, BuildError> {
    let prefix = prefix.unwrap_or_else(|| crate::names::VOLUME_NAME_PREFIX.to_owned());
    // With a hyphen and a UID of 36 characters it is a name of at most 253.
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = prefix.starts_with(|c: char| c != '-') && prefix.chars().all(allowed);
    if is_name && prefix.len() <= 216 {
        return Ok(prefix);
    }
    let reason = "must be 1 to 216 lower-case letters, digits and hyphens, the first of \
                  them no hyphen";
    Err(invalid("volume_name_prefix", reason))
}

#[cfg(test)]
mod tests;
