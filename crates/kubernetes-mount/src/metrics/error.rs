//! Errors of metrics.

use std::fmt::Display;
use std::path::Path;

use super::Metrics;

/// An error of reading metrics. [`partial`](Self::partial) has the values that were read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct MetricsError {
    /// The class of the error.
    pub code: MetricsErrorCode,
    /// The attempted action, the path, and the reason of the failure.
    pub message: String,
    /// The values that were read before the error.
    pub partial: Box<Metrics>,
}

/// The class of an error of metrics, with the numbers that Kubernetes has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetricsErrorCode {
    /// The volume has no metrics (`ErrCodeNotSupported`).
    NotSupported = 1,
    /// No path was given (`ErrCodeNoPathDefined`).
    NoPathDefined = 2,
    /// The file system can't be asked (`ErrCodeFsInfoFailed`).
    FsInfoFailed = 3,
}

impl MetricsError {
    fn new(code: MetricsErrorCode, message: String) -> Self {
        Self {
            code,
            message,
            partial: Box::default(),
        }
    }

    /// Returns the error of a volume without metrics (`NewNotSupportedError`).
    #[must_use]
    pub fn not_supported() -> Self {
        let message = "metrics are not supported".to_owned();
        Self::new(MetricsErrorCode::NotSupported, message)
    }

    /// Returns the error of a driver without metrics (`NewNotSupportedErrorWithDriverName`).
    #[must_use]
    pub fn not_supported_by(driver: &str) -> Self {
        let message = format!("metrics are not supported by {driver}");
        Self::new(MetricsErrorCode::NotSupported, message)
    }

    /// Returns the error of an empty path (`NewNoPathDefinedError`).
    #[must_use]
    pub fn no_path_defined() -> Self {
        let message = "no path defined for disk usage metrics.".to_owned();
        Self::new(MetricsErrorCode::NoPathDefined, message)
    }

    /// Returns the error of a file system that can't be asked (`NewFsInfoFailedError`).
    #[must_use]
    pub fn fs_info_failed(error: impl Display) -> Self {
        let message = format!("failed to get FsInfo due to error {error}");
        Self::new(MetricsErrorCode::FsInfoFailed, message)
    }

    /// Returns the error about a file.
    pub(super) fn at(path: &Path, error: impl Display) -> Self {
        Self::fs_info_failed(format_args!("{}: {error}", path.display()))
    }

    /// Adds the values that were read before the error.
    #[must_use]
    pub fn with_partial(mut self, partial: Metrics) -> Self {
        *self.partial = partial;
        self
    }

    /// Returns true if the volume has no metrics (`IsNotSupported`).
    #[must_use]
    pub fn is_not_supported(&self) -> bool {
        self.code == MetricsErrorCode::NotSupported
    }
}
