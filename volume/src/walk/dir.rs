//! A directory whose entries wait to be visited.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Mode, openat};
use rustix::process::{Resource, getrlimit};

use super::DIRECTORY;

/// How many levels apart directories stay open in any case. So a tree may have this many times
/// as many levels as there are file descriptors.
const ANCHOR: usize = 64;

/// How many directories one walk keeps open at most, apart from those [`ANCHOR`] levels apart.
const MOST_OPEN: usize = 512;

/// The number of directories that are open, and how many may be.
pub(super) struct Budget {
    open: AtomicUsize,
    most: usize,
}

impl Budget {
    /// Leaves most of the descriptors that the process may have to the rest of the program.
    pub(super) fn new() -> Self {
        let limit = getrlimit(Resource::Nofile).current;
        let limit =
            limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        Self {
            open: AtomicUsize::new(0),
            most: (limit / 4).min(MOST_OPEN),
        }
    }
}

/// A directory of the tree, open or to be opened again.
pub(super) struct Dir<'a> {
    place: Place<'a>,
    level: usize,
    budget: &'a Budget,
}

enum Place<'a> {
    Root(BorrowedFd<'a>),
    Open(OwnedFd),
    /// Closed, to save a descriptor. Only taken out while it is dropped.
    Below(Option<Arc<Dir<'a>>>, CString),
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
            place: Place::Root(fd),
            level: 0,
            budget,
        })
    }

    /// Returns the directory that was opened by its name in this one. It stays open if there are
    /// descriptors enough; otherwise the descriptor is returned too.
    pub(super) fn child(
        self: &Arc<Self>,
        fd: OwnedFd,
        name: &CStr,
    ) -> (Arc<Self>, Option<OwnedFd>) {
        let level = self.level + 1;
        let few = self.budget.open.load(Ordering::Relaxed) < self.budget.most;
        let (place, rest) = if few || level.is_multiple_of(ANCHOR) {
            self.budget.open.fetch_add(1, Ordering::Relaxed);
            (Place::Open(fd), None)
        } else {
            (Place::Below(Some(Arc::clone(self)), name.to_owned()), Some(fd))
        };
        (
            Arc::new(Self {
                place,
                level,
                budget: self.budget,
            }),
            rest,
        )
    }

    /// Returns the open directory, opened again from the nearest one above that is open.
    pub(super) fn open(&self) -> io::Result<Opened<'_>> {
        let mut names = Vec::new();
        let mut dir = self;
        let fd = loop {
            match &dir.place {
                Place::Root(fd) => break fd.as_fd(),
                Place::Open(fd) => break fd.as_fd(),
                Place::Below(Some(parent), name) => {
                    names.push(name.as_c_str());
                    dir = parent;
                }
                Place::Below(None, _) => return Err(io::ErrorKind::NotFound.into()),
            }
        };
        let mut opened = Opened::Borrowed(fd);
        for name in names.into_iter().rev() {
            opened = Opened::Again(open_child(&opened, name)?);
        }
        Ok(opened)
    }
}

/// Opens a directory by its name in another one.
pub(super) fn open_child(dir: impl AsFd, name: &CStr) -> io::Result<OwnedFd> {
    Ok(openat(dir, name, DIRECTORY, Mode::empty())?)
}

impl Drop for Dir<'_> {
    /// Drops those above one after the other: they may be thousands.
    fn drop(&mut self) {
        let mut parent = match &mut self.place {
            Place::Root(_) => None,
            Place::Open(_) => {
                self.budget.open.fetch_sub(1, Ordering::Relaxed);
                None
            }
            Place::Below(parent, _) => parent.take(),
        };
        while let Some(mut dir) = parent.and_then(Arc::into_inner) {
            parent = match &mut dir.place {
                Place::Below(parent, _) => parent.take(),
                _ => None,
            };
        }
    }
}
