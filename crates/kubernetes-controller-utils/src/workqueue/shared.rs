//! The state of a queue behind its lock.

use std::hash::Hash;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::limiter::RateLimiter;
use super::observer::Observer;
use super::state::State;

/// The state of a queue, which its handles and items share.
pub(super) struct Shared<K> {
    /// Not poisoned by a panic: `eq` and `hash` of a key may panic, which must not end the work on
    /// all others.
    state: Mutex<State<K>>,
    pub(super) limiter: Box<dyn RateLimiter<K>>,
    pub(super) observer: Box<dyn Observer>,
    pub(super) drained: Notify,
}

impl<K: Clone + Eq + Hash> Shared<K> {
    pub(super) fn new(limiter: Box<dyn RateLimiter<K>>, observer: Box<dyn Observer>) -> Self {
        Self {
            state: Mutex::new(State::new()),
            limiter,
            observer,
            drained: Notify::new(),
        }
    }

    /// Changes the state, and wakes the callers for which that means something.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State<K>, Instant) -> T) -> T {
        let mut state = self.state.lock();
        let now = Instant::now();
        state.advance(now);
        let result = change(&mut state, now);
        state.settle();
        let wakers = state.callers.take_wakers();
        drop(state);
        for waker in wakers {
            waker.wake();
        }
        result
    }
}
