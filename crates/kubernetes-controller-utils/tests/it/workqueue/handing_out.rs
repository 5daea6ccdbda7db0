//! The keys that are handed out, their order and their delays.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use kubernetes_controller_utils::workqueue::Queue;
use tokio::time::{Instant, advance};

use super::caller::{Caller, take, take_all};

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

#[tokio::test(start_paused = true)]
async fn keys_are_handed_out_once_and_in_order() {
    let queue = Queue::default();
    for key in ["b", "a", "b", "c", "a", "b"] {
        queue.add(key);
    }
    assert_eq!(queue.len(), 3);
    assert!(!queue.is_empty());
    assert_eq!(take_all(&queue), ["b", "a", "c"]);
    assert!(queue.is_empty());
    queue.add("b");
    assert_eq!(take_all(&queue), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_worked_on_is_handed_out_after_that() {
    let queue = Queue::default();
    queue.add("a");
    let first = take(&queue);
    queue.add("a");
    queue.add("a");
    queue.add("b");
    assert_eq!(queue.len(), 1, "not while it is worked on");
    assert_eq!(*take(&queue), "b");
    let mut caller = Caller::waiting(&queue);
    drop(first);
    assert_eq!(caller.wakes(), 1);
    assert_eq!(*caller.take(), "a");
    assert_eq!(take_all(&queue), [""; 0], "once, not twice");
}

#[tokio::test(start_paused = true)]
async fn a_key_waits_exactly_as_long_as_its_delay() {
    let queue = Queue::default();
    let start = Instant::now();
    for (key, delay) in [("c", 20), ("a", 5), ("b", 5), ("d", 3600)] {
        queue.add_after(key, secs(delay));
    }
    assert!(queue.is_empty());
    for (key, due) in [("a", 5), ("b", 5), ("c", 20), ("d", 3600)] {
        assert_eq!(*queue.next().await.unwrap(), key);
        assert_eq!(start.elapsed(), secs(due));
    }
}

#[tokio::test(start_paused = true)]
async fn of_several_adds_the_earliest_counts() {
    // The delays with which a key is added, one after the other, and when it is due.
    let cases: [(&[u64], u64); 8] = [
        (&[10, 20], 10),
        (&[20, 10], 10),
        (&[10, 10], 10),
        (&[30, 20, 10, 40], 10),
        (&[0, 10], 0),
        (&[10, 0], 0),
        (&[10, 0, 5], 0),
        (&[7], 7),
    ];
    for (delays, due) in cases {
        let queue = Queue::default();
        for delay in delays {
            queue.add_after("key", secs(*delay));
        }
        let start = Instant::now();
        drop(queue.next().await.unwrap());
        assert_eq!(start.elapsed(), secs(due), "{delays:?}");
        advance(secs(3600)).await;
        assert_eq!(take_all(&queue), [""; 0], "{delays:?}: handed out twice");
    }
}

#[tokio::test(start_paused = true)]
async fn a_delay_is_counted_from_the_add_not_from_the_end_of_the_work() {
    let queue = Queue::default();
    queue.add("key");
    let item = take(&queue);
    queue.add_after("key", secs(10));
    advance(secs(4)).await;
    drop(item);
    assert!(queue.is_empty());
    let start = Instant::now();
    assert_eq!(*queue.next().await.unwrap(), "key");
    assert_eq!(start.elapsed(), secs(6));
}

#[tokio::test(start_paused = true)]
async fn a_key_that_becomes_due_while_it_is_worked_on_waits_for_the_end() {
    let queue = Queue::default();
    queue.add("key");
    let item = take(&queue);
    queue.add_after("key", secs(10));
    let mut caller = Caller::waiting(&queue);
    advance(secs(11)).await;
    assert!(caller.poll().is_pending());
    assert!(queue.is_empty());
    drop(item);
    assert_eq!(*caller.take(), "key");
}

#[tokio::test(start_paused = true)]
async fn keys_that_nobody_waited_for_keep_the_order_in_which_they_became_due() {
    let queue = Queue::default();
    queue.add_after("second", secs(2));
    queue.add_after("first", secs(1));
    advance(secs(3)).await;
    queue.add("third");
    assert_eq!(take_all(&queue), ["first", "second", "third"]);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_sleeps_notices_an_earlier_key() {
    let queue = Queue::default();
    queue.add_after("late", secs(100));
    let caller = tokio::spawn({
        let queue = queue.clone();
        async move { queue.next().await.map(|item| *item) }
    });
    tokio::task::yield_now().await;
    let start = Instant::now();
    queue.add_after("early", secs(1));
    assert_eq!(caller.await.unwrap(), Some("early"));
    assert_eq!(start.elapsed(), secs(1));
}

#[tokio::test(start_paused = true)]
async fn rate_limited_adds_wait_longer_each_time_until_the_key_is_forgotten() {
    let queue = Queue::default();
    let wait = async |expected: &[u64]| {
        for (before, delay) in (0..).zip(expected) {
            assert_eq!(queue.retries(&"key"), before);
            queue.add_rate_limited("key");
            let start = Instant::now();
            drop(queue.next().await.unwrap());
            assert_eq!(start.elapsed(), secs(*delay));
        }
    };
    wait(&[15, 30, 60, 120, 240, 480, 960, 1000, 1000]).await;
    assert_eq!(queue.retries(&"other"), 0);
    queue.forget(&"key");
    wait(&[15, 30]).await;
}

#[tokio::test(start_paused = true)]
async fn forgetting_a_key_does_not_take_it_out() {
    let queue = Queue::default();
    queue.add_rate_limited("key");
    queue.forget(&"key");
    assert_eq!(queue.retries(&"key"), 0);
    let start = Instant::now();
    assert_eq!(*queue.next().await.unwrap(), "key");
    assert_eq!(start.elapsed(), secs(15));
}

#[tokio::test(start_paused = true)]
async fn a_delay_without_end_is_a_long_one() {
    let queue = Queue::default();
    queue.add_after("never", Duration::MAX);
    queue.add_after("soon", secs(1));
    assert_eq!(*queue.next().await.unwrap(), "soon");
    assert_eq!(queue.snapshot().delayed, 1);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_is_done_with_its_key() {
    let queue = Queue::default();
    queue.add("key");
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move {
            let item = queue.next().await.unwrap();
            queue.add(*item);
            panic!("a bug of the worker");
        }
    });
    assert!(worker.await.unwrap_err().is_panic());
    assert_eq!(queue.snapshot().working, 0);
    assert_eq!(take_all(&queue), ["key"], "what was added in the meantime");
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_keys_are_handed_out_in_order() {
    const KEYS: u64 = 100_000;
    let queue = Queue::default();
    for key in (0..KEYS).rev() {
        queue.add_after(key, Duration::from_millis(key + 1));
        // Earlier than before, so that each is taken out and put in again.
        queue.add_after(key, Duration::from_millis(key));
    }
    advance(Duration::from_millis(KEYS)).await;
    assert_eq!(queue.len(), usize::try_from(KEYS).unwrap());
    assert!(take_all(&queue).into_iter().eq(0..KEYS));
}

/// A key whose `hash` may panic.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fragile(bool);

impl Hash for Fragile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        assert!(!self.0, "a bug of the key");
        self.0.hash(state);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_panics_does_not_end_the_queue() {
    let queue = Queue::default();
    let added = catch_unwind(AssertUnwindSafe(|| queue.add(Fragile(true))));
    assert!(added.is_err());
    queue.add(Fragile(false));
    assert_eq!(take_all(&queue), [Fragile(false)]);
}
