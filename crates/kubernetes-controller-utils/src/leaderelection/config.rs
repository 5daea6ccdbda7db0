//! The configuration of an election, and the usual names for it.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kubernetes_kinds::names::NameFormat;
use uuid::Uuid;

/// The most of a retry period that is added to it at random.
const JITTER: f64 = 0.2;
/// The longest wait between two tries, with that: a retry period multiplied by 12 / 10.
const LONGEST_WAIT: (u32, u32) = (12, 10);

/// The longest lease duration: a Lease has seconds of 32 bits.
const LONGEST: Duration = Duration::from_secs(i32::MAX as u64);

/// The file with the namespace of a Pod's service account.
const NAMESPACE_FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// The Lease, the candidate and the times of an election.
#[derive(Clone, Debug)]
pub struct Config {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) identity: String,
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
    pub(super) stop_timeout: Duration,
    clock: Clock,
}

/// The reason why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The identity is empty.
    #[error("the identity of a candidate must not be empty")]
    NoIdentity,
    /// The name or namespace of the Lease is malformed.
    #[error("the {what} of the Lease, {value:?}, must be {format}")]
    Name {
        /// `name` or `namespace`.
        what: &'static str,
        /// The name.
        value: String,
        /// A description of valid names.
        format: &'static str,
    },
    /// A time is zero.
    #[error("the {what} must be longer than zero")]
    Zero {
        /// The time.
        what: &'static str,
    },
    /// The lease duration can't be written in a Lease.
    #[error("the lease duration {0:?} must be at most {longest:?}", longest = LONGEST)]
    TooLong(Duration),
    /// The work of a leader would run when the Lease has expired for others.
    #[error(
        "the lease duration {lease_duration:?} must be longer than the renew deadline \
         {renew_deadline:?}"
    )]
    LeaseDuration {
        /// The lease duration.
        lease_duration: Duration,
        /// The renew deadline.
        renew_deadline: Duration,
    },
    /// A leader could not renew before its deadline.
    #[error(
        "the renew deadline {renew_deadline:?} must be longer than {longest_wait:?}, the longest \
         wait between two tries with the retry period {retry_period:?}"
    )]
    RenewDeadline {
        /// The renew deadline.
        renew_deadline: Duration,
        /// The retry period.
        retry_period: Duration,
        /// The retry period with the most jitter.
        longest_wait: Duration,
    },
}

