//! A key in the hands of a worker.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;

use super::shared::Shared;

/// A key that is worked on, until this is dropped.
///
/// Dropping it doesn't add the key again. If the key was added in the meantime, it is handed out
/// again after that.
#[must_use = "the work on a key ends when its item is dropped"]
pub struct Item<K: Clone + Eq + Hash> {
    shared: Arc<Shared<K>>,
    key: K,
}

impl<K: Clone + Eq + Hash> Item<K> {
    pub(super) fn new(shared: Arc<Shared<K>>, key: K) -> Self {
        Self { shared, key }
    }
}

impl<K: Clone + Eq + Hash> Deref for Item<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.key
    }
}

impl<K: Clone + Eq + Hash + fmt::Debug> fmt::Debug for Item<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Item").field(&self.key).finish()
    }
}

impl<K: Clone + Eq + Hash> Drop for Item<K> {
    fn drop(&mut self) {
        let shared = &self.shared;
        let (worked, drained) =
            shared.change(|state, now| (state.done(&self.key, now), state.is_drained()));
        if drained {
            shared.drained.notify_waiters();
        }
        shared.observer.worked(worked);
    }
}
