//! The callers of `next` that wait for a key, and the order in which they are woken.

use std::collections::BTreeMap;
use std::task::Waker;

use tokio::time::Instant;

/// One caller is woken for each key that becomes ready, and one sleeps until the next delayed
/// key is due: neither a key nor a due time wakes all of them.
#[derive(Default)]
pub(super) struct Callers {
    /// The waiting callers, by a number that each gets when it begins to wait.
    idle: BTreeMap<u64, Waker>,
    /// The number of callers that were woken and neither polled nor dropped since. Each of them
    /// looks for a key, so no other has to be woken for that key.
    woken: usize,
    /// The idle caller that sleeps until a delayed key is due, and that time.
    sleeper: Option<(u64, Instant)>,
    last: u64,
    /// The wakers to call after the lock is released.
    wake: Vec<Waker>,
}

impl Callers {
    /// Lets a caller wait. Returns the time until which it has to sleep, if it is the sleeper.
    pub(super) fn park(
        &mut self,
        waker: Waker,
        first_due: Option<Instant>,
    ) -> (u64, Option<Instant>) {
        self.last += 1;
        self.idle.insert(self.last, waker);
        let sleeps = first_due.filter(|_| self.sleeper.is_none());
        if let Some(due) = sleeps {
            self.sleeper = Some((self.last, due));
        }
        (self.last, sleeps)
    }

    /// Removes a caller that was parked: it is polled again, or dropped.
    pub(super) fn unpark(&mut self, id: u64) -> Option<Waker> {
        let waker = self.remove(id);
        if waker.is_none() {
            self.woken = self.woken.saturating_sub(1);
        }
        waker
    }

    /// Wakes one caller for each key, and one that can sleep for the others.
    pub(super) fn settle(&mut self, ready: usize, first_due: Option<Instant>) {
        while self.woken < ready {
            let Some(id) = self.next_to_wake() else { break };
            self.wake(id);
        }
        match (first_due, self.sleeper) {
            (Some(due), Some((id, until))) if due < until => self.wake(id),
            // A caller that was woken sleeps if it finds no key. If it finds one, or is
            // dropped, the queue settles again.
            (Some(_), None) if self.woken == 0 => {
                if let Some(id) = self.next_to_wake() {
                    self.wake(id);
                }
            }
            _ => {}
        }
    }

    pub(super) fn wake_all(&mut self) {
        while let Some(id) = self.next_to_wake() {
            self.wake(id);
        }
    }

    /// Returns the wakers that have to be called, which must not be done under a lock.
    pub(super) fn take_wakers(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.wake)
    }

    /// Returns the caller that has waited longest. The sleeper comes last: another one would have
    /// to be woken to sleep in its place.
    fn next_to_wake(&self) -> Option<u64> {
        let sleeper = self.sleeper.map(|(id, _)| id);
        let longest = self.idle.keys().copied().take(2);
        longest.min_by_key(|id| sleeper == Some(*id))
    }

    fn wake(&mut self, id: u64) {
        if let Some(waker) = self.remove(id) {
            self.woken += 1;
            self.wake.push(waker);
        }
    }

    fn remove(&mut self, id: u64) -> Option<Waker> {
        if self.sleeper.is_some_and(|(sleeper, _)| sleeper == id) {
            self.sleeper = None;
        }
        self.idle.remove(&id)
    }
}