impl Config {
    /// Returns a configuration with the default times: a lease duration of 15 s, a renew deadline
    /// of 10 s, a retry period of 2 s, and 20 s for work to end when it is stopped.
    ///
    /// The Lease is `name` in `namespace`. It is created if it doesn't exist; the namespace isn't.
    #[must_use]
    pub fn new(
        namespace: impl Into<String>,
        name: impl Into<String>,
        identity: impl Into<String>,
    ) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
            identity: identity.into(),
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            stop_timeout: Duration::from_secs(20),
            clock: Clock(Arc::new(Timestamp::now)),
        }
    }

    /// Sets how long other candidates wait since they last saw the Lease change. The Lease has it
    /// in whole seconds, rounded up.
    #[must_use]
    pub fn with_lease_duration(mut self, lease_duration: Duration) -> Self {
        self.lease_duration = lease_duration;
        self
    }

    /// Sets how long a leader works on after the start of the last renewal that succeeded. A
    /// request to the API server is given up after half of it.
    #[must_use]
    pub fn with_renew_deadline(mut self, renew_deadline: Duration) -> Self {
        self.renew_deadline = renew_deadline;
        self
    }

    /// Sets the time between two tries to acquire or renew the Lease; up to a fifth is added at
    /// random.
    #[must_use]
    pub fn with_retry_period(mut self, retry_period: Duration) -> Self {
        self.retry_period = retry_period;
        self
    }

    /// Sets how long stopped work may take to end while the Lease is still renewed. It may be
    /// zero. It should be shorter than the grace period of the Pod by the 5 s that releasing the
    /// Lease takes at most with the default times.
    #[must_use]
    pub fn with_stop_timeout(mut self, stop_timeout: Duration) -> Self {
        self.stop_timeout = stop_timeout;
        self
    }

    /// Sets the wall clock that the times in the Lease are read from, for tests. No decision
    /// depends on it.
    #[must_use]
    pub fn with_wall_clock(mut self, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.clock = Clock(Arc::new(now));
        self
    }

    /// Checks the configuration, as [`Elector::new`](super::Elector::new) does.
    ///
    /// # Errors
    /// If a name is malformed, the identity is empty, or the times contradict one another: the
    /// lease duration must be longer than the renew deadline, which must be longer than 1.2 retry
    /// periods, and all must be longer than zero.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.identity.is_empty() {
            return Err(ConfigError::NoIdentity);
        }
        check_name("name", &self.name, NameFormat::DnsSubdomain)?;
        check_name("namespace", &self.namespace, NameFormat::DnsLabel)?;
        let Self {
            lease_duration,
            renew_deadline,
            retry_period,
            ..
        } = *self;
        for (what, time) in [
            ("lease duration", lease_duration),
            ("renew deadline", renew_deadline),
            ("retry period", retry_period),
        ] {
            if time.is_zero() {
                return Err(ConfigError::Zero { what });
            }
        }
        if lease_duration > LONGEST {
            return Err(ConfigError::TooLong(lease_duration));
        }
        if lease_duration <= renew_deadline {
            return Err(ConfigError::LeaseDuration {
                lease_duration,
                renew_deadline,
            });
        }
        let (factor, divisor) = LONGEST_WAIT;
        let longest_wait = retry_period.saturating_mul(factor) / divisor;
        if renew_deadline <= longest_wait {
            return Err(ConfigError::RenewDeadline {
                renew_deadline,
                retry_period,
                longest_wait,
            });
        }
        Ok(())
    }

    /// Returns the name of the Lease with its namespace, for messages.
    pub(super) fn lease(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Returns the wait from the start of one try to the start of the next.
    pub(super) fn wait(&self) -> Duration {
        self.retry_period + self.retry_period.mul_f64(fastrand::f64() * JITTER)
    }

    /// Returns the time after which a request is given up: one that hangs leaves the time for
    /// another one.
    pub(super) fn request_timeout(&self) -> Duration {
        self.renew_deadline / 2
    }

    /// Returns how long the work may take to end after the renew deadline. The other half of the
    /// time until the lease duration is a margin for clocks and for slow scheduling.
    pub(super) fn grace(&self) -> Duration {
        self.lease_duration.saturating_sub(self.renew_deadline) / 2
    }

    /// Returns the wall clock's time, in the precision of a Lease.
    pub(super) fn now(&self) -> MicroTime {
        let now = (self.clock.0)();
        MicroTime(Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now))
    }
}

fn check_name(what: &'static str, value: &str, format: NameFormat) -> Result<(), ConfigError> {
    if format.matches(value) {
        return Ok(());
    }
    Err(ConfigError::Name {
        what,
        value: value.to_owned(),
        format: format.description(),
    })
}

#[derive(Clone)]
struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Returns the name of a controller's Lease: the controller's name with `-` for each `/`.
#[must_use]
pub fn lock_name(controller_name: &str) -> String {
    controller_name.replace('/', "-")
}

/// Returns a new unique identity: the host's name, `_` and a random UUID. The host's name of a
/// container is its Pod's.
#[must_use]
pub fn identity() -> String {
    let host = hostname::get().unwrap_or_default();
    format!("{}_{}", host.to_string_lossy(), Uuid::new_v4())
}

/// Returns the namespace of this process's Pod: the environment variable `POD_NAMESPACE`, or else
/// the namespace of the service account, or else `default`.
#[must_use]
pub fn namespace() -> String {
    let named = std::env::var("POD_NAMESPACE").ok();
    namespace_from(named, Path::new(NAMESPACE_FILE))
}

fn namespace_from(named: Option<String>, file: &Path) -> String {
    let given = |text: String| Some(text.trim().to_owned()).filter(|name| !name.is_empty());
    named
        .and_then(given)
        .or_else(|| fs::read_to_string(file).ok().and_then(given))
        .unwrap_or_else(|| "default".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_namespace_is_the_first_that_is_given() {
        let file = std::env::temp_dir().join(format!("namespace-{}", Uuid::new_v4()));
        fs::write(&file, "from-file\n").unwrap();
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(namespace_from(named("from-env"), &file), "from-env");
        assert_eq!(namespace_from(named(" "), &file), "from-file");
        assert_eq!(namespace_from(None, &file), "from-file");
        fs::write(&file, "\n").unwrap();
        assert_eq!(namespace_from(None, &file), "default");
        fs::remove_file(&file).unwrap();
        assert_eq!(namespace_from(None, &file), "default");
    }
}
