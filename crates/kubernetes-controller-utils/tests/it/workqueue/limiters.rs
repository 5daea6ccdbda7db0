//! The delays of each limiter, and the values that it refuses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubernetes_controller_utils::workqueue::{
    Constant, Exponential, LimiterError, MaxOf, Queue, RateLimiter, TokenBucket,
};
use proptest::prelude::*;
use tokio::time::{Instant, advance};

use super::caller::paused_runtime;

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// The delays of the first retries, of one key.
fn delays(limiter: &impl RateLimiter<u32>, retries: u32) -> Vec<Duration> {
    (0..retries).map(|retry| limiter.delay(&0, retry)).collect()
}

#[test]
fn exponential_delays_double_up_to_the_longest() {
    let expected = [15, 30, 60, 120, 240, 480, 960, 1000, 1000, 1000].map(secs);
    assert_eq!(delays(&Exponential::default(), 10), expected);
    let limiter = Exponential::new(secs(15), secs(1000)).unwrap();
    assert_eq!(limiter, Exponential::default());

    let limiter = Exponential::new(millis(5), millis(20)).unwrap();
    assert_eq!(delays(&limiter, 4), [5, 10, 20, 20].map(millis));
    let limiter = Exponential::new(secs(2), secs(2)).unwrap();
    assert_eq!(delays(&limiter, 2), [2, 2].map(secs));
}

#[test]
fn exponential_delays_do_not_overflow() {
    let nano = Duration::from_nanos(1);
    let limiter = Exponential::new(nano, Duration::MAX).unwrap();
    assert_eq!(limiter.delay(&0, 40), Duration::from_nanos(1 << 40));
    assert_eq!(
        limiter.delay(&0, 93),
        nano.saturating_mul(1 << 31) * (1 << 31) * (1 << 31)
    );
    for retries in [94, 128, u32::MAX] {
        assert_eq!(limiter.delay(&0, retries), Duration::MAX, "{retries}");
    }
    assert_eq!(Exponential::default().delay(&0, u32::MAX), secs(1000));
}

#[test]
fn constant_delays_stay_the_same() {
    assert_eq!(delays(&Constant::default(), 3), [15, 15, 15].map(secs));
    let limiter = Constant::new(millis(1)).unwrap();
    assert_eq!(delays(&limiter, 2), [1, 1].map(millis));
    assert_eq!(limiter.delay(&0, u32::MAX), millis(1));
}

#[tokio::test(start_paused = true)]
async fn a_bucket_is_emptied_and_then_tokens_are_reserved() {
    let bucket = TokenBucket::default();
    assert_eq!(delays(&bucket, 100), [Duration::ZERO; 100]);
    assert_eq!(delays(&bucket, 5), [100, 200, 300, 400, 500].map(millis));
    // 10 more tokens, 5 of which are reserved.
    advance(secs(1)).await;
    assert_eq!(delays(&bucket, 7), [0, 0, 0, 0, 0, 100, 200].map(millis));
    // Full again, and not fuller.
    advance(secs(3600)).await;
    assert_eq!(delays(&bucket, 102)[99..], [0, 100, 200].map(millis));
    // Half a token.
    advance(millis(250)).await;
    assert_eq!(delays(&bucket, 1), [50].map(millis));
}

#[tokio::test(start_paused = true)]
async fn rates_of_a_bucket_from_the_lowest_to_the_highest() {
    let cases = [
        (1e-6, secs(1_000_000)),
        (0.5, secs(2)),
        (3.0, Duration::from_nanos(333_333_333)),
        (10.0, millis(100)),
        (1e9, Duration::from_nanos(1)),
    ];
    for (rate, interval) in cases {
        let bucket = TokenBucket::new(rate, 1).unwrap();
        assert_eq!(delays(&bucket, 2), [Duration::ZERO, interval], "{rate}");
    }
    let bucket = TokenBucket::new(1e-9, u32::MAX).unwrap();
    assert_eq!(delays(&bucket, 1), [Duration::ZERO]);
}

