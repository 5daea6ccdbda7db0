//! Many workers on several threads, in real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kubernetes_controller_utils::workqueue::{Constant, Queue};
use tokio::sync::{Barrier, Notify};
use tokio::task::{JoinSet, yield_now};
use tokio::time::timeout;

/// Far more than any of these takes: a lost wake-up ends a test then, not the machine's load.
const LONG: Duration = Duration::from_secs(120);

const MILLI: Duration = Duration::from_millis(1);

fn queue() -> Queue<usize> {
    Queue::new(Constant::new(MILLI).unwrap())
}

/// An object that changes, and that workers look at.
#[derive(Default)]
struct Object {
    changes: AtomicU64,
    seen: AtomicU64,
    busy: AtomicBool,
}

#[derive(Default)]
struct Objects {
    objects: Vec<Object>,
    progress: Notify,
}

impl Objects {
    fn new(count: usize) -> Arc<Self> {
        let objects = std::iter::repeat_with(Object::default)
            .take(count)
            .collect();
        let progress = Notify::new();
        Arc::new(Self { objects, progress })
    }

    /// Changes random objects, and adds the key of each in one way or another.
    async fn change(&self, queue: &Queue<usize>, seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..5_000 {
            let key = random.usize(..self.objects.len());
            self.objects[key].changes.fetch_add(1, Ordering::SeqCst);
            match random.u8(..4) {
                0 => queue.add_after(key, random.u32(..3) * MILLI),
                1 => queue.add_rate_limited(key),
                _ => queue.add(key),
            }
            if random.u8(..16) == 0 {
                yield_now().await;
            }
        }
    }

    /// Looks at each object whose key is handed out, as it is then.
    async fn work(&self, queue: &Queue<usize>, seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        loop {
            let item = if random.bool() {
                queue.next().await
            } else {
                // Calls that are given up, some of them just when they are woken.
                tokio::select! {
                    item = queue.next() => item,
                    () = yield_now() => continue,
                }
            };
            let Some(item) = item else { return };
            let object = &self.objects[*item];
            assert!(!object.busy.swap(true, Ordering::SeqCst), "twice at a time");
            let changes = object.changes.load(Ordering::SeqCst);
            if random.u8(..4) == 0 {
                yield_now().await;
            }
            object.seen.store(changes, Ordering::SeqCst);
            object.busy.store(false, Ordering::SeqCst);
            drop(item);
            self.progress.notify_one();
        }
    }

    fn are_seen(&self) -> bool {
        self.objects.iter().all(|object| {
            object.seen.load(Ordering::SeqCst) == object.changes.load(Ordering::SeqCst)
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_change_is_seen_and_no_key_is_worked_on_twice_at_a_time() {
    let (queue, objects) = (queue(), Objects::new(100));
    let mut workers = JoinSet::new();
    for seed in 0..24 {
        let (queue, objects) = (queue.clone(), Arc::clone(&objects));
        workers.spawn(async move { objects.work(&queue, seed).await });
    }
    let mut changes = JoinSet::new();
    for seed in 0..4 {
        let (queue, objects) = (queue.clone(), Arc::clone(&objects));
        changes.spawn(async move { objects.change(&queue, 1000 + seed).await });
    }
    let seen = async {
        changes.join_all().await;
        while !objects.are_seen() {
            objects.progress.notified().await;
        }
    };
    timeout(LONG, seen).await.expect("a change was not seen");
    queue.shut_down();
    timeout(LONG, workers.join_all())
        .await
        .expect("a worker still waits");
    let snapshot = queue.snapshot();
    assert_eq!(
        (snapshot.depth, snapshot.delayed, snapshot.working),
        (0, 0, 0)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_are_worked_on_by_as_many_workers_as_there_are() {
    const WORKERS: usize = 8;
    let queue = queue();
    let barrier = Arc::new(Barrier::new(WORKERS + 1));
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        let (queue, barrier) = (queue.clone(), Arc::clone(&barrier));
        workers.spawn(async move {
            while let Some(_item) = queue.next().await {
                // Until every other worker has a key too.
                barrier.wait().await;
            }
        });
    }
    for round in 0..500 {
        for key in 0..WORKERS {
            match round % 3 {
                0 => queue.add(key),
                1 => queue.add_after(key, MILLI),
                _ => queue.add_after(key, u32::try_from(key).unwrap() * MILLI / 4),
            }
        }
        timeout(LONG, barrier.wait())
            .await
            .expect("a key waits though a worker is free");
    }
    queue.shut_down();
    timeout(LONG, workers.join_all())
        .await
        .expect("a worker still waits");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_single_key_that_goes_round_never_stops() {
    const ROUNDS: usize = 20_000;
    let queue = queue();
    let mut workers = JoinSet::new();
    for _ in 0..16 {
        let queue = queue.clone();
        workers.spawn(async move {
            while let Some(item) = queue.next().await {
                match *item {
                    ROUNDS => {
                        queue.shut_down();
                    }
                    // Some of them with a delay, for which a caller has to sleep.
                    round if round % 100 == 0 => queue.add_after(round + 1, MILLI),
                    round => queue.add(round + 1),
                }
            }
        });
    }
    queue.add(0);
    timeout(LONG, workers.join_all())
        .await
        .expect("a wake-up was lost");
    assert_eq!(queue.snapshot().adds, 1 + u64::try_from(ROUNDS).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn draining_waits_for_every_worker() {
    for _ in 0..100 {
        let (queue, busy) = (queue(), Arc::new(AtomicU64::new(0)));
        let mut workers = JoinSet::new();
        for _ in 0..8 {
            let (queue, busy) = (queue.clone(), Arc::clone(&busy));
            workers.spawn(async move {
                while let Some(item) = queue.next().await {
                    busy.fetch_add(1, Ordering::SeqCst);
                    yield_now().await;
                    queue.add_rate_limited(*item);
                    busy.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
        for key in 0..50 {
            queue.add(key);
        }
        yield_now().await;
        queue.shut_down();
        timeout(LONG, queue.drained()).await.expect("not drained");
        assert_eq!(busy.load(Ordering::SeqCst), 0);
        timeout(LONG, workers.join_all())
            .await
            .expect("a worker still waits");
    }
}
