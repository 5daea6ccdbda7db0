//! The writer of a directory.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::{Payload, current, paths, update};
use crate::{Error, Result};

/// Writes the files of a volume.
///
/// ```
/// use kubernetes_mount::atomic_writer::{AtomicWriter, FileProjection, Payload};
///
/// # fn main() -> kubernetes_mount::Result<()> {
/// # let dir = tempfile::tempdir().unwrap();
/// let writer = AtomicWriter::new(dir.path())?;
/// let file = FileProjection { data: b"on".to_vec(), mode: 0o644, fs_user: None };
/// let payload = Payload::from([("feature".to_owned(), file)]);
/// assert!(writer.write(&payload, |_| Ok(()))?);
/// assert_eq!(std::fs::read(dir.path().join("feature")).unwrap(), b"on");
/// // Nothing is written that is there already.
/// assert!(!writer.write(&payload, |_| Ok(()))?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AtomicWriter {
    dir: OwnedFd,
    path: PathBuf,
}

impl AtomicWriter {
    /// Returns the writer of a directory that exists.
    ///
    /// # Errors
    ///
    /// When there is no directory at the path.
    pub fn new(dir: impl Into<PathBuf>) -> Result<Self> {
        let path = dir.into();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(CWD, &path, flags, Mode::empty()).map_err(Error::io("open", &path))?;
        Ok(Self { dir, path })
    }

    /// Makes the directory have these files and no others. Returns whether a file was written: that
    /// is not so if all have their content already. Can be repeated, also after a crash.
    ///
    /// Before the new files appear, the function gets a path to the directory in which they are, to
    /// change their owners and permissions. The path is good during the call only. A file that has
    /// its content is left alone, whatever its permissions are: that function may have changed
    /// them.
    ///
    /// Names that begin with two dots are this writer's. All others in the directory are left
    /// alone, and so are the files of other programs.
    ///
    /// # Errors
    ///
    /// When a path of the files is not allowed: each part has at most 255 bytes and the whole 4096,
    /// is not `.` or `..`, and the first one doesn't begin with `..`; or one file is in the way of
    /// another; or the system refuses a change. Readers see the old files then, unless only what is
    /// left of them can't be removed.
    pub fn write(
        &self,
        payload: &Payload,
        set_permissions: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<bool> {
        paths::check(payload)?;
        let current = current::name(self.dir.as_fd(), &self.path)?;
        let is_written = match &current {
            Some(name) => current::has(self.dir.as_fd(), name, payload, &self.path)?,
            None => false,
        };
        let update = update::Update {
            dir: self.dir.as_fd(),
            path: &self.path,
            payload,
        };
        let current = match current {
            Some(current) if is_written => current,
            _ => update.write(set_permissions)?,
        };
        // Also if nothing was written: the last update may have been cut off here.
        update.link_files()?;
        update.remove_rest(&current)?;
        Ok(!is_written)
    }
}
