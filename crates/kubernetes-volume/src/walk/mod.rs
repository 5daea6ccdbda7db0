//! Walks over the files below a directory, by file descriptors and in several threads.
//!
//! A path can lead elsewhere at any moment, because whoever can write to a volume can replace a
//! directory by a symbolic link. So nothing here is found by a path: each directory is opened
//! by its name in its parent, which is open already, and never if it is a link.

pub(crate) mod chmod;
mod dir;
pub(crate) mod remove;
mod shared;
mod work;

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// What is done with each file.
pub(crate) trait Visit: Sync {
    /// What a thread collects. No two threads share one, so it needs no lock.
    type Found: Default + Send;

    /// Whether [`leave`](Self::leave) does something.
    const LEAVES: bool = false;

    /// Handles a directory that was just opened, before what is in it. Returns whether to go into it.
    fn enter(&self, dir: BorrowedFd<'_>, found: &mut Self::Found) -> io::Result<bool>;

    /// Handles a directory after all that is in it, on whatever thread was there last.
    fn leave(&self, dir: BorrowedFd<'_>, found: &mut Self::Found) -> io::Result<()> {
        let _ = (dir, found);
        Ok(())
    }

    /// Handles what is no directory. An entry that is gone is no error.
    fn entry(&self, dir: BorrowedFd<'_>, name: &CStr, found: &mut Self::Found) -> io::Result<()>;
}

/// What the threads have found, and the error that ended the walk early.
pub(crate) struct Walked<F> {
    pub(crate) found: Vec<F>,
    pub(crate) error: Option<WalkError>,
}

/// Where a walk ended, and why.
#[derive(Debug)]
pub(crate) struct WalkError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Opens the directory at which a walk begins, following links in the path: it is that of the
/// caller, not of who writes to the volume.
pub(crate) fn open_root(path: &Path) -> io::Result<std::os::fd::OwnedFd> {
    let following = DIRECTORY.difference(OFlags::NOFOLLOW);
    Ok(openat(CWD, path, following, Mode::empty())?)
}

/// Visits everything below a directory, but not the directory itself.
///
/// A directory is entered before what is in it is visited, and left after; otherwise there is no
/// order. Other file systems that are mounted inside belong to it. Entries that vanish meanwhile, or
/// turn into something else, are skipped. The first error ends the walk.
///
/// However many files there are, only those that threads work on are kept in memory, and however
/// deep directories are nested, neither the stack nor the number of open ones grows with them.
pub(crate) fn walk<V: Visit>(root: impl AsFd, visit: &V) -> Walked<V::Found> {
    work::run(root.as_fd(), visit)
}

/// Returns the path of an entry, for messages only.
pub(crate) fn path_of(dir: BorrowedFd<'_>, name: Option<&CStr>) -> PathBuf {
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    let link = format!("/proc/self/fd/{}", dir.as_raw_fd());
    let mut path = std::fs::read_link(link).unwrap_or_default();
    if let Some(name) = name {
        path.push(std::ffi::OsStr::from_bytes(name.to_bytes()));
    }
    path
}
