//! Random uses of a queue against a simple specification of it.

use std::collections::{BTreeMap, BTreeSet};
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use kubernetes_controller_utils::workqueue::{Dropped, Exponential, Item, Queue};
use proptest::prelude::*;
use tokio::time::advance;

use super::caller::{Caller, paused_runtime};

type Key = u8;

/// One use of a queue. Times are milliseconds, positions count from the first, round and round.
#[derive(Clone, Debug)]
enum Use {
    Add(Key),
    AddAfter(Key, u64),
    AddRateLimited(Key),
    Forget(Key),
    /// Calls `next`.
    Call,
    /// Drops the call at a position.
    GiveUp(usize),
    /// Drops the item at a position.
    Done(usize),
    Advance(u64),
    ShutDown,
}

fn uses() -> impl Strategy<Value = Vec<Use>> {
    let key = || 0..5_u8;
    // Few different times, so that many keys are due at the same one.
    let delay = || (0..8_u64).prop_map(|delay| delay * 50);
    let one = prop_oneof![
        6 => key().prop_map(Use::Add),
        6 => (key(), delay()).prop_map(|(key, delay)| Use::AddAfter(key, delay)),
        3 => key().prop_map(Use::AddRateLimited),
        1 => key().prop_map(Use::Forget),
        8 => Just(Use::Call),
        3 => any::<usize>().prop_map(Use::GiveUp),
        6 => any::<usize>().prop_map(Use::Done),
        6 => delay().prop_map(Use::Advance),
    ];
    let end = prop::option::weighted(0.3, Just(Use::ShutDown));
    (
        prop::collection::vec(one.clone(), 0..80),
        end,
        prop::collection::vec(one, 0..10),
    )
        .prop_map(|(before, end, after)| before.into_iter().chain(end).chain(after).collect())
}

/// The first delay and the longest one.
const BACKOFF: [u64; 2] = [100, 300];

/// A simple model of a queue, without callers that wait.
#[derive(Default)]
struct Model {
    now: u64,
    /// Delayed keys with their times, those that were added first in front.
    delayed: Vec<(u64, Key)>,
    ready: Vec<Key>,
    working: Vec<Key>,
    /// Keys that are worked on and ready after that.
    again: BTreeSet<Key>,
    retries: BTreeMap<Key, u32>,
    closed: bool,
    adds: u64,
    rate_limited: u64,
}

impl Model {
    fn add(&mut self, key: Key, delay: u64) {
        let due = self.now + delay;
        let earlier = self
            .delayed
            .iter()
            .any(|(at, other)| *other == key && *at <= due);
        if self.closed || earlier || self.ready.contains(&key) || self.again.contains(&key) {
            return;
        }
        self.delayed.retain(|(_, other)| *other != key);
        self.delayed.push((due, key));
        self.advance(0);
    }

    fn add_rate_limited(&mut self, key: Key) {
        if self.closed {
            return;
        }
        self.rate_limited += 1;
        let retries = self.retries.entry(key).or_default();
        let delay = BACKOFF[0] << (*retries).min(8);
        *retries += 1;
        self.add(key, delay.min(BACKOFF[1]));
    }

    fn advance(&mut self, time: u64) {
        self.now += time;
        self.delayed.sort_by_key(|(due, _)| *due);
        while let Some((_, key)) = self
            .delayed
            .first()
            .copied()
            .filter(|(due, _)| *due <= self.now)
        {
            self.delayed.remove(0);
            self.adds += 1;
            if self.working.contains(&key) {
                self.again.insert(key);
            } else {
                self.ready.push(key);
            }
        }
    }

    /// Hands out a key for each of so many callers.
    fn take(&mut self, callers: usize) -> Vec<Key> {
        let taken: Vec<Key> = self.ready.drain(..callers.min(self.ready.len())).collect();
        for key in &taken {
            assert!(!self.working.contains(key), "twice at a time");
            self.working.push(*key);
        }
        taken
    }

    fn done(&mut self, key: Key) {
        self.working.retain(|other| *other != key);
        if self.again.remove(&key) {
            self.ready.push(key);
        }
    }

    /// Returns true if any key is still to be handed out.
    fn waits(&self) -> bool {
        self.ready.len() + self.again.len() + self.delayed.len() > 0
    }

    fn shut_down(&mut self) -> (usize, usize) {
        self.closed = true;
        let dropped = (self.ready.len() + self.again.len(), self.delayed.len());
        self.ready.clear();
        self.again.clear();
        self.delayed.clear();
        dropped
    }
}

