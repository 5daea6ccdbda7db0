//! The state that the threads of a walk share.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::dir::Dir;
use super::visit::{WalkError, Walked};

/// A task that any thread can do.
pub(super) enum Task<'a> {
    /// The directory of this name in another one.
    Directory(Arc<Dir<'a>>, Box<CStr>),
    /// Entries of a directory that aren't directories, each name with its NUL.
    Entries(Arc<Dir<'a>>, Vec<u8>),
}

/// The tasks for any thread, and the results of all.
pub(super) struct Shared<'a, F> {
    state: Mutex<State<'a, F>>,
    /// Notified when there is a task, or all are done.
    news: Condvar,
    /// The number of threads that wait.
    idle: AtomicUsize,
    /// The number of tasks, as in `state`, to look at without the lock.
    waiting: AtomicUsize,
    /// The number of threads that may be started.
    startable: AtomicUsize,
    stopped: AtomicBool,
}

struct State<'a, F> {
    tasks: Vec<Task<'a>>,
    /// The number of threads that don't wait. Only they can bring tasks.
    busy: usize,
    found: Vec<F>,
    error: Option<WalkError>,
}

/// Ends the walk if its thread panics.
pub(super) struct Ending<'s, 'a, F>(&'s Shared<'a, F>);

impl<F> Drop for Ending<'_, '_, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().busy -= 1;
            self.0.stopped.store(true, Ordering::Relaxed);
            self.0.news.notify_all();
        }
    }
}

impl<'a, F> Shared<'a, F> {
    /// Returns the state for at most so many threads. The first one is busy already.
    pub(super) fn new(threads: usize) -> Self {
        Self {
            state: Mutex::new(State {
                tasks: vec![],
                busy: 1,
                found: vec![],
                error: None,
            }),
            news: Condvar::new(),
            idle: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            startable: AtomicUsize::new(threads.saturating_sub(1)),
            stopped: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a, F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the walk with an error. The first one counts.
    pub(super) fn stop(&self, error: WalkError) {
        let mut state = self.lock();
        state.error.get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
        self.news.notify_all();
    }

    /// Returns a guard that ends the walk if a panic drops it, such as one of a subscriber of logs.
    /// Otherwise other threads would wait for this one.
    pub(super) fn ending(&self) -> Ending<'_, 'a, F> {
        Ending(self)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Returns the next task for a thread that has none of its own, when there is one, or nothing
    /// when all are done.
    pub(super) fn next(&self) -> Option<Task<'a>> {
        let mut state = self.lock();
        state.busy -= 1;
        loop {
            if self.is_stopped() {
                state.tasks.clear();
            }
            if let Some(task) = state.tasks.pop() {
                self.waiting.store(state.tasks.len(), Ordering::Relaxed);
                state.busy += 1;
                return Some(task);
            }
            if state.busy == 0 {
                self.news.notify_all();
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            state = self
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Returns true if another thread would start a new task at once.
    pub(super) fn has_room(&self) -> bool {
        let others = self.idle.load(Ordering::Relaxed) + self.startable.load(Ordering::Relaxed);
        self.waiting.load(Ordering::Relaxed) < others
    }

    /// Gives tasks to idle threads. Returns true if there is a thread for each task.
    pub(super) fn give(&self, tasks: Vec<Task<'a>>) -> bool {
        let mut state = self.lock();
        state.tasks.extend(tasks);
        let waiting = state.tasks.len();
        self.waiting.store(waiting, Ordering::Relaxed);
        drop(state);
        let idle = self.idle.load(Ordering::Relaxed);
        for _ in 0..waiting.min(idle) {
            self.news.notify_one();
        }
        waiting <= idle
    }

    /// Returns true if a thread may be started, and counts it as busy then.
    pub(super) fn may_start(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        let taken = self
            .startable
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if taken.is_ok() {
            self.lock().busy += 1;
        }
        taken.is_ok()
    }

    /// Undoes [`may_start`](Self::may_start) for good: the running threads do the work.
    pub(super) fn could_not_start(&self) {
        self.startable.store(0, Ordering::Relaxed);
        self.lock().busy -= 1;
    }

    /// Adds the results of a thread.
    pub(super) fn add(&self, found: F) {
        self.lock().found.push(found);
    }

    pub(super) fn into_walked(self) -> Walked<F> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        Walked {
            found: state.found,
            error: state.error,
        }
    }
}
