//! Mounting: the table of mounts, bind mounts, unmounting and cleaning up.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Result;

mod at_once;
mod cleanup;
mod error;
mod helper;
mod host_utils;
mod linux;
mod mountinfo;
mod options;
mod paths;
mod refs;
mod tmpfs;
mod unmount;

pub use at_once::binds_at_once;
pub(crate) use cleanup::is_corruption;
pub use cleanup::{clean_up_mount_point, clean_up_mount_point_with_force, is_corrupted};
pub use error::MountError;
pub use host_utils::{FileType, HostUtils, LinuxHostUtils};
pub use linux::LinuxMounter;
pub use mountinfo::{MountInfo, parse_mount_info, read_mount_info};
pub use options::{BindOptions, are_read_only, bind_options, selinux_mount_option};
pub use paths::{clean_path, path_within_base};
pub use refs::search_mount_points;
pub use tmpfs::Noswap;
pub use unmount::{unmount_lazily, unmount_with_force};

pub(crate) use host_utils::device_in_use;

/// A mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MountPoint {
    /// The mounted device, share or directory.
    pub device: String,
    /// The mount point.
    pub path: PathBuf,
    /// The type of the file system.
    pub fs_type: String,
    /// The mount options.
    pub options: Vec<String>,
}

/// Mounts and unmounts. A host may do so elsewhere, such as in another mount namespace.
pub trait Mount: Send + Sync {
    /// Mounts the source at a directory or file that exists. `fs_type` is empty for bind mounts.
    /// Options are those of mount(8), such as `bind`, `ro`, `remount`.
    ///
    /// # Errors
    ///
    /// When it can't be mounted.
    fn mount(&self, source: &Path, target: &Path, fs_type: &str, options: &[&str]) -> Result<()> {
        self.mount_sensitive(source, target, fs_type, options, &[])
    }

    /// Does the same as [`mount`](Self::mount), with options that appear in no message, such as
    /// passwords.
    ///
    /// # Errors
    ///
    /// When it can't be mounted.
    fn mount_sensitive(
        &self,
        source: &Path,
        target: &Path,
        fs_type: &str,
        options: &[&str],
        sensitive: &[&str],
    ) -> Result<()>;

    /// Unmounts the last mount at the path. It is an error if the path isn't a mount point.
    ///
    /// # Errors
    ///
    /// When it is still mounted.
    fn unmount(&self, target: &Path) -> Result<()>;

    /// Returns all mounts, in the order of the kernel's table.
    ///
    /// # Errors
    ///
    /// When the table can't be read.
    fn list(&self) -> Result<Vec<MountPoint>>;

    /// Returns true if the path is a mount point, of a bind mount too. Follows no symbolic link at
    /// the end of the path.
    ///
    /// # Errors
    ///
    /// When the path doesn't exist or can't be looked at.
    fn is_mount_point(&self, path: &Path) -> Result<bool>;

    /// Returns the other mount points of the file system or directory that is mounted here.
    ///
    /// # Errors
    ///
    /// When the table can't be read.
    fn mount_refs(&self, path: &Path) -> Result<Vec<PathBuf>>;

    /// Returns the mounter if it can unmount what doesn't answer.
    fn as_force_unmount(&self) -> Option<&dyn ForceUnmount> {
        None
    }

    /// Returns whether a tmpfs can be mounted with `noswap`: by default, what this kernel says.
    fn noswap(&self) -> Noswap {
        Noswap::of_kernel()
    }
}

/// Can unmount what doesn't answer, such as NFS without its server (`MounterForceUnmounter`).
pub trait ForceUnmount: Mount {
    /// Unmounts, and after the limit by force. Data that was not written is lost then.
    ///
    /// # Errors
    ///
    /// When it is still mounted.
    fn unmount_with_force(&self, target: &Path, limit: Duration) -> Result<()>;
}