/// A queue, whoever uses it, and what it should do.
struct World {
    queue: Queue<Key>,
    callers: Vec<Caller<Key>>,
    items: Vec<Item<Key>>,
    model: Model,
}

impl World {
    fn new() -> Self {
        let [base, max] = BACKOFF.map(Duration::from_millis);
        Self {
            queue: Queue::new(Exponential::new(base, max).unwrap()),
            callers: Vec::new(),
            items: Vec::new(),
            model: Model::default(),
        }
    }

    async fn apply(&mut self, one: &Use) {
        match *one {
            Use::Add(key) => {
                self.queue.add(key);
                self.model.add(key, 0);
            }
            Use::AddAfter(key, delay) => {
                self.queue.add_after(key, Duration::from_millis(delay));
                self.model.add(key, delay);
            }
            Use::AddRateLimited(key) => {
                self.queue.add_rate_limited(key);
                self.model.add_rate_limited(key);
            }
            Use::Forget(key) => {
                self.queue.forget(&key);
                self.model.retries.remove(&key);
            }
            Use::Call => self.call(),
            Use::GiveUp(position) => {
                if let Some(position) = position.checked_rem(self.callers.len()) {
                    self.callers.remove(position);
                }
            }
            Use::Done(position) => {
                if let Some(position) = position.checked_rem(self.items.len()) {
                    let item = self.items.remove(position);
                    self.model.done(*item);
                }
            }
            Use::Advance(time) => {
                advance(Duration::from_millis(time)).await;
                self.model.advance(time);
            }
            Use::ShutDown => {
                let Dropped { ready, delayed, .. } = self.queue.shut_down();
                assert_eq!((ready, delayed), self.model.shut_down());
            }
        }
    }

    fn call(&mut self) {
        let mut caller = Caller::new(&self.queue);
        match caller.poll() {
            Poll::Pending => {
                assert!(!self.model.closed, "waits though the queue is shut down");
                assert_eq!(self.model.ready, [0; 0], "waits though keys are ready");
                self.callers.push(caller);
            }
            Poll::Ready(Some(item)) => {
                assert_eq!(self.model.take(1), [*item]);
                self.items.push(item);
            }
            Poll::Ready(None) => assert!(self.model.closed),
        }
    }

    /// Lets the callers go on that were woken, and only those, and compares what they get.
    async fn settle(&mut self) {
        let callers = self.callers.len();
        let mut taken = Vec::new();
        loop {
            // Timers that are due wake their callers here.
            tokio::task::yield_now().await;
            let woken = self.callers.iter().position(|caller| caller.wakes() > 0);
            let Some(position) = woken else { break };
            match self.callers[position].poll() {
                Poll::Pending => continue,
                Poll::Ready(None) => assert!(self.model.closed),
                Poll::Ready(Some(item)) => {
                    taken.push(*item);
                    self.items.push(item);
                }
            }
            self.callers.remove(position);
        }
        assert_eq!(taken, self.model.take(callers));
        if self.model.closed {
            assert!(self.callers.is_empty(), "a caller waits for nothing");
        }
    }

    fn compare(&self) {
        let (model, snapshot) = (&self.model, self.queue.snapshot());
        assert_eq!(self.queue.len(), model.ready.len());
        assert_eq!(snapshot.depth, model.ready.len());
        assert_eq!(snapshot.delayed, model.delayed.len());
        assert_eq!(snapshot.working, model.working.len());
        assert_eq!(
            (snapshot.adds, snapshot.retries),
            (model.adds, model.rate_limited)
        );
        for key in 0..5 {
            let retries = model.retries.get(&key).copied().unwrap_or_default();
            assert_eq!(self.queue.retries(&key), retries);
        }
        let drained = self.queue.drained().now_or_never().is_some();
        assert_eq!(drained, model.closed && model.working.is_empty());
    }

    /// Every key that waits is handed out in the end, if workers go on.
    async fn finish(&mut self) {
        while self.model.waits() {
            for one in [Use::Done(0), Use::Call, Use::Advance(50)] {
                self.apply(&one).await;
                self.settle().await;
                self.compare();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn a_queue_does_what_the_model_does(uses in uses()) {
        paused_runtime().block_on(async {
            let mut world = World::new();
            for one in &uses {
                world.apply(one).await;
                world.settle().await;
                world.compare();
            }
            world.finish().await;
        });
    }
}
