//! Errors of volumes.

use std::io;
use std::path::Path;

use kubernetes_mount::Error as NodeError;
use kubernetes_mount::exec::ExecError;
use kubernetes_mount::filesystem::FilesystemError;
use kubernetes_mount::metrics::MetricsError;
use kubernetes_mount::mount::MountError;

use crate::plugins::csi::CsiError;

/// The result of an operation on a volume.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an operation on a volume.
///
/// Kubernetes has three classes of errors of mounting. [`Error::Transient`] and
/// [`Error::Uncertain`] wrap an error to give it a class; all others are final: nothing was
/// mounted, and the same attempt would fail again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tool of the node failed: a system call, a command, mounting, a file system or a metric.
    ///
    /// The classes of `kubernetes_mount`'s errors and its errors about arguments become those of
    /// this type, so that callers find each in one place.
    #[error(transparent)]
    Node(NodeError),
    /// A specification, a path, a name or an option is wrong. The text says which, and what is
    /// allowed.
    #[error("{0}")]
    Invalid(String),
    /// A plugin, a host or the node does not support the operation.
    #[error("{0} is not supported")]
    NotSupported(String),
    /// An object of the API does not exist.
    #[error("{kind} {name:?} not found")]
    NotFound {
        /// The kind of the object, such as `secret`.
        kind: &'static str,
        /// Its namespace and name.
        name: String,
    },
    /// A driver that is a program reports a failure.
    #[error("{driver} failed to {command}: {message}")]
    Driver {
        /// The name of its plugin.
        driver: String,
        /// The operation, such as `mount`.
        command: &'static str,
        /// The message of the driver.
        message: String,
    },
    /// A call of a CSI driver failed. [`Error::csi`] finds it in an error of any class.
    #[error("the CSI driver {driver} failed {call}: {source}")]
    Csi {
        /// The name of the driver.
        driver: String,
        /// The call, such as `NodePublishVolume`.
        call: &'static str,
        /// The driver's error.
        source: CsiError,
    },
    /// The volume is in use. The caller tries again later and reports no error
    /// (`deletedVolumeInUseError`).
    #[error("{0} is in use")]
    InUse(String),
    /// Nothing has happened, and another attempt may succeed (`TransientOperationFailure`).
    #[error("{0}")]
    Transient(#[source] Box<Error>),
    /// The volume may be mounted or not: it must be torn down even if the Pod is gone
    /// (`UncertainProgressError`).
    #[error("{0}")]
    Uncertain(#[source] Box<Error>),
    /// Several things failed.
    #[error("[{}]", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Several(Vec<Error>),
    /// An error of a plugin or a host of another crate.
    #[error("{0}")]
    Other(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns an error of a plugin or a host of another crate.
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
        let error = NodeError::io(action, path);
        move |source| Self::Node(error(source))
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

    /// Returns the error of a CSI driver, if this is one, of any class.
    #[must_use]
    pub fn csi(&self) -> Option<&CsiError> {
        match self {
            Self::Csi { source, .. } => Some(source),
            Self::Transient(error) | Self::Uncertain(error) => error.csi(),
            _ => None,
        }
    }

    /// Returns nothing for no errors, the error for one, and [`Error::Several`] for more.
    ///
    /// # Errors
    ///
    /// When there are errors.
    pub fn all(mut errors: Vec<Self>) -> Result<()> {
        match errors.pop() {
            None => Ok(()),
            Some(only) if errors.is_empty() => Err(only),
            Some(last) => {
                errors.push(last);
                Err(Self::Several(errors))
            }
        }
    }
}

impl From<NodeError> for Error {
    fn from(error: NodeError) -> Self {
        match error {
            NodeError::Transient(error) => Self::from(*error).transient(),
            NodeError::Uncertain(error) => Self::from(*error).uncertain(),
            NodeError::Invalid(text) => Self::Invalid(text),
            NodeError::NotSupported(operation) => Self::NotSupported(operation),
            NodeError::Other(error) => Self::Other(error),
            error => Self::Node(error),
        }
    }
}

/// Wraps errors of parts of `kubernetes_mount`, which has an error for all of them.
macro_rules! from_node {
    ($($error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::Node(error.into())
            }
        })*
    };
}

from_node!(ExecError, FilesystemError, MetricsError, MountError);
