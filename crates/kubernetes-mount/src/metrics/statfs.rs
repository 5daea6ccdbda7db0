//! Metrics of a file system.

use std::path::{Path, PathBuf};

use rustix::fs::{StatVfs, statvfs};

use super::{Metrics, MetricsError, MetricsProvider};

/// Measures the file system at a path (`NewMetricsStatFS`).
#[derive(Clone, Debug)]
pub struct MetricsStatFs {
    path: PathBuf,
}

impl MetricsStatFs {
    /// Returns the metrics provider of the file system at the path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl MetricsProvider for MetricsStatFs {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        if self.path.as_os_str().is_empty() {
            return Err(MetricsError::no_path_defined());
        }
        let mut metrics = Metrics::now();
        let (used, inodes_used) = add(&self.path, statvfs(&self.path), &mut metrics)?;
        metrics.used = Some(used);
        metrics.inodes_used = Some(inodes_used);
        Ok(metrics)
    }
}

/// Adds what a file system has, and returns the bytes and the inodes that are in use.
pub(super) fn add(
    path: &Path,
    stat: rustix::io::Result<StatVfs>,
    metrics: &mut Metrics,
) -> Result<(u64, u64), MetricsError> {
    let stat = stat.map_err(|error| MetricsError::at(path, error))?;
    // Numbers are of fragments, as for df. Kubernetes takes them for blocks, which have the same
    // size in all but a few file systems.
    let bytes = |fragments: u64| fragments.saturating_mul(stat.f_frsize);
    metrics.capacity = Some(bytes(stat.f_blocks));
    metrics.available = Some(bytes(stat.f_bavail));
    metrics.inodes = Some(stat.f_files);
    metrics.inodes_free = Some(stat.f_ffree);
    let used = bytes(stat.f_blocks.saturating_sub(stat.f_bfree));
    Ok((used, stat.f_files.saturating_sub(stat.f_ffree)))
}
