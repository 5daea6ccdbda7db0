//! How values are locked that several tasks share.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Code of a user may panic under a lock, as `eq` and `hash` of a key or what reads the objects
    // of a test. That must not end the work on all others.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
