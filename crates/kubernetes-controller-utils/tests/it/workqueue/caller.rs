//! Callers of `next`: one that is polled by the test and only counts how often it is woken, and a
//! worker.

use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use kubernetes_controller_utils::workqueue::{Item, Queue};
use tokio::runtime::{Builder, Runtime};
use tokio::task::coop::unconstrained;
use tokio::task::{JoinHandle, yield_now};

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) struct Caller<K: Clone + Eq + Hash> {
    future: Pin<Box<dyn Future<Output = Option<Item<K>>>>>,
    wakes: Arc<Wakes>,
}

impl<K: Clone + Eq + Hash + 'static> Caller<K> {
    /// A caller that was not polled yet.
    pub(crate) fn new(queue: &Queue<K>) -> Self {
        let queue = queue.clone();
        Self {
            future: Box::pin(unconstrained(async move { queue.next().await })),
            wakes: Arc::default(),
        }
    }

    /// A caller that waits.
    pub(crate) fn waiting(queue: &Queue<K>) -> Self {
        let mut caller = Self::new(queue);
        assert!(caller.poll().is_pending());
        caller
    }

    pub(crate) fn poll(&mut self) -> Poll<Option<Item<K>>> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    /// The key that is handed out at once.
    pub(crate) fn take(&mut self) -> Item<K> {
        match self.poll() {
            Poll::Ready(Some(item)) => item,
            Poll::Ready(None) => panic!("the queue is shut down"),
            Poll::Pending => panic!("no key is ready"),
        }
    }

    /// Returns how often it was woken since the last call.
    pub(crate) fn wakes(&self) -> usize {
        self.wakes.0.swap(0, Ordering::SeqCst)
    }
}

/// Takes a key that is ready.
pub(crate) fn take<K: Clone + Eq + Hash + 'static>(queue: &Queue<K>) -> Item<K> {
    Caller::new(queue).take()
}

/// Takes all keys that are ready, and is done with each.
pub(crate) fn take_all<K: Clone + Eq + Hash + 'static>(queue: &Queue<K>) -> Vec<K> {
    let mut keys = Vec::new();
    while let Poll::Ready(Some(item)) = Caller::new(queue).poll() {
        keys.push((*item).clone());
    }
    keys
}

/// Starts a worker that takes a key and holds it during `work`, and lets it begin.
pub(crate) async fn working<K: Clone + Eq + Hash + Send + 'static>(
    queue: &Queue<K>,
    work: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    let queue = queue.clone();
    let worker = tokio::spawn(async move {
        let _item = queue.next().await;
        work.await;
    });
    yield_now().await;
    worker
}

/// A runtime as `start_paused` gives a test, for tests with many cases.
pub(crate) fn paused_runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}
