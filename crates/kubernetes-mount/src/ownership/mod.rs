//! `fsGroup`: a group that owns all files of a volume.
//!
//! [`Ownership`] gives all files of a volume to a group and lets it read and write them:
//!
//! | what | gets |
//! |---|---|
//! | every file | the group |
//! | files | read and write for the group (`0660`), of a read-only volume read (`0440`) |
//! | directories | also search (`0110`), and setgid, so that new files get the group |
//! | symbolic links | the group only, not what they lead to |
//!
//! No permission is ever taken away, and what is right already is not written. A file that can't be
//! changed, because a file system without owners is mounted there, doesn't end the change:
//! [`Applied::failed`] counts it. A directory that can't be read ends it.
//!
//! A directory comes after all that is in it, and the root last. So a root that is right says that
//! everything is, unless it was changed since, and [`FsGroupChangePolicy::OnRootMismatch`] relies
//! on that: if a file couldn't be changed, it leaves the root without setgid, so that the next
//! attempt looks at all files again.
//!
//! Files are found by directory descriptors, never by their path, so that whoever can write to the
//! volume can't make this change a file outside of it (CVE-2017-1002101, and what is left of it in
//! the kubelet's `chmod`).

mod change;

use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, Statx};
use tracing::{debug, warn};

pub use self::change::Applied;
use self::change::{Change, stat};
use crate::walk::{open_root, walk};
use crate::{Error, Result};

/// The condition for changing the group of files (`PodFSGroupChangePolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FsGroupChangePolicy {
    /// Changes files whenever the volume is mounted.
    #[default]
    Always,
    /// Changes files only if the root of the volume hasn't got the group and permissions.
    OnRootMismatch,
}

/// Reports how many files were looked at so far.
type Report = Box<dyn FnMut(u64) + Send>;

/// Gives all files of a volume to a group.
///
/// ```
/// use kubernetes_mount::ownership::{FsGroupChangePolicy, Ownership};
///
/// # fn main() -> kubernetes_mount::Result<()> {
/// # let dir = tempfile::tempdir().unwrap();
/// # let group = rustix::process::getgid().as_raw();
/// let done = Ownership::new(group)
///     .policy(FsGroupChangePolicy::OnRootMismatch)
///     .apply(dir.path())?;
/// println!("{} of {} files changed", done.changed, done.files);
/// # Ok(())
/// # }
/// ```
pub struct Ownership {
    group: u32,
    policy: FsGroupChangePolicy,
    read_only: bool,
    first: Duration,
    next: Duration,
    report: Option<Report>,
}

impl std::fmt::Debug for Ownership {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            group,
            policy,
            read_only,
            ..
        } = self;
        let mut debug = f.debug_struct("Ownership");
        debug
            .field("group", group)
            .field("policy", policy)
            .field("read_only", read_only);
        debug.finish_non_exhaustive()
    }
}

impl Ownership {
    /// Returns the ownership by a group, for a volume that is written to, whatever its root is.
    #[must_use]
    pub fn new(group: u32) -> Self {
        Self {
            group,
            policy: FsGroupChangePolicy::Always,
            read_only: false,
            first: Duration::from_secs(30),
            next: Duration::from_secs(60),
            report: None,
        }
    }

    /// Sets when files are changed.
    #[must_use]
    pub fn policy(mut self, policy: FsGroupChangePolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets if the group only reads.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets a function that is called with the number of files so far, after 30 s and then every 60
    /// s as in the kubelet. Without it, the number is logged as a warning.
    #[must_use]
    pub fn report(mut self, report: impl FnMut(u64) + Send + 'static) -> Self {
        self.report = Some(Box::new(report));
        self
    }

    /// Sets when the first report comes, and how long after one the next. The least is 1 ms.
    #[must_use]
    pub fn intervals(mut self, first: Duration, next: Duration) -> Self {
        let least = Duration::from_millis(1);
        (self.first, self.next) = (first.max(least), next.max(least));
        self
    }

    /// Changes the files below a directory, and then the directory. Can be repeated.
    ///
    /// # Errors
    ///
    /// When a directory can't be read. The root has not got the group then, so that another
    /// attempt begins anew. Also when the group is 4294967295, which no file can have.
    pub fn apply(mut self, dir: &Path) -> Result<Applied> {
        if self.group == u32::MAX {
            // For the kernel, it means to change nothing.
            let text = format!("{} is no group of files; use a smaller number", self.group);
            return Err(Error::invalid(text));
        }
        let root = open_root(dir).map_err(Error::io("open", dir))?;
        let root_stat = stat(&root, c"", AtFlags::EMPTY_PATH).map_err(Error::io("look at", dir))?;
        if self.policy == FsGroupChangePolicy::OnRootMismatch && self.is_right(&root_stat) {
            debug!(path = %dir.display(), "the volume has the group already");
            return Ok(Applied {
                skipped: true,
                ..Applied::default()
            });
        }
        let change = Change::new(self.group, self.read_only);
        let walked = thread::scope(|scope| {
            let (_stop, stopped) = mpsc::channel::<()>();
            let report = self.report.take().unwrap_or_else(|| logged(dir));
            let (files, first, next) = (&change.files, self.first, self.next);
            let reporter = move || report_progress(&stopped, first, next, files, report);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, reporter) {
                warn!(%error, "progress is not reported");
            }
            // `_stop` is dropped here, which ends the other thread.
            walk(&root, &change)
        });
        if let Some(error) = walked.error {
            return Err(Error::io("read", error.path)(error.source));
        }
        let mut applied = walked
            .found
            .into_iter()
            .fold(Applied::default(), Applied::plus);
        let is_marked = self.policy == FsGroupChangePolicy::Always || applied.failed == 0;
        let done = change.root(root.as_fd(), is_marked, &mut applied);
        done.map_err(Error::io("look at", dir))?;
        Ok(applied)
    }

    /// Returns true if the root has the group and the permissions.
    fn is_right(&self, root: &Statx) -> bool {
        let mode = u32::from(root.stx_mode);
        let wanted = if self.read_only { 0o2550 } else { 0o2770 };
        root.stx_gid == self.group && mode & wanted == wanted
    }
}

/// Returns a report that logs progress, the default.
fn logged(dir: &Path) -> Report {
    let path = dir.to_owned();
    Box::new(move |files| {
        warn!(
            path = %path.display(), files,
            "the files of the volume are still being given to the group"
        );
    })
}

/// Reports until the other end of the channel is dropped.
fn report_progress(
    stopped: &mpsc::Receiver<()>,
    first: Duration,
    next: Duration,
    files: &AtomicU64,
    mut report: Report,
) {
    let mut pause = first;
    while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        report(files.load(Ordering::Relaxed));
        pause = next;
    }
}
