//! Shutting down: waiting keys are dropped, and work in hand is waited for.

use std::task::Poll;
use std::time::Duration;

use futures::{FutureExt, poll};
use kubernetes_controller_utils::workqueue::{Constant, Dropped, Queue};
use tokio::time::advance;

use super::caller::{Caller, take, working};

const SECOND: Duration = Duration::from_secs(1);

fn counts(dropped: Dropped) -> (usize, usize) {
    (dropped.ready, dropped.delayed)
}

#[tokio::test(start_paused = true)]
async fn keys_that_are_not_worked_on_are_dropped() {
    let queue = Queue::default();
    for key in 0..5 {
        queue.add(key);
    }
    let item = take(&queue);
    queue.add(*item);
    queue.add_after(7, SECOND);
    queue.add_rate_limited(8);
    assert_eq!(counts(queue.shut_down()), (5, 2));
    assert_eq!(counts(queue.shut_down()), (0, 0));
    assert!(queue.next().await.is_none());
    assert!(queue.is_empty());
    advance(100 * SECOND).await;
    assert!(queue.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_added_after_that() {
    let queue = Queue::new(Constant::default());
    queue.add_rate_limited(0);
    queue.shut_down();
    queue.add(1);
    queue.add_after(2, SECOND);
    queue.add_rate_limited(3);
    let snapshot = queue.snapshot();
    assert_eq!((snapshot.depth, snapshot.delayed), (0, 0));
    assert_eq!((snapshot.adds, snapshot.retries), (0, 1));
    assert_eq!((queue.retries(&0), queue.retries(&3)), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn every_caller_that_waits_is_sent_home() {
    let queue = Queue::<u32>::default();
    queue.add_after(1, SECOND);
    let callers: Vec<_> = (0..3).map(|_| Caller::waiting(&queue)).collect();
    queue.shut_down();
    for mut caller in callers {
        assert_eq!(caller.wakes(), 1);
        assert!(matches!(caller.poll(), Poll::Ready(None)));
    }
}

#[tokio::test(start_paused = true)]
async fn drained_waits_for_the_keys_that_are_worked_on() {
    let queue = Queue::default();
    queue.add(1);
    queue.add(2);
    let (first, second) = (take(&queue), take(&queue));
    let mut drained = Box::pin(queue.drained());
    assert!(poll!(&mut drained).is_pending());
    queue.shut_down();
    assert!(poll!(&mut drained).is_pending());
    // A worker that fails adds its key again.
    queue.add(*first);
    drop(first);
    assert!(poll!(&mut drained).is_pending());
    drop(second);
    assert!(poll!(&mut drained).is_ready());
    assert_eq!(queue.drained().now_or_never(), Some(()));
}

#[tokio::test(start_paused = true)]
async fn an_idle_queue_is_drained_once_it_is_shut_down() {
    let queue = Queue::<u32>::default();
    let mut drained = [Box::pin(queue.drained()), Box::pin(queue.drained())];
    for waiting in &mut drained {
        assert!(poll!(waiting).is_pending());
    }
    queue.shut_down();
    for waiting in &mut drained {
        assert!(poll!(waiting).is_ready());
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_does_not_hold_up_draining() {
    let queue = Queue::default();
    queue.add(1);
    let work = async {
        tokio::time::sleep(SECOND).await;
        panic!("a bug of the worker");
    };
    let worker = working(&queue, work).await;
    queue.shut_down();
    queue.drained().await;
    assert!(worker.await.unwrap_err().is_panic());
}
