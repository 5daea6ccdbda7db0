//! The group of files.

use std::path::Path;

use kubernetes_mount::ownership::{FsGroupChangePolicy, Ownership};

use crate::{Error, Result};

/// Gives the files of a volume a group, for drivers that declare
/// [`volume_mount_group`](crate::Driver::volume_mount_group) and whose file system has no mount
/// option for it. Changes nothing if the root has it, as `OnRootMismatch` of a Pod.
///
/// # Errors
///
/// - `INVALID_ARGUMENT`: The group isn't a number, or is 4294967295, which no file can have.
/// - `INTERNAL`: The files can't be changed.
pub fn give_group(target: &Path, group: &str, read_only: bool) -> Result<()> {
    let group = group.parse().map_err(|_| {
        Error::invalid(format!(
            "volume_mount_group: {group:?} isn't the number of a group"
        ))
    })?;
    Ownership::new(group)
        .policy(FsGroupChangePolicy::OnRootMismatch)
        .read_only(read_only)
        .apply(target)?;
    Ok(())
}
