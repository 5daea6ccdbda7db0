//! The future that waits for a key.

use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

use super::item::Item;
use super::shared::Shared;

pub(super) struct Next<'a, K: Clone + Eq + Hash> {
    shared: &'a Arc<Shared<K>>,
    /// The number under which it waits.
    parked: Option<u64>,
    /// Only in the one caller that wakes for delayed keys.
    sleep: Option<Pin<Box<Sleep>>>,
}

enum Step<K> {
    Closed,
    Took(K, std::time::Duration),
    Wait(Option<Instant>),
}

impl<'a, K: Clone + Eq + Hash> Next<'a, K> {
    pub(super) fn new(shared: &'a Arc<Shared<K>>) -> Self {
        Self {
            shared,
            parked: None,
            sleep: None,
        }
    }

    fn step(&mut self, context: &Context<'_>) -> Step<K> {
        let parked = &mut self.parked;
        let (step, waker) = self.shared.change(|state, now| {
            let waker = parked.take().and_then(|id| state.callers.unpark(id));
            if state.is_closed() {
                return (Step::Closed, waker);
            }
            if let Some((key, waited)) = state.take(now) {
                return (Step::Took(key, waited), waker);
            }
            let due = state.first_due();
            let (id, sleeps) = state.callers.park(context.waker().clone(), due);
            *parked = Some(id);
            (Step::Wait(sleeps), waker)
        });
        // After the lock is released: dropping a waker may drop its task, and that an item.
        drop(waker);
        step
    }
}

impl<K: Clone + Eq + Hash> Future for Next<'_, K> {
    type Output = Option<Item<K>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        loop {
            let due = match this.step(context) {
                Step::Closed => return Poll::Ready(None),
                Step::Took(key, waited) => {
                    // The item comes first: it marks the key as done if the observer panics.
                    let item = Item::new(Arc::clone(this.shared), key);
                    this.shared.observer.waited(waited);
                    return Poll::Ready(Some(item));
                }
                Step::Wait(None) => {
                    this.sleep = None;
                    return Poll::Pending;
                }
                Step::Wait(Some(due)) => due,
            };
            let sleep = this.sleep.get_or_insert_with(|| Box::pin(sleep_until(due)));
            if sleep.deadline() != due {
                sleep.as_mut().reset(due);
            }
            ready!(sleep.as_mut().poll(context));
        }
    }
}

impl<K: Clone + Eq + Hash> Drop for Next<'_, K> {
    fn drop(&mut self) {
        if let Some(id) = self.parked.take() {
            // Wakes another caller in its place.
            let waker = self.shared.change(|state, _| state.callers.unpark(id));
            drop(waker);
        }
    }
}
