//! The space and the inodes of a volume.

use k8s_openapi::jiff::Timestamp;

/// What a volume uses and has. What is not known is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// When this was measured.
    pub time: Option<Timestamp>,
    /// The bytes that the volume uses.
    pub used: Option<u64>,
    /// The bytes of the file system, which the volume may share with others.
    pub capacity: Option<u64>,
    /// The bytes that are free for users other than root.
    pub available: Option<u64>,
    /// The inodes that the volume uses.
    pub inodes_used: Option<u64>,
    /// The inodes of the file system, which the volume may share with others.
    pub inodes: Option<u64>,
    /// The inodes that are free.
    pub inodes_free: Option<u64>,
}

/// Why metrics can't be read. [`partial`](Self::partial) has what was read nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct MetricsError {
    /// The class of the error.
    pub code: MetricsErrorCode,
    /// What was attempted, where, and why it failed.
    pub message: String,
    /// What was read before the error.
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

/// Measures a volume.
pub trait MetricsProvider {
    /// Returns what the volume uses and has. That may take long.
    ///
    /// # Errors
    ///
    /// When that can't be found out, or only in part.
    fn metrics(&self) -> Result<Metrics, MetricsError>;
}
