//! Tools of several plugins.

pub(crate) mod dirs;
pub(super) mod measure;
pub(crate) mod names;
pub(super) mod nested;
pub(super) mod newer;
pub(super) mod own;
pub(super) mod payload;
pub(super) mod recycle;
pub(super) mod remove;
pub(super) mod slot;

use std::path::{Path, PathBuf};

use kubernetes_mount::mount::Mount;

use crate::{Error, Result};
pub(super) use kubernetes_mount::remove::still_mounted;

/// Returns the mount points inside of a directory.
pub(super) fn mounts_inside(mounter: &dyn Mount, dir: &Path) -> Result<Vec<PathBuf>> {
    let real = real_path(dir)?;
    let mut inside: Vec<_> = mounter
        .list()?
        .into_iter()
        .map(|mount| mount.path)
        .collect();
    inside.retain(|path| *path != real && path.starts_with(&real));
    Ok(inside)
}

/// Fails if something is mounted inside of the directory: its files aren't the volume's.
pub(super) fn refuse_mounts_inside(mounter: &dyn Mount, dir: &Path) -> Result<()> {
    match mounts_inside(mounter, dir)?.into_iter().next() {
        None => Ok(()),
        Some(path) => Err(still_mounted(&path).into()),
    }
}

/// Unmounts all mounts at the path itself.
pub(super) fn unmount_all(mounter: &dyn Mount, path: &Path) -> Result<()> {
    /// A number of mounts that no path reaches: a wrong mounter must not hang the caller.
    const MOST: usize = 64;
    for _ in 0..MOST {
        if !is_mounted(mounter, path)? {
            return Ok(());
        }
        refuse_mounts_inside(mounter, path)?;
        mounter.unmount(path)?;
    }
    Err(still_mounted(path).into())
}

/// Returns true if a path is a mount point. It may not exist.
pub(super) fn is_mounted(mounter: &dyn Mount, path: &Path) -> Result<bool> {
    if !dirs::exists(path)? {
        return Ok(false);
    }
    Ok(mounter.is_mount_point(path)?)
}

/// Undoes what a failed attempt to mount has left. Its error says more than one of tidying up.
pub(super) fn after_failure(mounter: &dyn Mount, dir: &Path, is_new: bool) {
    if is_mounted(mounter, dir).unwrap_or(false) {
        let _ = mounter.unmount(dir);
    }
    if is_new {
        let _ = dirs::remove_empty(dir);
    }
}

/// The path as the table of mounts has it: that of the directory above, without links, and the
/// name as it is.
pub(super) fn real_path(path: &Path) -> Result<PathBuf> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(path.to_owned());
    };
    let above = above.canonicalize().map_err(Error::io("look at", above))?;
    Ok(above.join(name))
}
