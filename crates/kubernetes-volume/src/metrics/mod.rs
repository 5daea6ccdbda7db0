//! The space and the inodes of a volume.
//!
//! | | measures |
//! |---|---|
//! | [`MetricsDu`] | a directory that shares its file system with others, by a walk over its files |
//! | [`MetricsStatFs`] | a file system of its own |
//! | [`MetricsBlock`] | a block device |
//! | [`CachedMetrics`] | what another one has measured first, for volumes that don't change |
//! | [`MetricsNil`] | nothing: a volume without metrics |

mod block;
mod cached;
mod du;
mod error;
mod statfs;

use std::time::{SystemTime, UNIX_EPOCH};

pub use block::MetricsBlock;
pub use cached::CachedMetrics;
pub use du::MetricsDu;
pub use error::{MetricsError, MetricsErrorCode};
use k8s_openapi::jiff::Timestamp;
pub use statfs::MetricsStatFs;

/// What a volume uses and has. What is not known is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// When this was measured.
    pub time: Option<Timestamp>,
    /// The bytes that the volume uses: of files, the blocks that they have on the disk.
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

impl Metrics {
    /// Returns metrics of this moment in which nothing is known.
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let time = since.and_then(|since| {
            let seconds = i64::try_from(since.as_secs()).ok()?;
            Timestamp::new(seconds, since.subsec_nanos().cast_signed()).ok()
        });
        Self {
            time,
            ..Self::default()
        }
    }
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

/// Metrics of a volume that has none: always an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct MetricsNil;

impl MetricsProvider for MetricsNil {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        Err(MetricsError::not_supported())
    }
}
