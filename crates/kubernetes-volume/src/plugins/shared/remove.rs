//! Removes a volume's directory and nothing else.

use std::path::{Path, PathBuf};

use kubernetes_mount::mount::Mount;
use kubernetes_mount::remove::remove_tree;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{dirs, names, refuse_mounts_inside};
use crate::{Error, Result};

/// Removes a volume's directory: renames it first, so that it is gone at once, and removes what
/// was renamed. Also removes what an earlier attempt left. Can be repeated.
///
/// # Errors
///
/// When something is mounted inside, which is found before anything is removed, or when something
/// can't be removed.
pub(crate) fn remove_volume(mounter: &dyn Mount, dir: &Path) -> Result<()> {
    finish(mounter, dir)?;
    if !dirs::exists(dir)? {
        return Ok(());
    }
    refuse_mounts_inside(mounter, dir)?;
    let deleting = deleting(dir)?;
    renameat_with(CWD, dir, CWD, &deleting, RenameFlags::NOREPLACE)
        .map_err(Error::io("rename, to remove it,", dir))?;
    Ok(remove_tree(&deleting)?)
}

/// Removes what an interrupted removal of the directory left.
pub(crate) fn finish(mounter: &dyn Mount, dir: &Path) -> Result<()> {
    let deleting = deleting(dir)?;
    if !dirs::exists(&deleting)? {
        return Ok(());
    }
    refuse_mounts_inside(mounter, &deleting)?;
    Ok(remove_tree(&deleting)?)
}

fn deleting(dir: &Path) -> Result<PathBuf> {
    let Some(name) = dir.file_name() else {
        return Err(Error::invalid(format!(
            "{} is not the directory of a volume",
            dir.display()
        )));
    };
    let mut name = name.to_owned();
    name.push(names::DELETING);
    Ok(dir.with_file_name(name))
}
