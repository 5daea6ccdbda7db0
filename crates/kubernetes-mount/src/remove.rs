//! Removing the tree of a volume, and nothing else.
//!
//! The containers of a Pod could write to the volume: its names, links and depth are theirs. So
//! each directory is opened by its name in the one above, without following links and without
//! entering another mount, and files are removed by their names in an open directory.
//!
//! ```
//! # fn main() -> kubernetes_mount::Result<()> {
//! # let dir = tempfile::tempdir().unwrap();
//! let volume = dir.path().join("volume");
//! # std::fs::create_dir_all(volume.join("data")).unwrap();
//! kubernetes_mount::remove::remove_tree(&volume)?;
//! assert!(!volume.exists());
//! # Ok(())
//! # }
//! ```

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

/// The depth to which directories are entered before they are moved up. Each level costs a file
/// descriptor, of which a program may have only 1024.
const DEPTH: usize = 32;

/// Removes a file, a link, or a directory with its content. Can be repeated: a path that doesn't
/// exist is fine.
///
/// Symbolic links are removed, not followed, except those in the path of the directory above, which
/// is the caller's.
///
/// # Errors
///
/// When something is mounted inside, which stays, or a file can't be removed.
pub fn remove_tree(path: &Path) -> Result<()> {
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

/// Removes a name in an open directory with its content, as [`remove_tree`]. The path is for
/// messages.
///
/// # Errors
///
/// As [`remove_tree`].
pub fn remove_at(above: BorrowedFd<'_>, name: &OsStr, path: &Path) -> Result<()> {
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
    /// The number of moved directories, for their names.
    moved: u64,
}

impl Removal {
    /// Empties an open directory, which is `depth` levels above where directories are moved up.
    fn empty(&mut self, dir: &OwnedFd, path: &Path, depth: usize) -> Result<()> {
        if self.top.is_none() {
            let top = dir.try_clone().map_err(Error::io("open", path))?;
            self.top = Some(top);
        }
        // Directories that were moved to the top meanwhile appear in the next round.
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

/// Returns nothing if the directory is gone, and an error if it is in the way.
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

/// Returns the names in a directory, each with true if it may be a directory.
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

/// Returns the error that names a mount in the way of removing a volume.
#[must_use]
pub fn still_mounted(path: &Path) -> Error {
    let busy = io::Error::from(rustix::io::Errno::BUSY);
    Error::io("remove the volume; unmount first", path)(busy)
}
