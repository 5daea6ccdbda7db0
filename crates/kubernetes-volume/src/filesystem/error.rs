//! What is wrong with a device or its file system.

use std::path::PathBuf;

use crate::Error;

/// Why a device can't be formatted, checked, mounted or grown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesystemError {
    /// There is no such device.
    #[error("the device {} does not exist; is the volume attached to this node?", device.display())]
    NoDevice {
        /// The device.
        device: PathBuf,
    },
    /// Nothing is on the device, and nothing may be written to it (`UnformattedReadOnly`).
    #[error(
        "{} is not formatted, and is to be mounted read-only; format it as {wanted}, or mount it \
         read-write once",
        device.display()
    )]
    UnformattedReadOnly {
        /// The device.
        device: PathBuf,
        /// The file system that was asked for.
        wanted: String,
    },
    /// Another file system, or another use such as LVM, is on the device
    /// (`FilesystemMismatch`). It is not touched.
    #[error("{} is to be mounted as {wanted}, but it has {found}; nothing was changed", device.display())]
    Mismatch {
        /// The device.
        device: PathBuf,
        /// The file system that was asked for.
        wanted: String,
        /// What is on the device.
        found: String,
    },
    /// A partition table is on the device. It is not touched.
    #[error(
        "{} is to be mounted as {wanted}, but it has a partition table ({table}); nothing was \
         changed",
        device.display()
    )]
    PartitionTable {
        /// The device.
        device: PathBuf,
        /// The file system that was asked for.
        wanted: String,
        /// The type of the table, such as `dos` or `gpt`.
        table: String,
    },
    /// The device has the marks of several file systems. It is not touched.
    #[error(
        "{} has the marks of several file systems; remove the wrong ones with wipefs(8)",
        device.display()
    )]
    Ambiguous {
        /// The device.
        device: PathBuf,
    },
    /// What is on the device can't be found out (`GetDiskFormatFailed`).
    #[error("find out what is on {}: {source}", device.display())]
    Probe {
        /// The device.
        device: PathBuf,
        /// Why.
        source: Box<Error>,
    },
    /// The device is mounted or used otherwise, so that it is not formatted.
    #[error("{} is in use, and is not formatted", device.display())]
    InUse {
        /// The device.
        device: PathBuf,
    },
    /// Formatting failed (`FormatFailed`). The device may have a part of a file system.
    #[error("format {} as {fs_type}: {source}", device.display())]
    Format {
        /// The device.
        device: PathBuf,
        /// The file system that was asked for.
        fs_type: String,
        /// Why.
        source: Box<Error>,
    },
    /// The file system has errors that `fsck` can't repair without a person
    /// (`HasFilesystemErrors`).
    #[error(
        "{fs_type} on {} has errors that need a repair by hand, see fsck(8): {output}",
        device.display()
    )]
    HasErrors {
        /// The device.
        device: PathBuf,
        /// Its file system.
        fs_type: String,
        /// What `fsck` printed, shortened.
        output: String,
    },
    /// The check hung or was killed.
    #[error("check {fs_type} on {}: {source}", device.display())]
    Check {
        /// The device.
        device: PathBuf,
        /// Its file system.
        fs_type: String,
        /// Why.
        source: Box<Error>,
    },
    /// The file system can't be mounted.
    #[error("mount {fs_type}, which is on {}: {source}", device.display())]
    Mount {
        /// The device.
        device: PathBuf,
        /// The file system that is on it.
        fs_type: String,
        /// Why.
        source: Box<Error>,
    },
    /// The file system can't be grown, or its size not be found out.
    #[error("resize {fs_type} on {}: {source}", device.display())]
    Resize {
        /// The device.
        device: PathBuf,
        /// Its file system.
        fs_type: String,
        /// Why.
        source: Box<Error>,
    },
}
