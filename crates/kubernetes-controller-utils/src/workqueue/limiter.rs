//! The delay before a key is worked on again.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

/// Decides how long [`add_rate_limited`](super::Queue::add_rate_limited) makes a key wait.
///
/// The queue counts the retries of each key, so a limiter needs no state of its own for them.
/// An `Arc` of a limiter is a limiter too, for queues that share one.
pub trait RateLimiter<K>: Send + Sync {
    /// Returns how long `key` waits. `retries` is the number of its rate limited adds before
    /// this one, since it was forgotten: zero the first time.
    ///
    /// Each call counts as an add: a limiter may reserve something for it.
    fn delay(&self, key: &K, retries: u32) -> Duration;

    /// Forgets `key`. The queue calls this from its own `forget`.
    fn forget(&self, key: &K) {
        let _ = key;
    }
}

impl<K, L: RateLimiter<K> + ?Sized> RateLimiter<K> for Arc<L> {
    fn delay(&self, key: &K, retries: u32) -> Duration {
        L::delay(self, key, retries)
    }

    fn forget(&self, key: &K) {
        L::forget(self, key);
    }
}

/// A value with which a limiter can't work.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LimiterError {
    /// A delay is zero, so that a key which keeps failing would never wait.
    #[error("the {name} of a rate limiter must be greater than zero")]
    ZeroDelay {
        /// The delay.
        name: &'static str,
    },
    /// The longest delay is shorter than the first one.
    #[error("the maximum delay {max:?} of a rate limiter is shorter than its base delay {base:?}")]
    MaxBelowBase {
        /// The delay of the first retry.
        base: Duration,
        /// The longest delay.
        max: Duration,
    },
    /// The rate is not a number, or none that can be kept.
    #[error("the rate {0} of a token bucket is not between 1e-9 and 1e9 tokens a second")]
    Rate(f64),
    /// A bucket without room for a token never has any.
    #[error("the burst of a token bucket must be at least 1")]
    ZeroBurst,
}

fn positive(name: &'static str, delay: Duration) -> Result<Duration, LimiterError> {
    if delay.is_zero() {
        return Err(LimiterError::ZeroDelay { name });
    }
    Ok(delay)
}

/// A delay that doubles with each retry of a key, up to a longest one.
///
/// The default is 15 s, doubled up to 1000 s: 15, 30, 60, 120, 240, 480, 960, 1000, 1000, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exponential {
    base: Duration,
    max: Duration,
}

impl Exponential {
    /// Returns a limiter whose first delay is `base`, and none longer than `max`.
    ///
    /// # Errors
    ///
    /// `base` is zero, or longer than `max`.
    pub fn new(base: Duration, max: Duration) -> Result<Self, LimiterError> {
        let base = positive("base delay", base)?;
        if max < base {
            return Err(LimiterError::MaxBelowBase { base, max });
        }
        Ok(Self { base, max })
    }
}

impl Default for Exponential {
    fn default() -> Self {
        Self {
            base: Duration::from_secs(15),
            max: Duration::from_secs(1000),
        }
    }
}

impl<K> RateLimiter<K> for Exponential {
    fn delay(&self, _key: &K, retries: u32) -> Duration {
        let mut delay = self.base;
        // A nanosecond is doubled less than 100 times before it is the longest duration.
        for _ in 0..retries {
            if delay >= self.max {
                break;
            }
            delay = delay.saturating_mul(2);
        }
        delay.min(self.max)
    }
}

/// The same delay for each retry. The default is 15 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    delay: Duration,
}

impl Constant {
    /// Returns a limiter with that delay.
    ///
    /// # Errors
    ///
    /// `delay` is zero.
    pub fn new(delay: Duration) -> Result<Self, LimiterError> {
        let delay = positive("constant delay", delay)?;
        Ok(Self { delay })
    }
}

impl Default for Constant {
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(15),
        }
    }
}

impl<K> RateLimiter<K> for Constant {
    fn delay(&self, _key: &K, _retries: u32) -> Duration {
        self.delay
    }
}

/// A limit for all keys together: each rate limited add takes a token from a bucket that is
/// filled at a constant rate.
///
/// An add that finds no token reserves the next one that nobody else has reserved, and its key
/// waits for it. A reservation can't be returned: forgetting a key leaves its token taken. The
/// default is 10 tokens a second, and 100 at most.
pub struct TokenBucket {
    /// The time in which one token is added.
    interval: Duration,
    /// The time in which an empty bucket is filled.
    capacity: Duration,
    level: Mutex<Level>,
}

/// The fill level of a bucket at a time.
#[derive(Debug)]
struct Level {
    at: Instant,
    /// The time that the bucket takes to be full; more than its capacity if tokens are reserved.
    missing: Duration,
}

impl TokenBucket {
    /// Returns a full bucket of `burst` tokens, to which `rate` tokens a second are added.
    ///
    /// # Errors
    ///
    /// `rate` is not between 1e-9 and 1e9, or `burst` is zero.
    pub fn new(rate: f64, burst: u32) -> Result<Self, LimiterError> {
        if !(1e-9..=1e9).contains(&rate) {
            return Err(LimiterError::Rate(rate));
        }
        if burst == 0 {
            return Err(LimiterError::ZeroBurst);
        }
        Ok(Self::with_interval(
            Duration::from_secs_f64(rate.recip()),
            burst,
        ))
    }

    fn with_interval(interval: Duration, burst: u32) -> Self {
        Self {
            interval,
            capacity: interval.saturating_mul(burst),
            level: Mutex::new(Level {
                at: Instant::now(),
                missing: Duration::ZERO,
            }),
        }
    }
}

impl Default for TokenBucket {
    fn default() -> Self {
        Self::with_interval(Duration::from_millis(100), 100)
    }
}

impl<K> RateLimiter<K> for TokenBucket {
    fn delay(&self, _key: &K, _retries: u32) -> Duration {
        let mut level = self.level.lock();
        let now = Instant::now();
        let filled = now.saturating_duration_since(level.at);
        level.at = now;
        level.missing = level
            .missing
            .saturating_sub(filled)
            .saturating_add(self.interval);
        level.missing.saturating_sub(self.capacity)
    }
}

impl fmt::Debug for TokenBucket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TokenBucket")
            .field("interval", &self.interval)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

/// The longer delay of two limiters. Both are asked each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaxOf<A, B>(A, B);

impl<A, B> MaxOf<A, B> {
    /// Returns the limiter whose delay is the longer one of `first` and `second`.
    pub const fn new(first: A, second: B) -> Self {
        Self(first, second)
    }
}

impl<K, A: RateLimiter<K>, B: RateLimiter<K>> RateLimiter<K> for MaxOf<A, B> {
    fn delay(&self, key: &K, retries: u32) -> Duration {
        self.0.delay(key, retries).max(self.1.delay(key, retries))
    }

    fn forget(&self, key: &K) {
        self.0.forget(key);
        self.1.forget(key);
    }
}
