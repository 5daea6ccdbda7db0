//! The keys of a queue: which wait, until when, and which are worked on.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::callers::Callers;
use super::observer::{Dropped, Snapshot};

/// The due time of a delayed key. The number keeps keys of the same time in their order.
type Due = (Instant, u64);

/// A key that waits to be worked on. It may be worked on at the same time.
#[derive(Clone, Copy)]
enum Waiting {
    /// It has been due since that time.
    Ready(Instant),
    Delayed(Due),
}

/// No method calls anything but the traits of `K`.
pub(super) struct State<K> {
    waiting: HashMap<K, Waiting>,
    /// The keys that are due and not worked on, in the order in which they are handed out.
    ready: VecDeque<K>,
    delayed: BTreeMap<Due, K>,
    /// Since when each key is worked on.
    working: HashMap<K, Instant>,
    retries: HashMap<K, u32>,
    closed: bool,
    /// The number of the last delayed key.
    last: u64,
    added: u64,
    retried: u64,
    pub(super) callers: Callers,
}

/// The keys that a queue had when it was shut down. They are dropped without the lock, because
/// dropping many keys takes time.
pub(super) struct Rest<K> {
    waiting: HashMap<K, Waiting>,
    delayed: BTreeMap<Due, K>,
    _ready: VecDeque<K>,
}

impl<K> Rest<K> {
    pub(super) fn count(&self) -> Dropped {
        Dropped {
            ready: self.waiting.len().saturating_sub(self.delayed.len()),
            delayed: self.delayed.len(),
        }
    }
}

impl<K: Clone + Eq + Hash> State<K> {
    pub(super) fn new() -> Self {
        Self {
            waiting: HashMap::new(),
            ready: VecDeque::new(),
            delayed: BTreeMap::new(),
            working: HashMap::new(),
            retries: HashMap::new(),
            closed: false,
            last: 0,
            added: 0,
            retried: 0,
            callers: Callers::default(),
        }
    }

    /// Makes the delayed keys ready that are due. Everything else relies on that.
    pub(super) fn advance(&mut self, now: Instant) {
        while let Some(first) = self.delayed.first_entry() {
            let (due, _) = *first.key();
            if due > now {
                break;
            }
            let key = first.remove();
            self.make_ready(key, due);
        }
    }

    /// Wakes those callers that have something to do after a change.
    pub(super) fn settle(&mut self) {
        self.callers.settle(self.ready.len(), self.first_due());
    }

    pub(super) fn first_due(&self) -> Option<Instant> {
        self.delayed.keys().next().map(|(due, _)| *due)
    }

    pub(super) fn add(&mut self, key: K, now: Instant) {
        if self.closed {
            return;
        }
        match self.waiting.get(&key) {
            Some(Waiting::Ready(_)) => return,
            Some(Waiting::Delayed(due)) => {
                self.delayed.remove(due);
            }
            None => {}
        }
        self.make_ready(key, now);
    }

    pub(super) fn add_at(&mut self, key: K, due: Instant, now: Instant) {
        if due <= now {
            return self.add(key, now);
        }
        if self.closed {
            return;
        }
        match self.waiting.get(&key) {
            Some(Waiting::Ready(_)) => return,
            Some(Waiting::Delayed((earlier, _))) if *earlier <= due => return,
            Some(Waiting::Delayed(later)) => {
                self.delayed.remove(later);
            }
            None => {}
        }
        self.last += 1;
        let due = (due, self.last);
        self.waiting.insert(key.clone(), Waiting::Delayed(due));
        self.delayed.insert(due, key);
    }

    fn make_ready(&mut self, key: K, since: Instant) {
        self.added += 1;
        self.waiting.insert(key.clone(), Waiting::Ready(since));
        // A key that is worked on becomes ready when that is done.
        if !self.working.contains_key(&key) {
            self.ready.push_back(key);
        }
    }

    /// Begins to work on the first key. Returns it, and for how long it has been due.
    pub(super) fn take(&mut self, now: Instant) -> Option<(K, Duration)> {
        let key = self.ready.pop_front()?;
        let waited = match self.waiting.remove(&key) {
            Some(Waiting::Ready(since)) => now.saturating_duration_since(since),
            Some(Waiting::Delayed(_)) | None => Duration::ZERO,
        };
        self.working.insert(key.clone(), now);
        Some((key, waited))
    }

    /// Ends the work on a key. Returns how long it took.
    pub(super) fn done(&mut self, key: &K, now: Instant) -> Duration {
        let since = self.working.remove(key);
        if let Some(Waiting::Ready(_)) = self.waiting.get(key) {
            self.ready.push_back(key.clone());
        }
        since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// Counts a rate limited add. Returns how many there were before, or nothing if the queue
    /// takes no more keys.
    pub(super) fn retry(&mut self, key: &K) -> Option<u32> {
        if self.closed {
            return None;
        }
        self.retried += 1;
        let Some(retries) = self.retries.get_mut(key) else {
            self.retries.insert(key.clone(), 1);
            return Some(0);
        };
        let before = *retries;
        *retries = before.saturating_add(1);
        Some(before)
    }

    pub(super) fn forget(&mut self, key: &K) {
        self.retries.remove(key);
    }

    pub(super) fn retries(&self, key: &K) -> u32 {
        self.retries.get(key).copied().unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn shut_down(&mut self) -> Rest<K> {
        self.closed = true;
        self.callers.wake_all();
        Rest {
            waiting: std::mem::take(&mut self.waiting),
            delayed: std::mem::take(&mut self.delayed),
            _ready: std::mem::take(&mut self.ready),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn is_drained(&self) -> bool {
        self.closed && self.working.is_empty()
    }

    pub(super) fn snapshot(&self, now: Instant) -> Snapshot {
        let work = self
            .working
            .values()
            .map(|since| now.saturating_duration_since(*since));
        Snapshot {
            depth: self.ready.len(),
            delayed: self.delayed.len(),
            working: self.working.len(),
            adds: self.added,
            retries: self.retried,
            unfinished_work: work.clone().fold(Duration::ZERO, Duration::saturating_add),
            longest_running: work.max().unwrap_or_default(),
        }
    }
}
