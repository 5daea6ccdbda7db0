//! A queue of work, which limits how often a key is worked on.
//!
//! A controller adds the key of each object that changes, and workers take the keys and
//! reconcile the objects:
//!
//! * A key that is added several times while it waits is handed out once.
//! * A key is never worked on twice at a time. One that is added while it is worked on is
//!   handed out again after that.
//! * A key can be added with a delay. Of two adds the earlier due time counts, and
//!   [`add`](Queue::add) is one that is due at once: a key waits for one time, not several.
//! * The order is that in which keys become due.
//!
//! [`next`](Queue::next) returns an [`Item`], whose key is worked on until it is dropped, also
//! by a panic or a task that is aborted. A worker that fails adds the key again:
//!
//! ```
//! use kubernetes_controller_utils::workqueue::Queue;
//!
//! # async fn delete(name: &str) -> Result<(), std::io::Error> { Ok(()) }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let queue = Queue::default();
//! queue.add("pvc-1".to_owned());
//! queue.add("pvc-2".to_owned());
//! queue.add("pvc-1".to_owned());
//! assert_eq!(queue.len(), 2);
//!
//! // As many tasks as there should be workers can do this, each with a clone of the queue.
//! while let Some(name) = queue.next().await {
//!     match delete(&name).await {
//!         Ok(()) => queue.forget(&name),
//!         Err(_) => queue.add_rate_limited(name.clone()),
//!     }
//!     if queue.is_empty() {
//!         queue.shut_down();
//!     }
//! }
//! queue.drained().await;
//! assert_eq!(queue.snapshot().adds, 2);
//! # }
//! ```
//!
//! # Shutting down
//!
//! [`shut_down`](Queue::shut_down) drops every key that is not worked on, and every call of
//! `next` returns `None`. A controller shuts down because its process ends or because it is no
//! longer the leader, and must not begin anything new then. Nothing is lost by that: the next
//! leader lists all objects and adds their keys. [`drained`](Queue::drained) waits for the work in
//! hand.
//!
//! # Metrics
//!
//! [`snapshot`](Queue::snapshot) returns counters and gauges, [`Observer`] takes the durations
//! for histograms.
//!
//! # Cost
//!
//! There is no background task: one of the callers of `next` sleeps until the next delayed key
//! is due. Every operation takes one lock for a time that grows with the logarithm of the number
//! of keys, except `snapshot`, whose time grows with the number of workers. A key that becomes
//! ready wakes one caller, and a second at most, which sleeps from then on.

mod callers;
mod item;
mod limiter;
mod next;
mod observer;
mod shared;
mod state;

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

pub use item::Item;
pub use limiter::{Constant, Exponential, LimiterError, MaxOf, RateLimiter, TokenBucket};
pub use observer::{Dropped, Observer, Snapshot};

use next::Next;
use shared::Shared;

/// The delay instead of one that the clock can't represent: about 30 years.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// A queue of keys; the [module](self) says which are handed out when. Clones are handles of the
/// same queue.
pub struct Queue<K> {
    shared: Arc<Shared<K>>,
}

impl<K: Clone + Eq + Hash> Queue<K> {
    /// Returns an empty queue whose rate limited adds wait for the delay of `limiter`.
    #[must_use]
    pub fn new(limiter: impl RateLimiter<K> + 'static) -> Self {
        Self::observed(limiter, ())
    }

    /// Returns an empty queue that reports durations to `observer`.
    #[must_use]
    pub fn observed(
        limiter: impl RateLimiter<K> + 'static,
        observer: impl Observer + 'static,
    ) -> Self {
        Self {
            shared: Arc::new(Shared::new(Box::new(limiter), Box::new(observer))),
        }
    }

    /// Adds a key that is due at once. A delay that it may have waited for is over.
    ///
    /// Does nothing if the key is due already, or the queue was shut down.
    pub fn add(&self, key: K) {
        self.shared.change(|state, now| state.add(key, now));
    }

    /// Adds a key that is due after `delay`, which is counted from now, also while the key is
    /// worked on.
    ///
    /// Does nothing if the key is due already or earlier, or the queue was shut down.
    pub fn add_after(&self, key: K, delay: Duration) {
        self.shared.change(|state, now| {
            let due = now.checked_add(delay).unwrap_or_else(|| now + FOREVER);
            state.add_at(key, due, now);
        });
    }

    /// Adds a key that is due after the delay of the limiter, and counts a retry.
    ///
    /// Does nothing if the queue was shut down.
    pub fn add_rate_limited(&self, key: K) {
        let retries = self.shared.change(|state, _| state.retry(&key));
        // Without the lock: a limiter may take its time, or use the queue.
        if let Some(retries) = retries {
            let delay = self.shared.limiter.delay(&key, retries);
            self.add_after(key, delay);
        }
    }

    /// Sets the retries of a key to zero. A key that waits goes on waiting.
    ///
    /// The queue remembers a key that was added rate limited until this is called, so call it
    /// also for a key that won't be added again.
    pub fn forget(&self, key: &K) {
        self.shared.change(|state, _| state.forget(key));
        self.shared.limiter.forget(key);
    }

    /// Returns the number of rate limited adds of a key since it was last forgotten.
    #[must_use]
    pub fn retries(&self, key: &K) -> u32 {
        self.shared.change(|state, _| state.retries(key))
    }

    /// Returns the number of keys that could be handed out now: neither those that are delayed
    /// nor those that are worked on.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.change(|state, _| state.len())
    }

    /// Returns true if no key could be handed out now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the numbers of this queue, for metrics.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.shared.change(|state, now| state.snapshot(now))
    }

    /// Waits for a key and begins to work on it. Returns `None` once the queue is shut down.
    ///
    /// The future can be dropped at any time without losing a key: one is handed out only when
    /// the future returns it.
    ///
    /// # Panics
    ///
    /// If it waits for a delayed key outside of a tokio runtime whose time is enabled.
    pub async fn next(&self) -> Option<Item<K>> {
        // Workers that never have to wait would starve other tasks.
        tokio::task::consume_budget().await;
        Next::new(&self.shared).await
    }

    /// Drops all keys that are not worked on, and takes no more. Returns how many were dropped:
    /// zero if it was called before.
    pub fn shut_down(&self) -> Dropped {
        let (rest, drained) = self
            .shared
            .change(|state, _| (state.shut_down(), state.is_drained()));
        if drained {
            self.shared.drained.notify_waiters();
        }
        rest.count()
    }

    /// Waits until the queue is shut down and no key is worked on. The future can be dropped
    /// at any time.
    pub async fn drained(&self) {
        loop {
            // Before the check, so that a change between the check and the wait is noticed.
            let notified = self.shared.drained.notified();
            if self.shared.change(|state, _| state.is_drained()) {
                return;
            }
            notified.await;
        }
    }
}

/// A queue with the longer delay of [`Exponential`] and [`TokenBucket`], with their defaults.
impl<K: Clone + Eq + Hash> Default for Queue<K> {
    fn default() -> Self {
        Self::new(MaxOf::<Exponential, TokenBucket>::default())
    }
}

impl<K> Clone for Queue<K> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<K> fmt::Debug for Queue<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Queue").finish_non_exhaustive()
    }
}
