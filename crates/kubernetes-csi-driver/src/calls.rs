//! Runs calls: one at a time for a volume, to their end, each with its span.

use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, OptionFuture};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tonic::Status;
use tracing::{Instrument, debug, info_span, warn};

use crate::mask::Mask;
use crate::{Error, Result};

/// The calls that are under way.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    locks: Arc<Locks>,
    tasks: TaskTracker,
    /// The places of calls that run at a time, if their number is limited.
    places: Option<Arc<Semaphore>>,
    /// The longest time that a caller waits for a call that runs.
    timeout: Option<Duration>,
}

/// A call, and all that it locks.
#[derive(Debug)]
pub(crate) struct Call {
    /// The name of the call: `CreateVolume`.
    pub(crate) name: &'static str,
    /// The locks that it takes.
    pub(crate) locks: Vec<Lock>,
    /// Hides its secrets, which aren't logged and not sent back.
    pub(crate) mask: Mask,
    /// True if it waits for a place when too many run.
    pub(crate) needs_place: bool,
}

/// Something that calls lock, such as `volume disk-1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lock {
    what: String,
    /// True if others may lock it at the same time in this way.
    is_shared: bool,
}

impl Lock {
    /// Locks something for this call alone.
    pub(crate) fn exclusive(what: String) -> Self {
        Self {
            what,
            is_shared: false,
        }
    }

    /// Locks something against calls that lock it for themselves alone.
    pub(crate) fn shared(what: String) -> Self {
        Self {
            what,
            is_shared: true,
        }
    }
}

impl Calls {
    /// Returns no calls, of which so many run at a time, and callers wait so long for each.
    pub(crate) fn new(most: Option<usize>, timeout: Option<Duration>) -> Self {
        let places = most.map(|most| Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self {
            places: places.map(Arc::new),
            timeout,
            ..Self::default()
        }
    }

    /// Runs a call to its end, also if the caller goes away meanwhile. A caller that repeats it
    /// before gets `ABORTED`.
    pub(crate) async fn run<T, F>(&self, call: Call, future: F) -> Result<T, Status>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let about = call.locks.first().map(|lock| &*lock.what);
        let span = info_span!("csi", call = call.name, about);
        let mask = call.mask;
        let guard = match self.locks.lock(call.locks) {
            Ok(guard) => guard,
            Err(busy) => {
                let error = Error::busy(format!("another call for {busy} is under way"));
                span.in_scope(|| debug!("{error}"));
                return Err(error.into());
            }
        };
        // With the locks, so that a call that waits isn't repeated beside itself. It gives up when
        // its caller goes away.
        let places = self.places.as_ref().filter(|_| call.needs_place);
        let place = OptionFuture::from(places.map(|places| places.clone().acquire_owned()));
        let place = place.await;
        let name = call.name;
        let running = async move {
            debug!("started");
            let result = AssertUnwindSafe(future).catch_unwind().await;
            let result = result.unwrap_or_else(|panic| Err(panicked(name, &*panic)));
            let answer = result.map_err(|error| mask.failed(&error));
            if answer.is_ok() {
                debug!("done");
            }
            drop((guard, place));
            answer
        };
        let running = self.tasks.track_future(running.instrument(span.clone()));
        let running = running.boxed();
        let Some(time) = self.timeout else {
            let running = ToItsEnd {
                future: Some(running),
                runtime: Handle::current(),
            };
            return running.await;
        };
        // In a task of its own: if another thread is free, the time ends too while the driver
        // blocks its own.
        match timeout(time, tokio::spawn(running)).await {
            // A runtime that stops drops its tasks.
            Ok(ended) => {
                ended.unwrap_or_else(|_| Err(Error::unavailable("the driver has stopped").into()))
            }
            Err(_) => {
                let error = Error::timed_out(format!("{name} goes on after {time:?}"));
                span.in_scope(|| warn!("{error}"));
                Err(error.into())
            }
        }
    }

    /// Waits until no call is under way.
    pub(crate) async fn drained(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Returns the number of calls that are under way.
    pub(crate) fn count(&self) -> usize {
        self.tasks.len()
    }
}

/// Runs a future in the task of its caller. If that drops it before its end, it goes on in a task
/// of its own. Most calls end before, and need neither a second task nor another thread to wake.
struct ToItsEnd<T: Send + 'static> {
    /// `None` when it has ended.
    future: Option<BoxFuture<'static, T>>,
    runtime: Handle,
}

impl<T: Send + 'static> Future for ToItsEnd<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let Some(future) = &mut self.future else {
            return Poll::Pending;
        };
        let output = ready!(future.as_mut().poll(context));
        self.future = None;
        Poll::Ready(output)
    }
}

impl<T: Send + 'static> Drop for ToItsEnd<T> {
    fn drop(&mut self) {
        if let Some(future) = self.future.take() {
            self.runtime.spawn(future);
        }
    }
}

/// The locks that are held.
#[derive(Debug, Default)]
struct Locks(Mutex<HashMap<String, Holders>>);

#[derive(Debug)]
enum Holders {
    One,
    Several(usize),
}

impl Locks {
    /// Locks all of them, or returns the one that is locked already.
    fn lock(self: &Arc<Self>, locks: Vec<Lock>) -> Result<Guard, String> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = |lock: &&Lock| match held.get(&lock.what) {
            None => true,
            Some(Holders::Several(_)) => lock.is_shared,
            Some(Holders::One) => false,
        };
        if let Some(busy) = locks.iter().find(|lock| !is_free(lock)) {
            return Err(busy.what.clone());
        }
        let mut guard = Guard {
            locks: self.clone(),
            held: Vec::new(),
        };
        for lock in locks {
            match held.entry(lock.what.clone()) {
                Entry::Vacant(free) => {
                    free.insert(match lock.is_shared {
                        true => Holders::Several(1),
                        false => Holders::One,
                    });
                }
                Entry::Occupied(mut taken) => {
                    if let Holders::Several(count) = taken.get_mut() {
                        *count += 1;
                    }
                }
            }
            guard.held.push(lock);
        }
        Ok(guard)
    }
}

/// Unlocks when it is dropped.
#[derive(Debug)]
struct Guard {
    locks: Arc<Locks>,
    held: Vec<Lock>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut held = self.locks.0.lock().unwrap_or_else(PoisonError::into_inner);
        for lock in &self.held {
            match held.get_mut(&lock.what) {
                Some(Holders::Several(count)) if *count > 1 => *count -= 1,
                _ => {
                    held.remove(&lock.what);
                }
            }
        }
    }
}

/// Returns the error of a call in which the driver panicked.
pub(crate) fn panicked(call: &str, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let error = Error::internal(format!("the driver panicked in {call}"));
    match text {
        Some(text) => error.with_source(text),
        None => error,
    }
}
