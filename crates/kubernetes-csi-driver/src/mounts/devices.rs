//! Steps of volumes that are devices.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use kubernetes_mount::exec::Local;
use kubernetes_mount::filesystem::{DiskFormat, ResizeFs, SafeFormatAndMount};
use kubernetes_mount::mount::{LinuxMounter, are_read_only};
use rustix::fs::{major, minor};

use super::{flags, is_mounted, is_read_only, last_mount, mounted_so, something_else};
use crate::Result;
use crate::model::Mount as MountOf;

/// Mounts the file system of a device at a path, a directory that exists. An empty device is
/// formatted, as ext4 if no type is asked for, and a file system that wasn't unmounted is checked.
/// One that is smaller than its device, as that of a copy may be, grows. XFS is mounted with
/// `nouuid`, without which a copy and its source can't be mounted at the same time. Succeeds if it
/// is mounted there already.
///
/// With the option `ro` it stays as it is: nothing is formatted, checked, or enlarged.
///
/// # Errors
///
/// - `ALREADY_EXISTS`: Another file system is mounted there, or this one, but read-only where `ro`
///   isn't asked for, or the other way round.
/// - `FAILED_PRECONDITION`: The device has another file system or a partition table, or is empty
///   and to be read only.
/// - `INVALID_ARGUMENT`: The type or an option of mounting is none.
/// - `INTERNAL`: It can't be formatted, checked, mounted or enlarged.
pub fn mount_device(device: &Path, target: &Path, mount: &MountOf) -> Result<()> {
    match is_mounted(target)? {
        true => {
            check_device(device, target)?;
            let is_read_only = is_read_only(target)?;
            if are_read_only(&flags(mount)) != is_read_only {
                return Err(mounted_so(target, is_read_only));
            }
        }
        false => {
            let mounter = SafeFormatAndMount::new(Arc::new(LinuxMounter::new()), Arc::new(Local));
            let fs_type = mount.fs_type.as_deref().unwrap_or_default();
            // Flags can be confidential, so that they aren't shown.
            let mut flags = flags(mount);
            let is_xfs = match fs_type {
                "" | "auto" => {
                    mounter.disk_format(device)? == DiskFormat::Filesystem("xfs".to_owned())
                }
                asked => asked == "xfs",
            };
            if is_xfs {
                // A copy has the identity of its source, which may be mounted on the node.
                flags.push("nouuid");
            }
            mounter.format_and_mount_sensitive(device, target, fs_type, &[], &flags, &[])?;
        }
    }
    // What nobody may write can't grow.
    match is_read_only(target)? {
        true => Ok(()),
        false => grow_file_system(device, target),
    }
}

/// Checks that the file system at a path is that of a device.
fn check_device(device: &Path, target: &Path) -> Result<()> {
    let number = fs::metadata(device)?.rdev();
    let is_right = last_mount(target)?.is_some_and(|mount| {
        // btrfs has a number of its own.
        (mount.major, mount.minor) == (major(number), minor(number))
            || Path::new(&mount.source) == device
    });
    match is_right {
        true => Ok(()),
        false => Err(something_else(target)),
    }
}

/// Gives the file system at a path, ext2 to ext4, XFS or btrfs, the size of its device, which has
/// grown. Succeeds if it has that size, and if the device is empty.
///
/// # Errors
///
/// `INTERNAL` if it can't grow, or is of another type.
pub fn grow_file_system(device: &Path, target: &Path) -> Result<()> {
    let resizer = ResizeFs::new(Arc::new(Local));
    if resizer.need_resize(device, target)? {
        resizer.resize(device, target)?;
    }
    Ok(())
}
