//! The claims or volumes that need work, with their retries.

use std::collections::HashSet;
use std::time::Duration;

use kubernetes_controller_utils::workqueue::{Item, Queue};
use parking_lot::Mutex;
use tracing::{error, warn};

/// The next step for a key that was worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing is left to do until the object changes.
    Done,
    /// It failed.
    Retry,
    /// It must not be tried for some time.
    After(Duration),
}

/// A queue of keys, and those that failed too often.
pub(crate) struct Backlog {
    queue: Queue<String>,
    /// The retries after which a key is given up; zero for none.
    threshold: u32,
    given_up: Mutex<HashSet<String>>,
}

impl Backlog {
    pub(crate) fn new(queue: Queue<String>, threshold: u32) -> Self {
        Self {
            queue,
            threshold,
            given_up: Mutex::default(),
        }
    }

    pub(crate) async fn next(&self) -> Option<Item<String>> {
        self.queue.next().await
    }

    /// Queues a key, even if it waits for a retry.
    pub(crate) fn add(&self, key: String) {
        self.queue.add(key);
    }

    /// Queues a key, unless it waits for a retry.
    pub(crate) fn enqueue(&self, key: String) {
        if self.queue.retries(&key) == 0 {
            self.queue.add(key);
        }
    }

    pub(crate) fn enqueue_all(&self, keys: Vec<String>) {
        keys.into_iter().for_each(|key| self.enqueue(key));
    }

    /// Queues a key again if it needs to be, unless it failed too often. Returns true if it is
    /// given up: its retries stay counted, so that it isn't queued again before it changes.
    pub(crate) fn settle(&self, key: &str, next: Next) -> bool {
        let (key, threshold) = (key.to_owned(), self.threshold);
        match next {
            Next::Done => self.forget(&key),
            Next::After(delay) => self.queue.add_after(key, delay),
            Next::Retry if threshold > 0 && self.queue.retries(&key) >= threshold => {
                error!(
                    key,
                    threshold, "failed too often; giving up until it changes"
                );
                self.given_up.lock().insert(key);
                return true;
            }
            Next::Retry => {
                warn!(key, retries = self.queue.retries(&key), "will be retried");
                self.queue.add_rate_limited(key);
            }
        }
        false
    }

    /// Lets a key that was given up be tried again, because its object has changed.
    pub(crate) fn resume(&self, key: &String) {
        if self.given_up.lock().remove(key) {
            self.queue.forget(key);
        }
    }

    /// Forgets a key whose object is gone. One that waits for a retry is queued now, so that it
    /// doesn't wait in vain.
    pub(crate) fn end(&self, key: String) {
        let waits = self.queue.retries(&key) > 0;
        self.forget(&key);
        if waits {
            self.queue.add(key);
        }
    }

    /// Forgets the retries of a key.
    pub(crate) fn forget(&self, key: &String) {
        self.given_up.lock().remove(key);
        self.queue.forget(key);
    }

    /// Returns true if the last attempt for a key failed.
    pub(crate) fn is_retried(&self, key: &str) -> bool {
        self.queue.retries(&key.to_owned()) > 0
    }

    pub(crate) fn shut_down(&self) {
        self.queue.shut_down();
    }

    pub(crate) async fn drained(&self) {
        self.queue.drained().await;
    }

    /// Returns the number of keys that are worked on.
    pub(crate) fn working(&self) -> usize {
        self.queue.snapshot().working
    }
}
