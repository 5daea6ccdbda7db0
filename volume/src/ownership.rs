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
//! No permission is ever taken away, and what is right already is not written. That a file can't be
//! changed, because another file system is mounted there that has no owners, ends nothing:
//! [`Applied::failed`] counts it. A directory that can't be read does.
//!
//! The root comes last. So a root that is right says that everything is, unless it was changed
//! since, and [`FsGroupChangePolicy::OnRootMismatch`] relies on that.
//!
//! Files are found by directory descriptors, never by their path, so that whoever can write to the
//! volume can't make this change a file outside of it (CVE-2017-1002101, and what is left of it in
//! the kubelet's `chmod`).

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Statx, StatxFlags, chownat, fchmod, openat,
    statx,
};
use tracing::{debug, warn};

use crate::interfaces::{Event, EventRecorder, EventType, Mounter};
use crate::walk::chmod::{chmod_at, chmod_open};
use crate::walk::{Visit, open_root, path_of, walk};
use crate::{Error, Result};

/// When the files of a volume get the group of `fsGroup` (`PodFSGroupChangePolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FsGroupChangePolicy {
    /// Whenever it is mounted.
    #[default]
    Always,
    /// Only if its root hasn't got the group and permissions.
    OnRootMismatch,
}

/// What was done to a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The root was right, so nothing else was looked at.
    pub skipped: bool,
    /// The files and directories that were looked at, the root among them.
    pub files: u64,
    /// Those of them that were changed.
    pub changed: u64,
    /// Those of them that could not be changed. The first one is logged.
    pub failed: u64,
}

/// Reports how many files were looked at so far.
type Report = Box<dyn FnMut(u64) + Send>;

/// Gives all files of a volume to a group.
///
/// ```
/// use volume::ownership::{FsGroupChangePolicy, Ownership};
///
/// # fn main() -> volume::Result<()> {
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

    /// Sets whether the group only reads.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets what is told the number of files after 30 s, and then every 60 s, as the kubelet does.
    #[must_use]
    pub fn report(self, report: impl FnMut(u64) + Send + 'static) -> Self {
        self.report_every(Duration::from_secs(30), Duration::from_secs(60), report)
    }

    /// As [`report`](Self::report), with other intervals.
    #[must_use]
    pub fn report_every(
        mut self,
        first: Duration,
        next: Duration,
        report: impl FnMut(u64) + Send + 'static,
    ) -> Self {
        (self.first, self.next) = (first, next);
        self.report = Some(Box::new(report));
        self
    }

    /// Records an event of the Pod after 30 s, and then every 60 s.
    #[must_use]
    pub fn events(
        self,
        pod: ObjectReference,
        volume: &str,
        recorder: Arc<dyn EventRecorder>,
    ) -> Self {
        let volume = volume.to_owned();
        self.report(move |files| recorder.record(in_progress(&pod, &volume, files)))
    }

    /// Changes the files below a directory, and then the directory. Can be repeated.
    ///
    /// # Errors
    ///
    /// When a directory can't be read. The root has not got the group then, so that another
    /// attempt begins anew.
    pub fn apply(mut self, dir: &Path) -> Result<Applied> {
        let root = open_root(dir).map_err(Error::io("open", dir))?;
        let root_stat =
            stat(&root, c"", AtFlags::EMPTY_PATH).map_err(Error::io("look at", dir))?;
        if self.policy == FsGroupChangePolicy::OnRootMismatch
            && self.is_right(&root_stat)
        {
            debug!(path = %dir.display(), "the volume has the group already");
            return Ok(Applied {
                skipped: true,
                ..Applied::default()
            });
        }
        let change = Change::new(self.group, self.read_only);
        let report = self.report.take();
        let walked = thread::scope(|scope| {
            let (_stop, stopped) = mpsc::channel::<()>();
            if let Some(report) = report {
                let (change, first, next) = (&change, self.first, self.next);
                scope.spawn(move || tell(&stopped, first, next, &change.files, report));
            }
            // `_stop` is dropped here, which ends the other thread.
            walk(&root, &change)
        });
        if let Some(error) = walked.error {
            return Err(Error::io("read", error.path)(error.source));
        }
        let mut applied = walked.found.into_iter().fold(Applied::default(), sum);
        change.open(root.as_fd(), &root_stat, &mut applied);
        applied.files = change.files.load(Ordering::Relaxed) + 1;
        Ok(applied)
    }

    /// Whether the root has all that this gives it.
    fn is_right(&self, root: &Statx) -> bool {
        let mode = u32::from(root.stx_mode);
        let wanted = if self.read_only { 0o2550 } else { 0o2770 };
        root.stx_gid == self.group && mode & wanted == wanted
    }
}

/// Gives the files of a volume that was set up to a group, as its Pod says (`SetVolumeOwnership`).
/// Without a group nothing is done.
///
/// # Errors
///
/// As [`Ownership::apply`].
pub fn set_volume_ownership(
    mounter: &dyn Mounter,
    dir: &Path,
    fs_group: Option<u32>,
    policy: Option<FsGroupChangePolicy>,
) -> Result<Applied> {
    let Some(group) = fs_group else {
        return Ok(Applied::default());
    };
    let read_only = mounter.attributes().read_only;
    Ownership::new(group)
        .policy(policy.unwrap_or_default())
        .read_only(read_only)
        .apply(dir)
}

