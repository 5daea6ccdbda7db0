//! Removes what is below a directory, and nothing else.
//!
//! The containers of a Pod could write into it: its names, links and depth are theirs. So each
//! directory is opened by its name in the one above, without following links and without entering
//! another mount, and files are removed by their names in an open directory.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags, openat, openat2,
    renameat_with, unlinkat,
};
use rustix::io::Errno;

use crate::{Error, Result};

/// How deep directories are entered before they are moved up. Each level costs a file descriptor,
/// of which a program may have only 1024.
const DEPTH: usize = 32;

/// Removes a file, a link, or a directory with all that is in it. Can be repeated.
///
/// # Errors
///
/// When something is mounted inside, or can't be removed.
pub(crate) fn remove_tree(path: &Path) -> Result<()> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::invalid(format!(
            "{} can't be removed",
            path.display()
        )));
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above_fd = match openat(CWD, above, flags, Mode::empty()) {
        Ok(above) => above,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(Error::io("open", above)(error)),
    };
    remove_at(above_fd.as_fd(), name, path)
}

/// Removes a name in an open directory, with all that is below it. The path is for messages.
pub(crate) fn remove_at(above: BorrowedFd<'_>, name: &OsStr, path: &Path) -> Result<()> {
    let name = CString::new(name.as_bytes())
        .map_err(|_| Error::invalid(format!("{} has a null byte", path.display())))?;
    match open_dir(above, &name) {
        Ok(dir) => {
            let mut removal = Removal {
                top: None,
                moved: 0,
            };
            removal.empty(&dir, path, DEPTH)?;
            unlink(above, &name, AtFlags::REMOVEDIR, path)
        }
        Err(Errno::NOTDIR | Errno::LOOP) => unlink(above, &name, AtFlags::empty(), path),
        Err(error) => opened(error, path).map(|_: Option<OwnedFd>| ()),
    }
}

/// One removal of a tree.
struct Removal {
    /// The directory that deep directories are moved to: the topmost one.
    top: Option<OwnedFd>,
    /// How many were moved, for their names.
    moved: u64,
}

impl Removal {
    /// Empties an open directory, which is `depth` levels above where directories are moved up.
    fn empty(&mut self, dir: &OwnedFd, path: &Path, depth: usize) -> Result<()> {
        if self.top.is_none() {
            let top = dir.try_clone().map_err(Error::io("open", path))?;
            self.top = Some(top);
        }
        // What was moved to the top meanwhile appears in the next round.
        loop {
            let names = read(dir, path)?;
            if names.is_empty() {
                return Ok(());
            }
            for (name, may_be_dir) in names {
                let path = path.join(OsStr::from_bytes(name.to_bytes()));
                self.remove(dir.as_fd(), &name, may_be_dir, &path, depth)?;
            }
        }
    }

    fn remove(
        &mut self,
        above: BorrowedFd<'_>,
        name: &CStr,
        may_be_dir: bool,
        path: &Path,
        depth: usize,
    ) -> Result<()> {
        if !may_be_dir {
            return unlink(above, name, AtFlags::empty(), path);
        }
        let dir = match open_dir(above, name) {
            Ok(dir) => dir,
            Err(Errno::NOTDIR | Errno::LOOP) => {
                return unlink(above, name, AtFlags::empty(), path);
            }
            Err(error) => match opened(error, path)? {
                Some(dir) => dir,
                None => return Ok(()),
            },
        };
        if depth == 0 {
            return self.move_up(above, name, path);
        }
        self.empty(&dir, path, depth - 1)?;
        drop(dir);
        unlink(above, name, AtFlags::REMOVEDIR, path)
    }

    fn move_up(&mut self, above: BorrowedFd<'_>, name: &CStr, path: &Path) -> Result<()> {
        let Some(top) = &self.top else { return Ok(()) };
        loop {
            self.moved += 1;
            let to = format!(".deep~{}", self.moved);
            match renameat_with(above, name, top, to.as_str(), RenameFlags::NOREPLACE) {
                Ok(()) | Err(Errno::NOENT) => return Ok(()),
                // The name of something that was there.
                Err(Errno::EXIST) => {}
                Err(Errno::BUSY | Errno::XDEV) => return Err(still_mounted(path)),
                Err(error) => return Err(Error::io("move, to remove it,", path)(error)),
            }
        }
    }
}

/// Opens a directory by its name, never through a link, never in another mount.
fn open_dir(above: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags =
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    openat2(above, name, flags, Mode::empty(), resolve)
}

/// What an error of opening a directory means: it is gone, or in the way.
fn opened(error: Errno, path: &Path) -> Result<Option<OwnedFd>> {
    match error {
        Errno::NOENT => Ok(None),
        Errno::XDEV => Err(still_mounted(path)),
        error => Err(Error::io("open", path)(error)),
    }
}

fn unlink(above: BorrowedFd<'_>, name: &CStr, flags: AtFlags, path: &Path) -> Result<()> {
    match unlinkat(above, name, flags) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        // A file upon which another is mounted.
        Err(Errno::BUSY) => Err(still_mounted(path)),
        Err(error) => Err(Error::io("remove", path)(error)),
    }
}

/// The names in a directory, and whether each may be a directory.
fn read(dir: &OwnedFd, path: &Path) -> Result<Vec<(CString, bool)>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir).map_err(Error::io("read", path))? {
        let entry = entry.map_err(Error::io("read", path))?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            let kind = entry.file_type();
            names.push((
                name.to_owned(),
                matches!(kind, FileType::Directory | FileType::Unknown),
            ));
        }
    }
    Ok(names)
}

/// The error that names a mount in the way of removing a volume.
pub(crate) fn still_mounted(path: &Path) -> Error {
    let busy = io::Error::from(rustix::io::Errno::BUSY);
    Error::io("remove the volume; unmount first", path)(busy)
}
