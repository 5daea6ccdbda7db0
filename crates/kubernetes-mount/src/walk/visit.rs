//! Visitors of a walk, and the opening of directories.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// The handling of each file.
pub(crate) trait Visit: Sync {
    /// The results that a thread collects. No two threads share one, so it needs no lock.
    type Found: Default + Send;

    /// Set if [`leave`](Self::leave) does something.
    const LEAVES: bool = false;

    /// Handles a directory that was just opened, before what is in it. Returns whether to go into
    /// it.
    fn enter(&self, dir: BorrowedFd<'_>, found: &mut Self::Found) -> io::Result<bool>;

    /// Handles a directory after all that is in it, on whatever thread was there last.
    fn leave(&self, dir: BorrowedFd<'_>, found: &mut Self::Found) -> io::Result<()> {
        let _ = (dir, found);
        Ok(())
    }

    /// Handles a file that isn't a directory. An entry that is gone isn't an error.
    fn entry(&self, dir: BorrowedFd<'_>, name: &CStr, found: &mut Self::Found) -> io::Result<()>;
}

/// The results of the threads, and the error that ended the walk early.
pub(crate) struct Walked<F> {
    pub(crate) found: Vec<F>,
    pub(crate) error: Option<WalkError>,
}

/// The path at which a walk ended, and the error.
#[derive(Debug)]
pub(crate) struct WalkError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

/// The flags with which a directory is opened.
pub(super) const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Opens the directory at which a walk begins, following links in the path: it is that of the
/// caller, not of whoever writes to the volume.
pub(crate) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    let following = DIRECTORY.difference(OFlags::NOFOLLOW);
    Ok(openat(CWD, path, following, Mode::empty())?)
}

/// Returns the path of an entry, for messages only.
pub(crate) fn path_of(dir: BorrowedFd<'_>, name: Option<&CStr>) -> PathBuf {
    let link = format!("/proc/self/fd/{}", dir.as_raw_fd());
    let mut path = std::fs::read_link(link).unwrap_or_default();
    if let Some(name) = name {
        path.push(OsStr::from_bytes(name.to_bytes()));
    }
    path
}
