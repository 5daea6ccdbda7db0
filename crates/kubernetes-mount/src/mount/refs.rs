//! Finding the other mounts of what is mounted.

use std::path::{Path, PathBuf};

use super::MountInfo;

/// Returns the other places of the table at which a file or directory is mounted: those with the
/// same device and the same directory of it (`SearchMountPoints`).
///
/// The path need not be a mount point: bind mounts of a directory are found too. It must be
/// absolute and have no symbolic links. Nothing is found for a path that is in no mount.
#[must_use]
pub fn search_mount_points(mounts: &[MountInfo], path: &Path) -> Vec<PathBuf> {
    // A later mount covers an earlier one.
    let own = mounts
        .iter()
        .rev()
        .find(|mount| path.starts_with(&mount.mount_point));
    refs_of(mounts, own, path)
}

/// Does the same as [`search_mount_points`], given the mount that the path is in.
pub(super) fn refs_of(mounts: &[MountInfo], own: Option<&MountInfo>, path: &Path) -> Vec<PathBuf> {
    let Some(own) = own else {
        return Vec::new();
    };
    let below = path.strip_prefix(&own.mount_point).unwrap_or(Path::new(""));
    let below_root = !below.as_os_str().is_empty();
    let root = if below_root {
        own.root.join(below)
    } else {
        own.root.clone()
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for mount in mounts {
        let same_device = (mount.major, mount.minor) == (own.major, own.minor);
        let same = same_device && mount.root == root && mount.mount_point != path;
        if same && !found.contains(&mount.mount_point) {
            found.push(mount.mount_point.clone());
        }
    }
    found
}
