//! Durations and numbers of a queue, for metrics.

use std::time::Duration;

/// Takes the durations that a queue measures, for histograms.
///
/// [`Queue::snapshot`](super::Queue::snapshot) has the numbers for counters and gauges, which
/// need not be reported as they change. Both methods do nothing by default. They are called
/// without a lock, by workers.
pub trait Observer: Send + Sync {
    /// A key was handed out after it had been due for `duration`: `queue_duration_seconds`. A
    /// delay is not part of that time; work on the key that had not ended is.
    fn waited(&self, duration: Duration) {
        let _ = duration;
    }

    /// Work on a key ended after `duration`: `work_duration_seconds`.
    fn worked(&self, duration: Duration) {
        let _ = duration;
    }
}

/// Observes nothing.
impl Observer for () {}

impl<O: Observer + ?Sized> Observer for std::sync::Arc<O> {
    fn waited(&self, duration: Duration) {
        O::waited(self, duration);
    }

    fn worked(&self, duration: Duration) {
        O::worked(self, duration);
    }
}

/// The numbers of a queue at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The keys that are due and not worked on: `depth`.
    pub depth: usize,
    /// The keys that are not due yet.
    pub delayed: usize,
    /// The keys that are worked on.
    pub working: usize,
    /// The number of times that a key became due: `adds_total`. An add of a key that was due
    /// already is not counted, and a delayed one only when its time comes.
    pub adds: u64,
    /// The number of rate limited adds: `retries_total`.
    pub retries: u64,
    /// The sum of the times for which the keys in work have been worked on:
    /// `unfinished_work_seconds`.
    pub unfinished_work: Duration,
    /// The longest of these times: `longest_running_processor_seconds`.
    pub longest_running: Duration,
}

/// The keys that a queue dropped when it was shut down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The keys that were due, with those that were worked on and had been added again.
    pub ready: usize,
    /// The keys that were not due yet.
    pub delayed: usize,
}
