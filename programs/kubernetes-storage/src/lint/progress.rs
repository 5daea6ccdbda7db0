//! The progress bar of long runs.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

/// The time after which a run shows a progress bar.
const DELAY: Duration = Duration::from_secs(1);

/// A progress bar that counts files.
pub(super) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// Starts at 0 of `files`.
    pub(super) fn new(files: usize) -> Self {
        let files = u64::try_from(files).unwrap_or(u64::MAX);
        Self {
            bar: ProgressBar::with_draw_target(Some(files), ProgressDrawTarget::hidden()),
            started: Instant::now(),
        }
    }

    /// Counts one more file.
    pub(super) fn advance(&self) {
        self.bar.inc(1);
        if self.bar.is_hidden() && self.started.elapsed() > DELAY {
            // Draws nothing unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
