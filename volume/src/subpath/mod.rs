//! A part of a volume (`subPath`), safe against symbolic links that change meanwhile.

use std::path::{Path, PathBuf};

use crate::Result;

/// A part of a volume that a container wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubpathRequest {
    /// The number of the mount in the container (`VolumeMountIndex`).
    pub volume_mount_index: usize,
    /// The part, an absolute path in the volume as the node sees it.
    pub path: PathBuf,
    /// The name of the volume's directory.
    pub volume_name: String,
    /// The directory at which the volume is mounted.
    pub volume_path: PathBuf,
    /// The directory of the Pod.
    pub pod_dir: PathBuf,
    /// The name of the container.
    pub container_name: String,
}

/// Prepares parts of volumes.
pub trait Subpath: Send + Sync {
    /// Bind mounts a part of a volume to a directory of the Pod, and returns that. It stays the
    /// same file, whatever becomes of the path meanwhile. Can be repeated.
    ///
    /// # Errors
    ///
    /// When the part is not inside of the volume, or doesn't exist.
    fn prepare_safe_subpath(&self, request: &SubpathRequest) -> Result<PathBuf>;

    /// Unmounts and removes all that was prepared for a volume of a Pod.
    ///
    /// # Errors
    ///
    /// When something of it is still there.
    fn clean_subpaths(&self, pod_dir: &Path, volume_name: &str) -> Result<()>;

    /// Makes a directory below a base, which may be a relative path, without leaving the base.
    ///
    /// # Errors
    ///
    /// When the path leaves the base, or can't be made.
    fn safe_make_dir(&self, subdir: &Path, base: &Path, mode: u32) -> Result<()>;
}

/// Stand-in.
#[derive(Default)]
pub struct LinuxSubpath;

impl LinuxSubpath {
    /// Stand-in.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Subpath for LinuxSubpath {
    fn prepare_safe_subpath(&self, _request: &SubpathRequest) -> Result<PathBuf> {
        Err(crate::Error::NotSupported("stand-in".to_owned()))
    }

    fn clean_subpaths(&self, _pod_dir: &Path, _volume_name: &str) -> Result<()> {
        Ok(())
    }

    fn safe_make_dir(&self, subdir: &Path, base: &Path, _mode: u32) -> Result<()> {
        let path = base.join(subdir);
        std::fs::create_dir_all(&path).map_err(crate::Error::io("create", &path))
    }
}
