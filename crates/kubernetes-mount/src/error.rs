//! Errors of the tools.

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::ExecError;
use crate::metrics::MetricsError;
use crate::mount::MountError;

/// The result of an operation on the node.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an operation on the node.
///
/// Kubernetes has three classes of errors of mounting. [`Error::Transient`] and
/// [`Error::Uncertain`] wrap an error to give it a class; all others are final: nothing was
/// mounted, and the same attempt would fail again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// The attempted action, such as `open` or `create the directory`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A path, a name or an option is wrong. The text says which, and what is allowed.
    #[error("{0}")]
    Invalid(String),
    /// The node or its kernel does not support the operation.
    #[error("{0} is not supported")]
    NotSupported(String),
    /// A command failed, hung, or printed unparsable output.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// Mounting or unmounting failed.
    #[error(transparent)]
    Mount(Box<MountError>),
    /// A device can't be formatted, checked, mounted or grown.
    #[error(transparent)]
    Filesystem(Box<FilesystemError>),
    /// A metric can't be read.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// Nothing has happened, and another attempt may succeed (`TransientOperationFailure`).
    #[error("{0}")]
    Transient(#[source] Box<Error>),
    /// The volume may be mounted or not: it must be unmounted even if its Pod is gone
    /// (`UncertainProgressError`).
    #[error("{0}")]
    Uncertain(#[source] Box<Error>),
    /// An error of a mounter or a runner of commands of another crate.
    #[error("{0}")]
    Other(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns an error of a mounter or a runner of commands of another crate.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// Returns an error about an argument.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }

    /// Returns a function for `map_err` that adds the attempted action and the file.
    pub fn io<E: Into<io::Error>>(
        action: &'static str,
        path: impl AsRef<Path>,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::Io {
            action,
            path: path.as_ref().to_owned(),
            source: source.into(),
        }
    }

    /// Wraps the error to say that nothing has happened and another attempt may succeed.
    #[must_use]
    pub fn transient(self) -> Self {
        Self::Transient(Box::new(self))
    }

    /// Wraps the error to say that the volume may be mounted.
    #[must_use]
    pub fn uncertain(self) -> Self {
        Self::Uncertain(Box::new(self))
    }

    /// Returns true if nothing has happened and another attempt may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Transient(_))
    }

    /// Returns true if the volume may be mounted.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Uncertain(_))
    }

    /// Returns true if nothing was mounted and the same attempt would fail again.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !self.is_transient() && !self.is_uncertain()
    }
}

impl From<MountError> for Error {
    fn from(error: MountError) -> Self {
        Self::Mount(Box::new(error))
    }
}

impl From<FilesystemError> for Error {
    fn from(error: FilesystemError) -> Self {
        Self::Filesystem(Box::new(error))
    }
}

/// An error of formatting, checking, mounting or growing the file system of a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesystemError {
    /// The device does not exist.
    #[error("the device {} does not exist; is the volume attached to this node?", device.display())]
    NoDevice {
        /// The device.
        device: PathBuf,
    },
    /// The device is empty, and may not be written to (`UnformattedReadOnly`).
    #[error(
        "{} is not formatted, and is to be mounted read-only; format it as {wanted}, or mount it \
         read-write once",
        device.display()
    )]
    UnformattedReadOnly {
        /// The device.
        device: PathBuf,
        /// The requested file system.
        wanted: String,
    },
    /// Another file system, or another use such as LVM, is on the device
    /// (`FilesystemMismatch`). It is not touched.
    #[error("{} is to be mounted as {wanted}, but it has {found}; nothing was changed", device.display())]
    Mismatch {
        /// The device.
        device: PathBuf,
        /// The requested file system.
        wanted: String,
        /// The content of the device.
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
        /// The requested file system.
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
    /// The content of the device can't be probed (`GetDiskFormatFailed`).
    #[error("probe the content of {}: {source}", device.display())]
    Probe {
        /// The device.
        device: PathBuf,
        /// The cause.
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
        /// The requested file system.
        fs_type: String,
        /// The cause.
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
        /// The shortened output of `fsck`.
        output: String,
    },
    /// The check hung or was killed.
    #[error("check {fs_type} on {}: {source}", device.display())]
    Check {
        /// The device.
        device: PathBuf,
        /// Its file system.
        fs_type: String,
        /// The cause.
        source: Box<Error>,
    },
    /// The file system can't be mounted.
    #[error("mount {fs_type}, which is on {}: {source}", device.display())]
    Mount {
        /// The device.
        device: PathBuf,
        /// The file system that is on it.
        fs_type: String,
        /// The cause.
        source: Box<Error>,
    },
    /// The file system can't be grown, or its size can't be read.
    #[error("resize {fs_type} on {}: {source}", device.display())]
    Resize {
        /// The device.
        device: PathBuf,
        /// Its file system.
        fs_type: String,
        /// The cause.
        source: Box<Error>,
    },
}
