//! The numbers of a queue, and the durations that it reports.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubernetes_controller_utils::workqueue::{Constant, Observer, Queue, Snapshot};
use tokio::time::advance;

use super::caller::{Caller, take};

#[derive(Default)]
struct Durations {
    waited: Mutex<Vec<u64>>,
    worked: Mutex<Vec<u64>>,
}

impl Observer for Durations {
    fn waited(&self, duration: Duration) {
        self.waited.lock().unwrap().push(duration.as_secs());
    }

    fn worked(&self, duration: Duration) {
        self.worked.lock().unwrap().push(duration.as_secs());
    }
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

#[tokio::test(start_paused = true)]
async fn durations_of_waiting_and_working_are_observed() {
    let durations = Arc::new(Durations::default());
    let queue = Queue::observed(Constant::default(), Arc::clone(&durations));
    queue.add("a");
    advance(secs(3)).await;
    queue.add("a");
    let first = take(&queue);
    queue.add_after("b", secs(10));
    advance(secs(4)).await;
    queue.add("a");
    advance(secs(8)).await;
    // "b" has been due for 2 s, "a" for 8 s.
    let second = take(&queue);
    drop(first);
    advance(secs(1)).await;
    let third = take(&queue);
    drop((second, third));
    assert_eq!(*durations.waited.lock().unwrap(), [3, 2, 9]);
    assert_eq!(*durations.worked.lock().unwrap(), [12, 1, 0]);
}

/// The fields as numbers; durations in seconds.
fn numbers(snapshot: Snapshot) -> ([usize; 3], [u64; 4]) {
    (
        [snapshot.depth, snapshot.delayed, snapshot.working],
        [
            snapshot.adds,
            snapshot.retries,
            snapshot.unfinished_work.as_secs(),
            snapshot.longest_running.as_secs(),
        ],
    )
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_has_what_waits_what_is_worked_on_and_what_was_counted() {
    let queue = Queue::new(Constant::default());
    assert_eq!(queue.snapshot(), Snapshot::default());
    for key in ["a", "b", "c", "a"] {
        queue.add(key);
    }
    queue.add_rate_limited("d");
    queue.add_rate_limited("d");
    assert_eq!(numbers(queue.snapshot()), ([3, 1, 0], [3, 2, 0, 0]));
    let first = take(&queue);
    advance(secs(10)).await;
    let second = take(&queue);
    queue.add("b");
    advance(secs(4)).await;
    assert_eq!(numbers(queue.snapshot()), ([1, 1, 2], [4, 2, 18, 14]));
    drop(first);
    advance(secs(1)).await;
    // "d" is due now, and "b" again after the work on it.
    assert_eq!(numbers(queue.snapshot()), ([2, 0, 1], [5, 2, 5, 5]));
    drop(second);
    assert_eq!(numbers(queue.snapshot()), ([3, 0, 0], [5, 2, 0, 0]));
}

struct Broken;

impl Observer for Broken {
    fn waited(&self, _: Duration) {
        panic!("a bug of the observer");
    }
}

#[tokio::test(start_paused = true)]
async fn an_observer_that_panics_loses_no_key() {
    let queue = Queue::observed(Constant::default(), Broken);
    queue.add("key");
    let mut caller = Caller::new(&queue);
    assert!(catch_unwind(AssertUnwindSafe(|| caller.poll().is_ready())).is_err());
    assert_eq!(queue.snapshot().working, 0);
    queue.add("key");
    assert_eq!(queue.len(), 1);
}

#[test]
fn handles_and_futures_can_be_sent() {
    fn is_send<T: Send>(_: T) {}
    fn is_sync<T: Sync>(_: &T) {}
    let queue = Queue::<String>::default();
    is_sync(&queue);
    is_send(queue.next());
    is_send(queue.drained());
    is_send(queue);
}