fn in_progress(pod: &ObjectReference, volume: &str, files: u64) -> Event {
    Event {
        object: pod.clone(),
        event_type: EventType::Warning,
        reason: "VolumePermissionChangeInProgress".to_owned(),
        message: format!(
            "the files of volume {volume:?} are being given to the group, {files} so far; \
             fsGroupChangePolicy OnRootMismatch avoids that if they have it already"
        ),
    }
}

/// Reports until the other end of the channel is dropped.
fn tell(
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

fn sum(one: Applied, other: Applied) -> Applied {
    Applied {
        changed: one.changed + other.changed,
        failed: one.failed + other.failed,
        ..one
    }
}

fn stat(dir: impl AsFd, name: &CStr, flags: AtFlags) -> rustix::io::Result<Statx> {
    let flags = flags | AtFlags::STATX_DONT_SYNC | AtFlags::NO_AUTOMOUNT;
    statx(dir, name, flags, StatxFlags::TYPE | StatxFlags::MODE | StatxFlags::GID)
}

/// The change of each file.
struct Change {
    group: u32,
    permissions: u32,
    files: AtomicU64,
    /// The first failure, to be logged once.
    failure: Mutex<bool>,
}

/// The bits by which a program gets other rights than its caller's. A change of the group takes
/// them from a file, even when root makes it.
const SET_ID: u32 = 0o6000;

impl Change {
    fn new(group: u32, read_only: bool) -> Self {
        Self {
            group,
            permissions: if read_only { 0o440 } else { 0o660 },
            files: AtomicU64::new(0),
            failure: Mutex::new(false),
        }
    }

    fn group(&self) -> Option<Gid> {
        Some(Gid::from_raw(self.group))
    }

    /// Changes a directory that is open.
    fn open(&self, dir: BorrowedFd<'_>, stat: &Statx, found: &mut Applied) {
        let mode = u32::from(stat.stx_mode) & 0o7777;
        let wanted = mode | self.permissions | 0o2110;
        let chown = stat.stx_gid != self.group;
        if !chown && mode == wanted {
            return;
        }
        let mut done = Ok(());
        if chown {
            done = chownat(dir, c"", None, self.group(), AtFlags::EMPTY_PATH);
        }
        // Also where the group could not be changed, as the kubelet does.
        if mode != wanted {
            done = done.and(fchmod(dir, Mode::from_raw_mode(wanted)));
        }
        self.count(done.map_err(Into::into), found, || path_of(dir, None));
    }

    /// Changes an entry of which `stat` was true a moment ago.
    fn at(&self, dir: BorrowedFd<'_>, name: &CStr, stat: &Statx) -> io::Result<()> {
        let mode = u32::from(stat.stx_mode) & 0o7777;
        let chown = stat.stx_gid != self.group;
        if mode & SET_ID != 0 {
            return self.pinned(dir, name);
        }
        let mut done = Ok(());
        if chown {
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            done = chownat(dir, name, None, self.group(), flags).map_err(Into::into);
        }
        let wanted = mode | self.permissions;
        if mode != wanted && !is_link(stat) {
            done = done.and(chmod_at(dir, name, wanted));
        }
        done
    }

    /// Changes an entry that gives rights to its callers: what is looked at is what is changed, even
    /// if somebody puts another file into its place, which must not get its bits.
    fn pinned(&self, dir: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(dir, name, flags, Mode::empty())?;
        let stat = stat(&file, c"", AtFlags::EMPTY_PATH)?;
        let mode = u32::from(stat.stx_mode) & 0o7777;
        let mut done = Ok(());
        if stat.stx_gid != self.group {
            let flags = AtFlags::EMPTY_PATH;
            done = chownat(&file, c"", None, self.group(), flags).map_err(Into::into);
        }
        if is_link(&stat) {
            return done;
        }
        done.and(chmod_open(file.as_fd(), mode | self.permissions))
    }

    fn count(
        &self,
        done: io::Result<()>,
        found: &mut Applied,
        path: impl FnOnce() -> std::path::PathBuf,
    ) {
        let Err(error) = done else {
            found.changed += 1;
            return;
        };
        if error.kind() == io::ErrorKind::NotFound {
            return;
        }
        found.failed += 1;
        let mut logged = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if !*logged {
            *logged = true;
            warn!(path = %path().display(), %error, "can't give a file to the group");
        }
    }
}

fn is_link(stat: &Statx) -> bool {
    FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Symlink
}

impl Visit for Change {
    type Found = Applied;

    fn directory(&self, dir: BorrowedFd<'_>, found: &mut Applied) -> io::Result<bool> {
        self.files.fetch_add(1, Ordering::Relaxed);
        let stat = stat(dir, c"", AtFlags::EMPTY_PATH)?;
        self.open(dir, &stat, found);
        Ok(true)
    }

    fn entry(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        found: &mut Applied,
    ) -> io::Result<()> {
        self.files.fetch_add(1, Ordering::Relaxed);
        let stat = stat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let mode = u32::from(stat.stx_mode) & 0o7777;
        let permitted = mode | self.permissions == mode || is_link(&stat);
        if permitted && stat.stx_gid == self.group {
            return Ok(());
        }
        self.count(self.at(dir, name, &stat), found, || path_of(dir, Some(name)));
        Ok(())
    }
}
