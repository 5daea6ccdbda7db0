//! The space and the inodes of a volume.
//!
//! | | measures |
//! |---|---|
//! | [`MetricsDu`] | a directory that shares its file system with others, by a walk |
//! | [`MetricsStatFs`] | a file system of its own |
//! | [`MetricsBlock`] | a block device |
//! | [`CachedMetrics`] | what another one has measured first, for volumes that don't change |
//! | [`MetricsNil`] | nothing: a volume without metrics |

mod block;
mod cached;
mod du;
mod error;
mod provider;
mod statfs;
mod values;

pub use block::MetricsBlock;
pub use cached::CachedMetrics;
pub use du::MetricsDu;
pub use error::{MetricsError, MetricsErrorCode};
pub use provider::{MetricsNil, MetricsProvider};
pub use statfs::MetricsStatFs;
pub use values::Metrics;
