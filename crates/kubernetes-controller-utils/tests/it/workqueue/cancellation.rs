//! Callers of `next`: how many are woken, and what comes of a key when one is dropped.

use std::time::Duration;

use kubernetes_controller_utils::workqueue::Queue;
use tokio::time::{Instant, advance, timeout};

use super::caller::{Caller, take, take_all, working};

const SECOND: Duration = Duration::from_secs(1);

fn waiting(queue: &Queue<u32>, count: usize) -> Vec<Caller<u32>> {
    (0..count).map(|_| Caller::waiting(queue)).collect()
}

fn woken(callers: &[Caller<u32>]) -> Vec<usize> {
    callers.iter().map(Caller::wakes).collect()
}

#[tokio::test(start_paused = true)]
async fn each_key_wakes_one_caller() {
    let queue = Queue::default();
    let mut callers = waiting(&queue, 4);
    queue.add(1);
    queue.add(1);
    assert_eq!(woken(&callers), [1, 0, 0, 0]);
    queue.add(2);
    assert_eq!(woken(&callers), [0, 1, 0, 0]);
    let items = [callers[0].take(), callers[1].take()];
    assert_eq!(items.each_ref().map(|item| **item), [1, 2]);
    assert_eq!(woken(&callers), [0; 4]);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_finds_its_key_taken_is_woken_for_the_next() {
    let queue = Queue::default();
    let mut callers = waiting(&queue, 2);
    queue.add(1);
    assert_eq!(woken(&callers), [1, 0]);
    let _item = take(&queue);
    assert!(callers[0].poll().is_pending());
    queue.add(2);
    queue.add(3);
    assert_eq!(woken(&callers), [1, 1]);
}

#[tokio::test(start_paused = true)]
async fn one_caller_sleeps_for_all() {
    let queue = Queue::default();
    queue.add_after(1, SECOND);
    queue.add_after(2, SECOND);
    queue.add_after(3, 9 * SECOND);
    let mut callers = waiting(&queue, 5);
    advance(SECOND).await;
    assert_eq!(woken(&callers), [1, 0, 0, 0, 0], "the one that sleeps");
    let _first = callers[0].take();
    assert_eq!(woken(&callers), [0, 1, 0, 0, 0], "for the second key");
    let _second = callers[1].take();
    assert_eq!(
        woken(&callers),
        [0, 0, 1, 0, 0],
        "to sleep until the third is due"
    );
    assert!(callers[2].poll().is_pending());
    assert_eq!(woken(&callers), [0; 5]);
    advance(8 * SECOND).await;
    assert_eq!(woken(&callers), [0, 0, 1, 0, 0]);
    assert_eq!(*callers[2].take(), 3);
    assert_eq!(woken(&callers), [0; 5], "nothing is left to sleep for");
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_does_not_sleep_is_preferred_for_keys() {
    let queue = Queue::default();
    queue.add_after(1, SECOND);
    let mut callers = waiting(&queue, 2);
    queue.add(2);
    assert_eq!(woken(&callers), [0, 1]);
    drop(callers[1].take());
    advance(SECOND).await;
    assert_eq!(*callers[0].take(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_delayed_key_wakes_a_caller_to_sleep_only_if_none_sleeps_long_enough() {
    let queue = Queue::default();
    let mut callers = waiting(&queue, 3);
    queue.add_after(1, 5 * SECOND);
    assert_eq!(woken(&callers), [1, 0, 0]);
    assert!(callers[0].poll().is_pending());
    queue.add_after(2, 6 * SECOND);
    assert_eq!(woken(&callers), [0, 0, 0], "it wakes before that");
    queue.add_after(3, SECOND);
    assert_eq!(woken(&callers).iter().sum::<usize>(), 1, "to sleep less");
}

#[tokio::test(start_paused = true)]
async fn a_key_of_a_caller_that_is_dropped_goes_to_another() {
    let queue = Queue::default();
    let mut callers = waiting(&queue, 3);
    queue.add(1);
    assert_eq!(woken(&callers), [1, 0, 0]);
    callers.remove(0);
    assert_eq!(woken(&callers), [1, 0]);
    assert_eq!(*callers[0].take(), 1);
}

#[tokio::test(start_paused = true)]
async fn another_sleeps_when_the_one_that_does_is_dropped() {
    let queue = Queue::default();
    queue.add_after(1, SECOND);
    let mut callers = waiting(&queue, 2);
    callers.remove(0);
    assert_eq!(woken(&callers), [1]);
    assert!(callers[0].poll().is_pending());
    advance(SECOND).await;
    assert_eq!(woken(&callers), [1]);
    assert_eq!(*callers[0].take(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_does_not_wait_for_anything_is_dropped_without_effect() {
    let queue = Queue::default();
    let mut callers = waiting(&queue, 2);
    callers.remove(0);
    drop(Caller::new(&queue));
    queue.add(1);
    assert_eq!(woken(&callers), [1]);
    assert_eq!(*callers[0].take(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_loses_no_key() {
    let queue = Queue::default();
    let start = Instant::now();
    queue.add_after(1, 10 * SECOND);
    let mut given_up = 0;
    let item = loop {
        match timeout(3 * SECOND, queue.next()).await {
            Ok(item) => break item.unwrap(),
            Err(_) => given_up += 1,
        }
    };
    assert_eq!((*item, given_up, start.elapsed()), (1, 3, 10 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_aborted_is_done_with_its_key() {
    let queue = Queue::default();
    queue.add(1);
    let worker = working(&queue, std::future::pending()).await;
    assert_eq!(queue.snapshot().working, 1);
    queue.add(1);
    worker.abort();
    assert!(worker.await.unwrap_err().is_cancelled());
    assert_eq!(take_all(&queue), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_never_waits_lets_others_run() {
    let queue = Queue::default();
    queue.add(0);
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move {
            for _ in 0..100_000 {
                let Some(item) = queue.next().await else {
                    return true;
                };
                queue.add(*item);
            }
            false
        }
    });
    // On this runtime of one thread, only if the worker yields.
    tokio::task::yield_now().await;
    queue.shut_down();
    assert!(worker.await.unwrap());
}
