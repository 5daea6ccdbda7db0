//! Growing a file system to the size of its device.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::check::check;
use super::device::{device_size, is_block_device, is_read_only};
use super::superblock::{self, FsSize};
use super::{DiskFormat, FilesystemError, TimeLimits, disk_format};
use crate::exec::{Exec, ExecError, shortened, shown};
use crate::mount::device_in_use;
use crate::{Error, Result};

/// Grows file systems (`ResizeFs`): ext2, ext3, ext4, XFS and btrfs.
#[derive(Clone)]
pub struct ResizeFs {
    exec: Arc<dyn Exec>,
    limits: TimeLimits,
}

impl std::fmt::Debug for ResizeFs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResizeFs")
            .field("limits", &self.limits)
            .finish()
    }
}

impl ResizeFs {
    /// Returns a resizer with the default time limits.
    #[must_use]
    pub fn new(exec: Arc<dyn Exec>) -> Self {
        Self {
            exec,
            limits: TimeLimits::default(),
        }
    }

    /// Sets how long commands may take.
    #[must_use]
    pub fn with_limits(mut self, limits: TimeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns true if the device is larger than its file system, by more than one block. An
    /// unformatted device needs no growing, nor does one to which nothing can be written.
    ///
    /// # Errors
    ///
    /// When a size can't be found out, or the type of file system is another one.
    pub fn need_resize(&self, device: &Path, mount_path: &Path) -> Result<bool> {
        let DiskFormat::Filesystem(fs_type) = self.format(device)? else {
            return Ok(false);
        };
        let size = match fs_type.as_str() {
            "ext2" | "ext3" | "ext4" => superblock::ext(device),
            "xfs" if is_used(device)? => self.mounted_xfs(mount_path),
            "xfs" => superblock::xfs(device),
            "btrfs" => superblock::btrfs(device),
            _ => Err(unsupported(&fs_type)),
        };
        let size = size.map_err(|error| failed(device, &fs_type, error))?;
        let device_size = device_size(device)?;
        let needed = size.bytes.saturating_add(size.block) < device_size;
        Ok(needed && !is_read_only(device)?)
    }

    /// Grows the file system to the size of the device, and returns whether there is one to
    /// grow: an unformatted device is left alone. Can be repeated.
    ///
    /// ext can be mounted or not; `e2fsck -f -p` checks it first if it is not, as `resize2fs`
    /// demands. XFS and btrfs must be mounted at the path.
    ///
    /// # Errors
    ///
    /// [`FilesystemError::Resize`] if the command fails or the type of file system is another
    /// one.
    pub fn resize(&self, device: &Path, mount_path: &Path) -> Result<bool> {
        let DiskFormat::Filesystem(fs_type) = self.format(device)? else {
            return Ok(false);
        };
        let path = mount_path.as_os_str();
        let [grow, data, filesystem, resize, max] =
            ["xfs_growfs", "-d", "filesystem", "resize", "max"].map(OsStr::new);
        let result = match fs_type.as_str() {
            "ext2" | "ext3" | "ext4" => {
                if !is_used(device)? {
                    let command = ("e2fsck", &["-f", "-p"][..]);
                    check(&*self.exec, self.limits.check, device, &fs_type, command)?;
                }
                self.run("resize2fs", &[device.as_os_str()])
            }
            "xfs" => self.run(grow, &[data, path]),
            "btrfs" => self.run("btrfs", &[filesystem, resize, max, path]),
            _ => Err(unsupported(&fs_type)),
        };
        result
            .map(|_| true)
            .map_err(|error| failed(device, &fs_type, error))
    }

    /// Returns the content of the device; a partition table is an error here.
    fn format(&self, device: &Path) -> Result<DiskFormat> {
        match disk_format(&*self.exec, &self.limits, device)? {
            DiskFormat::PartitionTable(table) => {
                let text = format!("a device with a partition table ({table})");
                Err(failed(device, "nothing", Error::NotSupported(text)))
            }
            format => Ok(format),
        }
    }

    /// Asks a mounted XFS, whose free space doesn't show all of its size.
    fn mounted_xfs(&self, mount_path: &Path) -> Result<FsSize> {
        let args = [
            OsStr::new("-c"),
            OsStr::new("statfs"),
            mount_path.as_os_str(),
        ];
        let printed = self.run("xfs_io", &args)?;
        let text = String::from_utf8_lossy(&printed);
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            let (_, value) = lines.find(|(key, _)| key.trim() == name)?;
            value.trim().parse::<u64>().ok()
        };
        let size = value("geom.bsize").zip(value("geom.datablocks"));
        let size = size.and_then(|(block, blocks)| {
            Some(FsSize {
                bytes: blocks.checked_mul(block)?,
                block,
            })
        });
        size.ok_or_else(|| {
            let error = ExecError::BadOutput {
                command: shown(Path::new("xfs_io"), &args),
                reason: "geom.bsize or geom.datablocks is missing".to_owned(),
                output: shortened(&printed),
            };
            error.into()
        })
    }

    fn run(&self, program: impl AsRef<OsStr>, args: &[&OsStr]) -> Result<Vec<u8>> {
        let program = Path::new(program.as_ref());
        let output = self.exec.run(program, args, self.limits.resize)?;
        Ok(output.success(program, args)?.stdout)
    }
}

fn is_used(device: &Path) -> Result<bool> {
    Ok(is_block_device(device)? && device_in_use(device)?)
}

fn unsupported(fs_type: &str) -> Error {
    Error::NotSupported(format!("growing {fs_type}"))
}

fn failed(device: &Path, fs_type: &str, source: Error) -> Error {
    FilesystemError::Resize {
        device: device.to_owned(),
        fs_type: fs_type.to_owned(),
        source: Box::new(source),
    }
    .into()
}
