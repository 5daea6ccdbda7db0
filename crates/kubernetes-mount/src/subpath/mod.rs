//! A part of a volume (`subPath`), safe against symbolic links that change meanwhile.
//!
//! The containers of a Pod can write to the volume, so a path in it can lead elsewhere at any
//! moment (CVE-2017-1002101, CVE-2021-25741). [`LinuxSubpath`] lets the kernel resolve the path
//! without leaving the volume (`openat2`; a link that ends in the volume may leave it on its way,
//! as an absolute one does), and mounts the file that is open then (`open_tree`,
//! `move_mount`), not its path. It needs Linux 5.6.
//!
//! | a link in the volume that leads | to a part | when a directory is made | for [`safe_open`] |
//! |---|---|---|---|
//! | to something in the volume | is followed | is followed | is an error |
//! | out of the volume | is an error | is an error | is an error |
//! | nowhere, or to itself | is an error | is an error | is an error |

mod clean;
mod linux;
mod make;
mod open;

use std::path::{Path, PathBuf};

pub use clean::SUBPATHS;
pub use linux::LinuxSubpath;
pub use open::safe_open;

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
    /// Bind mounts a part of a volume at `volume-subpaths/VOLUME/CONTAINER/INDEX` of the Pod's
    /// directory, and returns that path. It stays the same file, whatever becomes of the part's
    /// path. Can be repeated: what is mounted already stays, unless it is another file by now.
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

    /// Makes a directory below a base, by its path there, and those above it, without leaving the
    /// base. New directories have the mode, whatever the umask is, and keep the setgid that they
    /// inherit. What exists is left alone.
    ///
    /// # Errors
    ///
    /// When the path leaves the base, or can't be made.
    fn safe_make_dir(&self, subdir: &Path, base: &Path, mode: u32) -> Result<()>;
}
