//! Unmounting all, and removing the directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use super::linux::{canonical, look};
use super::{ForceUnmount, Mount, MountError};
use crate::{Error, Result};

/// The most mounts at one path.
const MAX_UNMOUNTS: usize = 100;

/// Unmounts until nothing is mounted at the path, and removes the directory
/// (`CleanupMountPoint`). A file, at which a device was mounted, is removed if it is empty. A
/// path that doesn't exist is fine, so that this can be repeated.
///
/// A mount that can't be looked at, such as NFS whose server has forgotten it, is unmounted too.
/// Content of the directory is never removed: what is there after unmounting may be data that was
/// meant for the volume.
///
/// With `extensive`, a path that is not reported as a mount point is looked up in the list of
/// mounts too. [`LinuxMounter`](super::LinuxMounter) needs no second look.
///
/// # Errors
///
/// [`MountError::NotEmpty`] if something is in the directory; otherwise why it can't be
/// unmounted or removed. Mounts that were unmounted by then stay unmounted.
pub fn clean_up_mount_point(mounter: &dyn Mount, path: &Path, extensive: bool) -> Result<()> {
    clean_up(mounter, path, extensive, &|path| mounter.unmount(path))
}

/// Does the same as [`clean_up_mount_point`], and unmounts by force what takes longer than the
/// limit (`CleanupMountWithForce`).
///
/// # Errors
///
/// As [`clean_up_mount_point`].
pub fn clean_up_mount_point_with_force(
    mounter: &dyn ForceUnmount,
    path: &Path,
    extensive: bool,
    limit: Duration,
) -> Result<()> {
    let unmount = |path: &Path| mounter.unmount_with_force(path, limit);
    clean_up(mounter, path, extensive, &unmount)
}

/// Returns true if an error means that a mount is broken because its server, its daemon or its
/// device is gone (`IsCorruptedMnt`). The sources of the error are checked too.
///
/// The numbers are `ENOTCONN`, `ESTALE`, `EIO`, `EACCES`, `EHOSTDOWN`.
#[must_use]
pub fn is_corrupted(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let errno = error
            .downcast_ref::<io::Error>()
            .and_then(Errno::from_io_error);
        if errno.is_some_and(is_corruption) {
            return true;
        }
        next = error.source();
    }
    false
}

/// Returns true for the errors of [`is_corrupted`].
pub(crate) fn is_corruption(errno: Errno) -> bool {
    let corrupted = [
        Errno::NOTCONN,
        Errno::STALE,
        Errno::IO,
        Errno::ACCESS,
        Errno::HOSTDOWN,
    ];
    corrupted.contains(&errno)
}

fn clean_up(
    mounter: &dyn Mount,
    path: &Path,
    extensive: bool,
    unmount: &dyn Fn(&Path) -> Result<()>,
) -> Result<()> {
    // Without a slash at the end, which would follow a symbolic link.
    let path: PathBuf = path.components().collect();
    match look(&path) {
        Ok(_) => {}
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(errno) if is_corruption(errno) => {}
        Err(errno) => return Err(Error::io("look at", &path)(errno)),
    }
    for _ in 0..MAX_UNMOUNTS {
        if !is_mounted(mounter, &path, extensive)? {
            return remove(&path);
        }
        match unmount(&path) {
            // Somebody else was faster.
            Err(Error::Mount(error))
                if matches!(*error, MountError::NotMounted { .. }) && look(&path).is_ok() => {}
            result => result?,
        }
    }
    Err(MountError::StillMounted {
        path,
        attempts: MAX_UNMOUNTS,
    }
    .into())
}

fn is_mounted(mounter: &dyn Mount, path: &Path, extensive: bool) -> Result<bool> {
    match mounter.is_mount_point(path) {
        Ok(false) if extensive => {
            let path = canonical(path)?;
            Ok(mounter
                .list()?
                .iter()
                .any(|mount| Some(&mount.path) == path.as_ref()))
        }
        Err(error) if is_corrupted(&error) => Ok(true),
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(false),
        result => result,
    }
}

/// Removes an empty directory or an empty file, and nothing else.
fn remove(path: &Path) -> Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        result => result.map_err(Error::io("look at", path))?,
    };
    let removed = if metadata.is_dir() {
        fs::remove_dir(path)
    } else if metadata.is_file() && metadata.len() == 0 {
        fs::remove_file(path)
    } else if metadata.is_file() {
        return Err(MountError::NotEmpty {
            path: path.to_owned(),
        }
        .into());
    } else {
        let text = "is neither a directory nor an empty file; it is not removed";
        return Err(Error::invalid(format!("{} {text}", path.display())));
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
            Err(MountError::NotEmpty {
                path: path.to_owned(),
            }
            .into())
        }
        result => result.map_err(Error::io("remove", path)),
    }
}
