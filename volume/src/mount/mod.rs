//! Mounting: the table of mounts, bind mounts, unmounting and cleaning up.

use std::path::{Path, PathBuf};

use crate::Result;

/// A mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MountPoint {
    /// What is mounted.
    pub device: String,
    /// Where it is mounted.
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
    fn mount(
        &self,
        source: &Path,
        target: &Path,
        fs_type: &str,
        options: &[&str],
    ) -> Result<()>;

    /// As [`mount`](Self::mount), with options that appear in no message, such as passwords.
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

    /// Unmounts what was mounted last at the path. A path at which nothing is mounted is an error.
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

    /// Whether something is mounted exactly here, bind mounts too. Follows no symbolic link at
    /// the end of the path.
    ///
    /// # Errors
    ///
    /// When the path doesn't exist or can't be looked at.
    fn is_mount_point(&self, path: &Path) -> Result<bool>;

    /// Returns the other places at which the file system or directory that is mounted here is
    /// mounted.
    ///
    /// # Errors
    ///
    /// When the table can't be read.
    fn mount_refs(&self, path: &Path) -> Result<Vec<PathBuf>>;
}

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A socket.
    Socket,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
    /// A named pipe.
    Fifo,
}

/// Looks at the files of the node.
pub trait HostUtils: Send + Sync {
    /// Returns what a path is, following symbolic links.
    ///
    /// # Errors
    ///
    /// When it doesn't exist or can't be looked at.
    fn file_type(&self, path: &Path) -> Result<FileType>;

    /// Whether a path exists.
    ///
    /// # Errors
    ///
    /// When that can't be found out.
    fn path_exists(&self, path: &Path) -> Result<bool>;

    /// Makes a directory and those above it. One that exists is left alone.
    ///
    /// # Errors
    ///
    /// When it can't be made, or something else is there.
    fn make_dir(&self, path: &Path) -> Result<()>;

    /// Makes an empty file. One that exists is left alone.
    ///
    /// # Errors
    ///
    /// When it can't be made, or something else is there.
    fn make_file(&self, path: &Path) -> Result<()>;

    /// Whether a program has the block device open.
    ///
    /// # Errors
    ///
    /// When it is no block device.
    fn device_opened(&self, path: &Path) -> Result<bool>;

    /// Whether the path is a block device.
    ///
    /// # Errors
    ///
    /// When it can't be looked at.
    fn path_is_device(&self, path: &Path) -> Result<bool>;

    /// Returns the path without symbolic links.
    ///
    /// # Errors
    ///
    /// When a part of it doesn't exist.
    fn eval_host_symlinks(&self, path: &Path) -> Result<PathBuf>;

    /// Returns the user and the group who own a file.
    ///
    /// # Errors
    ///
    /// When it can't be looked at.
    fn owner(&self, path: &Path) -> Result<(u32, u32)>;

    /// Returns the mode of a file, permissions only.
    ///
    /// # Errors
    ///
    /// When it can't be looked at.
    fn mode(&self, path: &Path) -> Result<u32>;

    /// Whether the file system has SELinux labels.
    ///
    /// # Errors
    ///
    /// When the table of mounts can't be read.
    fn selinux_support(&self, path: &Path) -> Result<bool>;

    /// Returns the name of the volume's directory under a plugin's directory, from the other
    /// mounts of what is mounted at a path.
    ///
    /// # Errors
    ///
    /// When nothing is mounted there.
    fn device_name_from_mount(
        &self,
        mounter: &dyn Mount,
        mount_path: &Path,
        plugin_mount_dir: &Path,
    ) -> Result<String>;
}
