//! Errors of mounting.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// An error of mounting, unmounting or reading the table of mounts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MountError {
    /// The kernel refuses the mount.
    #[error(
        "mount {} at {} (type {fs_type:?}, options {options:?}): {cause}{hint}",
        device.display(), target.display()
    )]
    Refused {
        /// The device, share or directory.
        device: PathBuf,
        /// The mount point.
        target: PathBuf,
        /// The type of the file system; empty for bind mounts.
        fs_type: String,
        /// The options. The sensitive ones are `<masked>`.
        options: String,
        /// The system's error.
        #[source]
        cause: io::Error,
        /// A hint, or an empty text.
        hint: String,
    },
    /// A program such as `/sbin/mount.nfs` failed, or took too long.
    #[error("mount {} at {}: {command}: {reason}", device.display(), target.display())]
    Helper {
        /// The device, share or directory.
        device: PathBuf,
        /// The mount point.
        target: PathBuf,
        /// The program and its arguments. Sensitive options are `<masked>`.
        command: String,
        /// Its exit status and output, without sensitive options.
        reason: String,
        /// Set if it was killed: the file system may be mounted or not.
        timed_out: bool,
    },
    /// A line of the table of mounts can't be read.
    #[error("line {line} of the table of mounts is damaged: {reason}")]
    DamagedTable {
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The table of mounts changed whenever it was read.
    #[error("the table of mounts changed during each of {attempts} attempts to read it")]
    ChangingTable {
        /// The number of attempts.
        attempts: usize,
    },
    /// The path is not a mount point.
    #[error("unmount {}: nothing is mounted there", path.display())]
    NotMounted {
        /// The path.
        path: PathBuf,
    },
    /// A path is still a mount point after the most allowed unmounts.
    #[error("{} is still a mount point after {attempts} unmounts", path.display())]
    StillMounted {
        /// The path.
        path: PathBuf,
        /// The number of unmounts.
        attempts: usize,
    },
    /// The directory is no longer a mount point, but is not empty. Its content is kept: it may be
    /// data of a user.
    #[error("{} is not a mount point and is not empty; check its content and remove it", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// Unmounting took too long. The kernel may still finish it.
    #[error("unmount {}: not done after {limit:?}, by force neither", path.display())]
    UnmountTimedOut {
        /// The path.
        path: PathBuf,
        /// The time limit of each attempt.
        limit: Duration,
    },
}