#[test]
fn values_that_make_no_sense_are_refused() {
    let zero = |name| LimiterError::ZeroDelay { name };
    let error = Constant::new(Duration::ZERO).unwrap_err();
    assert_eq!(error, zero("constant delay"));
    let error = Exponential::new(Duration::ZERO, secs(1)).unwrap_err();
    assert_eq!(error, zero("base delay"));
    assert_eq!(
        error.to_string(),
        "the base delay of a rate limiter must be greater than zero"
    );
    let error = Exponential::new(secs(15), secs(10)).unwrap_err();
    let (base, max) = (secs(15), secs(10));
    assert_eq!(error, LimiterError::MaxBelowBase { base, max });
    assert_eq!(
        error.to_string(),
        "the maximum delay 10s of a rate limiter is shorter than its base delay 15s"
    );
    assert_eq!(
        TokenBucket::new(1.0, 0).unwrap_err(),
        LimiterError::ZeroBurst
    );
    for rate in [0.0, -1.0, 1e-10, 1e10, f64::INFINITY, f64::NAN] {
        let error = TokenBucket::new(rate, 1).unwrap_err();
        assert!(matches!(error, LimiterError::Rate(_)), "{rate}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_longer_of_two_delays_counts_and_both_are_asked() {
    let bucket = TokenBucket::new(1.0, 1).unwrap();
    let limiter = MaxOf::new(Exponential::new(secs(1), secs(4)).unwrap(), bucket);
    // 1, 2, 4, 4, 4, 4, 4 of the one, and 0, 1, 2, 3, 4, 5, 6 of the other.
    assert_eq!(delays(&limiter, 7), [1, 2, 4, 4, 4, 5, 6].map(secs));
}

#[tokio::test(start_paused = true)]
async fn queues_of_different_keys_share_a_bucket() {
    let bucket = Arc::new(TokenBucket::new(1.0, 2).unwrap());
    let names = Queue::new(Arc::clone(&bucket));
    let numbers = Queue::new(MaxOf::new(Constant::new(millis(1)).unwrap(), bucket));
    names.add_rate_limited("a");
    names.add_rate_limited("b");
    numbers.add_rate_limited(1);
    numbers.add_rate_limited(2);
    assert_eq!(names.len(), 2);
    let start = Instant::now();
    for (number, due) in [(1, 1), (2, 2)] {
        assert_eq!(*numbers.next().await.unwrap(), number);
        assert_eq!(start.elapsed(), secs(due));
    }
}

/// The calls of a limiter by its queue.
#[derive(Default)]
struct Calls(Mutex<Vec<(&'static str, Option<u32>)>>);

impl RateLimiter<&'static str> for Calls {
    fn delay(&self, key: &&'static str, retries: u32) -> Duration {
        self.0.lock().unwrap().push((key, Some(retries)));
        Duration::ZERO
    }

    fn forget(&self, key: &&'static str) {
        self.0.lock().unwrap().push((key, None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_limiter_is_told_of_retries_and_what_is_forgotten() {
    let calls = Arc::new(Calls::default());
    let queue = Queue::new(MaxOf::new(Constant::default(), Arc::clone(&calls)));
    for key in ["a", "a", "b", "a"] {
        queue.add_rate_limited(key);
    }
    queue.forget(&"a");
    queue.add_rate_limited("a");
    queue.shut_down();
    queue.add_rate_limited("a");
    let expected = [
        ("a", Some(0)),
        ("a", Some(1)),
        ("b", Some(0)),
        ("a", Some(2)),
        ("a", None),
        ("a", Some(0)),
    ];
    assert_eq!(*calls.0.lock().unwrap(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the pauses: a token is there for each, and nobody waits longer than for that.
    #[test]
    fn a_bucket_grants_its_rate_and_burst(
        burst in 1..5_u32,
        pauses in prop::collection::vec(0..40_u64, 1..60),
    ) {
        paused_runtime().block_on(async {
            let (bucket, start) = (TokenBucket::new(100.0, burst).unwrap(), Instant::now());
            let mut granted: Vec<Duration> = Vec::new();
            for pause in pauses {
                advance(millis(pause)).await;
                let at = start.elapsed() + bucket.delay(&0, 0);
                // A grant is at the earliest time at which the ones before it allow it: of
                // any `count` grants that follow on each other, `burst` can be at once.
                let earliest = (1..).zip(granted.iter().rev()).map(|(count, first): (u32, _)| {
                    *first + millis(10) * (count + 1).saturating_sub(burst)
                });
                let earliest = earliest.max().unwrap_or_default().max(start.elapsed());
                assert_eq!(at, earliest);
                granted.push(at);
            }
        });
    }
}
