//! A directory with files that are still to be visited.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Mode, openat};
use rustix::process::{Resource, getrlimit};

use super::visit::{DIRECTORY, path_of};

/// The distance in levels of directories that stay open when descriptors get scarce. A directory
/// that was closed is opened again from the nearest open one above, so this limits what that costs.
const ANCHOR: usize = 64;

/// The most directories that one walk keeps open, apart from those [`ANCHOR`] levels apart.
const MOST_OPEN: usize = 256;

/// The number of directories that are kept open, and how many may be.
///
/// A third of the descriptors that the process may have is left to the rest of the program. With
/// the usual limit of 1024, directories of the first 24,000 levels are opened again from at most 64
/// levels above; beyond that it takes longer.
pub(super) struct Budget {
    open: AtomicUsize,
    most: usize,
    most_anchors: usize,
    most_threads: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        let limit = getrlimit(Resource::Nofile).current;
        let limit = limit
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(usize::MAX);
        let most = (limit / 8).min(MOST_OPEN);
        Self {
            open: AtomicUsize::new(0),
            most,
            most_anchors: (limit / 2).min(16 * MOST_OPEN),
            most_threads: (limit / 32).max(1),
        }
    }

    /// Returns the most threads: each needs up to five descriptors for a moment.
    pub(super) fn most_threads(&self) -> usize {
        self.most_threads
    }

    /// Returns true if a directory of this level may stay open, and counts it then.
    fn take(&self, level: usize) -> bool {
        let most = if level.is_multiple_of(ANCHOR) {
            self.most_anchors
        } else {
            self.most
        };
        let more = |open: usize| (open < most).then_some(open + 1);
        self.open
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
    }

    /// Returns true if a thread may keep more directories open.
    fn is_ample(&self) -> bool {
        self.open.load(Ordering::Relaxed) < self.most
    }
}

/// A directory of the tree, open or to be opened again. It exists until all below it was visited.
pub(super) struct Dir<'a> {
    /// `None` for the root. Only taken out at the end.
    parent: Option<Arc<Dir<'a>>>,
    name: Box<CStr>,
    fd: Fd<'a>,
    level: usize,
    budget: &'a Budget,
}

enum Fd<'a> {
    Root(BorrowedFd<'a>),
    Open(OwnedFd),
    Closed,
}

/// A directory that is open for as long as this exists.
pub(super) enum Opened<'d> {
    Borrowed(BorrowedFd<'d>),
    Again(OwnedFd),
}

impl AsFd for Opened<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Borrowed(fd) => fd.as_fd(),
            Self::Again(fd) => fd.as_fd(),
        }
    }
}

impl<'a> Dir<'a> {
    pub(super) fn root(fd: BorrowedFd<'a>, budget: &'a Budget) -> Arc<Self> {
        Arc::new(Self {
            parent: None,
            name: Box::default(),
            fd: Fd::Root(fd),
            level: 0,
            budget,
        })
    }

    /// Returns the directory that was opened by its name in this one. If there are too few
    /// descriptors for it to stay open, the descriptor is returned too.
    pub(super) fn child(
        self: &Arc<Self>,
        fd: OwnedFd,
        name: &CStr,
    ) -> (Arc<Self>, Option<OwnedFd>) {
        let level = self.level + 1;
        let (fd, rest) = if self.budget.take(level) {
            (Fd::Open(fd), None)
        } else {
            (Fd::Closed, Some(fd))
        };
        let child = Self {
            parent: Some(Arc::clone(self)),
            name: name.into(),
            fd,
            level,
            budget: self.budget,
        };
        (Arc::new(child), rest)
    }

    pub(super) fn is_root(&self) -> bool {
        matches!(self.fd, Fd::Root(_))
    }

    /// Returns true if directories in this one may be read while this one is read.
    pub(super) fn may_nest(&self) -> bool {
        self.budget.is_ample()
    }

    /// Returns the nearest directory that is open, this one or one above, and the names that lead
    /// from there to this one, the last one first.
    fn nearest(&self) -> Option<(BorrowedFd<'_>, Vec<&CStr>)> {
        let mut names = Vec::new();
        let mut dir = self;
        loop {
            match &dir.fd {
                Fd::Root(fd) => return Some((fd.as_fd(), names)),
                Fd::Open(fd) => return Some((fd.as_fd(), names)),
                Fd::Closed => names.push(&*dir.name),
            }
            dir = dir.parent.as_deref()?;
        }
    }

    /// Returns the open directory. It is an error if something else has taken its place.
    pub(super) fn open(&self) -> io::Result<Opened<'_>> {
        let (fd, names) = self.nearest().ok_or(io::ErrorKind::NotFound)?;
        let mut opened = Opened::Borrowed(fd);
        for name in names.into_iter().rev() {
            opened = Opened::Again(open_child(&opened, name)?);
        }
        Ok(opened)
    }

    /// Returns the path of what has this name in the directory, for messages only.
    pub(super) fn path(&self, name: Option<&CStr>) -> PathBuf {
        let Some((fd, names)) = self.nearest() else {
            return PathBuf::new();
        };
        let mut path = path_of(fd, None);
        for name in names.into_iter().rev().chain(name) {
            path.push(OsStr::from_bytes(name.to_bytes()));
        }
        path
    }

    /// Returns the directory above, which ends this one.
    pub(super) fn into_parent(mut self) -> Option<Arc<Self>> {
        self.parent.take()
    }
}

/// Opens a directory by its name in another one.
pub(super) fn open_child(dir: impl AsFd, name: &CStr) -> io::Result<OwnedFd> {
    Ok(openat(dir, name, DIRECTORY, Mode::empty())?)
}

impl Drop for Dir<'_> {
    /// Drops those above one after the other: they may be thousands.
    fn drop(&mut self) {
        if matches!(self.fd, Fd::Open(_)) {
            self.budget.open.fetch_sub(1, Ordering::Relaxed);
        }
        let mut parent = self.parent.take();
        while let Some(mut dir) = parent.and_then(Arc::into_inner) {
            parent = dir.parent.take();
        }
    }
}
