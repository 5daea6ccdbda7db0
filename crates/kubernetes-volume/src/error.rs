//! What can go wrong with a volume.

use std::io;
use std::path::{Path, PathBuf};

use crate::metrics::MetricsError;

/// The result of an operation on a volume.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on a volume failed.
///
/// Kubernetes has three classes of errors of mounting. [`Error::Transient`] and
/// [`Error::Uncertain`] wrap an error to say its class; all others are final: nothing was
/// mounted, and the same attempt would fail again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was attempted, such as `open` or `create the directory`.
        action: &'static str,
        /// The file that it was about.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A specification, a path, a name or an option is wrong. The text says which, and what is
    /// allowed.
    #[error("{0}")]
    Invalid(String),
    /// A plugin or a host can't do what was asked.
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
    /// A command failed, hung, or printed what can't be read.
    #[error(transparent)]
    Exec(#[from] crate::exec::ExecError),
    /// A driver that is a program says that it failed.
    #[error("{driver} failed to {command}: {message}")]
    Driver {
        /// The name of its plugin.
        driver: String,
        /// What it was asked to do, such as `mount`.
        command: &'static str,
        /// What it says.
        message: String,
    },
    /// Mounting or unmounting failed.
    #[error(transparent)]
    Mount(Box<crate::mount::MountError>),
    /// A device can't be formatted, checked, mounted or grown.
    #[error(transparent)]
    Filesystem(Box<crate::filesystem::FilesystemError>),
    /// A metric can't be read.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
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

    /// Returns a function for `map_err` that adds what was attempted on which file.
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

    /// Says that nothing has happened and another attempt may succeed.
    #[must_use]
    pub fn transient(self) -> Self {
        Self::Transient(Box::new(self))
    }

    /// Says that the volume may be mounted.
    #[must_use]
    pub fn uncertain(self) -> Self {
        Self::Uncertain(Box::new(self))
    }

    /// Whether nothing has happened and another attempt may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Transient(_))
    }

    /// Whether the volume may be mounted.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Uncertain(_))
    }

    /// Whether nothing was mounted, and the same attempt would fail again.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !self.is_transient() && !self.is_uncertain()
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

impl From<crate::mount::MountError> for Error {
    fn from(error: crate::mount::MountError) -> Self {
        Self::Mount(Box::new(error))
    }
}

impl From<crate::filesystem::FilesystemError> for Error {
    fn from(error: crate::filesystem::FilesystemError) -> Self {
        Self::Filesystem(Box::new(error))
    }
}
