//! The change of each file.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Statx, StatxFlags, chownat, fchmod, openat, statx,
};
use tracing::{debug, warn};

use crate::walk::chmod::{chmod_at, chmod_open};
use crate::walk::{Visit, path_of};

/// The permissions of a directory beside those of files: search, and setgid.
const DIRECTORY: u32 = SEARCH | SET_GID;
const SEARCH: u32 = 0o110;
const SET_GID: u32 = 0o2000;

/// The bits by which a program gets other rights than its caller's. A change of the group takes
/// them from a file, even when root makes it.
const SET_ID: u32 = 0o6000;

/// The number of files after which a thread adds them to the reported ones.
const REPORTED: u64 = 64;

/// The number of files that were looked at, changed and left alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The root was right, so nothing else was looked at.
    pub skipped: bool,
    /// The files and directories that were looked at, the root among them.
    pub files: u64,
    /// The files that were changed.
    pub changed: u64,
    /// The files that could not be changed. The first one is logged as a warning, the others
    /// for debugging.
    pub failed: u64,
}

impl Applied {
    /// Adds the numbers of another thread.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            skipped: false,
            files: self.files + other.files,
            changed: self.changed + other.changed,
            failed: self.failed + other.failed,
        }
    }
}

/// The change that all files of a volume get.
pub(super) struct Change {
    group: u32,
    permissions: u32,
    /// About how many files were looked at so far, for reports.
    pub(super) files: AtomicU64,
    /// Set by the first failure, which is logged as a warning. There may be millions.
    has_failed: AtomicBool,
}

impl Change {
    pub(super) fn new(group: u32, read_only: bool) -> Self {
        Self {
            group,
            permissions: if read_only { 0o440 } else { 0o660 },
            files: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Changes a directory that is open.
    fn directory(&self, dir: BorrowedFd<'_>, found: &mut Applied) -> io::Result<()> {
        self.directory_as(dir, |mode| mode | self.permissions | DIRECTORY, found)
    }

    /// Changes the root. Unless it `is_marked`, it is left without setgid, so that it doesn't say
    /// that all files have the group.
    pub(super) fn root(
        &self,
        root: BorrowedFd<'_>,
        is_marked: bool,
        found: &mut Applied,
    ) -> io::Result<()> {
        if is_marked {
            return self.directory(root, found);
        }
        let unmarked = |mode| (mode | self.permissions | SEARCH) & !SET_GID;
        self.directory_as(root, unmarked, found)
    }

    fn directory_as(
        &self,
        dir: BorrowedFd<'_>,
        wanted: impl FnOnce(u32) -> u32,
        found: &mut Applied,
    ) -> io::Result<()> {
        let stat = stat(dir, c"", AtFlags::EMPTY_PATH)?;
        self.looked(found);
        let mode = permissions(&stat);
        let wanted = wanted(mode);
        let mut done = Ok(());
        if stat.stx_gid == self.group {
            if mode == wanted {
                return Ok(());
            }
        } else {
            done = chownat(dir, c"", None, self.group(), AtFlags::EMPTY_PATH);
        }
        // Also if the group could not be changed, as in the kubelet.
        if mode != wanted {
            done = done.and(fchmod(dir, Mode::from_raw_mode(wanted)));
        }
        self.count(done.map_err(Into::into), found, || path_of(dir, None));
        Ok(())
    }

    /// Changes an entry that isn't a directory, and was like `stat` a moment ago.
    fn at(&self, dir: BorrowedFd<'_>, name: &CStr, stat: &Statx) -> io::Result<()> {
        let mode = permissions(stat);
        if mode & SET_ID != 0 && !is_link(stat) {
            return self.pinned(dir, name);
        }
        let mut done = Ok(());
        if stat.stx_gid != self.group {
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            done = chownat(dir, name, None, self.group(), flags).map_err(Into::into);
        }
        let wanted = mode | self.permissions;
        if mode != wanted && !is_link(stat) {
            done = done.and(chmod_at(dir, name, wanted));
        }
        done
    }

    /// Changes an entry that gives rights to its callers. The change of the group takes its bits
    /// from it, so they are set again, and must not be set on what somebody has put into its place.
    fn pinned(&self, dir: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(dir, name, flags, Mode::empty())?;
        let stat = stat(&file, c"", AtFlags::EMPTY_PATH)?;
        let mut done = Ok(());
        if stat.stx_gid != self.group {
            let flags = AtFlags::EMPTY_PATH;
            done = chownat(&file, c"", None, self.group(), flags).map_err(Into::into);
        }
        if is_link(&stat) {
            return done;
        }
        done.and(chmod_open(
            file.as_fd(),
            permissions(&stat) | self.permissions,
        ))
    }

    fn group(&self) -> Option<Gid> {
        Some(Gid::from_raw(self.group))
    }

    fn looked(&self, found: &mut Applied) {
        found.files += 1;
        if found.files.is_multiple_of(REPORTED) {
            self.files.fetch_add(REPORTED, Ordering::Relaxed);
        }
    }

    fn count(&self, done: io::Result<()>, found: &mut Applied, path: impl FnOnce() -> PathBuf) {
        let Err(error) = done else {
            found.changed += 1;
            return;
        };
        if error.kind() == io::ErrorKind::NotFound {
            return;
        }
        found.failed += 1;
        let path = path();
        if self.has_failed.swap(true, Ordering::Relaxed) {
            debug!(path = %path.display(), %error, "can't give a file to the group");
        } else {
            warn!(path = %path.display(), %error, "can't give a file to the group");
        }
    }
}

impl Visit for Change {
    type Found = Applied;

    const LEAVES: bool = true;

    fn enter(&self, _: BorrowedFd<'_>, _: &mut Applied) -> io::Result<bool> {
        Ok(true)
    }

    fn entry(&self, dir: BorrowedFd<'_>, name: &CStr, found: &mut Applied) -> io::Result<()> {
        let stat = stat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        self.looked(found);
        let mode = permissions(&stat);
        let is_permitted = mode | self.permissions == mode || is_link(&stat);
        if !(is_permitted && stat.stx_gid == self.group) {
            self.count(self.at(dir, name, &stat), found, || {
                path_of(dir, Some(name))
            });
        }
        Ok(())
    }

    fn leave(&self, dir: BorrowedFd<'_>, found: &mut Applied) -> io::Result<()> {
        self.directory(dir, found)
    }
}

pub(super) fn stat(dir: impl AsFd, name: &CStr, flags: AtFlags) -> rustix::io::Result<Statx> {
    let flags = flags | AtFlags::STATX_DONT_SYNC | AtFlags::NO_AUTOMOUNT;
    statx(
        dir,
        name,
        flags,
        StatxFlags::TYPE | StatxFlags::MODE | StatxFlags::GID,
    )
}

fn permissions(stat: &Statx) -> u32 {
    u32::from(stat.stx_mode) & 0o7777
}

fn is_link(stat: &Statx) -> bool {
    FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Symlink
}
