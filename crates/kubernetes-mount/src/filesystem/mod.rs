//! Formatting, checking, mounting and growing file systems on devices; loop devices.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//! use kubernetes_mount::exec::Local;
//! use kubernetes_mount::filesystem::{ResizeFs, SafeFormatAndMount};
//! use kubernetes_mount::mount::LinuxMounter;
//!
//! let (device, target) = (Path::new("/dev/vdb"), Path::new("/mnt/data"));
//! let exec = Arc::new(Local);
//! let mounter = SafeFormatAndMount::new(Arc::new(LinuxMounter::new()), exec.clone());
//! mounter.format_and_mount(device, target, "ext4", &["noatime"])?;
//!
//! let resizer = ResizeFs::new(exec);
//! if resizer.need_resize(device, target)? {
//!     resizer.resize(device, target)?;
//! }
//! # Ok::<(), kubernetes_mount::Error>(())
//! ```

use std::time::Duration;

mod check;
mod device;
mod format;
mod loops;
mod probe;
mod resize;
mod superblock;

pub use crate::error::FilesystemError;
pub use device::device_size;
pub use format::SafeFormatAndMount;
pub use loops::{LoopDevice, LoopDevices};
pub use probe::{DiskFormat, disk_format};
pub use resize::ResizeFs;

/// The time limits of commands, which are killed after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// The limit of probing a device: 1 minute.
    pub probe: Duration,
    /// The limit of `fsck`: 1 hour. Large file systems that were not unmounted take long.
    pub check: Duration,
    /// The limit of `mkfs`: 1 hour.
    pub format: Duration,
    /// The limit of growing: 1 hour. Killing `resize2fs` may damage a file system that isn't
    /// mounted.
    pub resize: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        let hour = Duration::from_secs(3600);
        Self {
            probe: Duration::from_secs(60),
            check: hour,
            format: hour,
            resize: hour,
        }
    }
}
