//! How far a long run is, on a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

/// How long a run may take before it shows how far it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many files have been read.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// Nothing has been read of so many files.
    pub(crate) fn of(files: usize) -> Self {
        let files = u64::try_from(files).unwrap_or(u64::MAX);
        Self {
            bar: ProgressBar::with_draw_target(Some(files), ProgressDrawTarget::hidden()),
            started: Instant::now(),
        }
    }

    /// One more file has been read.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            // Shows nothing unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
