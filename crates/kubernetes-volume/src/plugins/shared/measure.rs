//! The metrics of volumes.

use std::path::{Path, PathBuf};

use kubernetes_mount::metrics::{
    CachedMetrics, Metrics, MetricsDu, MetricsError, MetricsProvider, MetricsStatFs,
};
use kubernetes_mount::mount::Mount;

/// The metrics provider of a volume.
pub(crate) enum Measure {
    /// The files in a directory.
    Du(PathBuf),
    /// The files in a directory, once.
    Cached(Box<CachedMetrics<MetricsDu>>),
    /// The file system.
    StatFs(PathBuf),
}

impl Measure {
    /// Measures the files in a directory, the first time that it succeeds.
    pub(crate) fn cached(path: &Path) -> Self {
        Self::Cached(Box::new(CachedMetrics::new(MetricsDu::new(path))))
    }

    /// Measures the file system if one is mounted here, and otherwise the files.
    pub(crate) fn mounted_or_files(mounter: &dyn Mount, path: &Path) -> Self {
        match mounter.is_mount_point(path) {
            Ok(true) => Self::StatFs(path.to_owned()),
            _ => Self::Du(path.to_owned()),
        }
    }
}

impl MetricsProvider for Measure {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        match self {
            Self::Du(path) => MetricsDu::new(path).metrics(),
            Self::Cached(cached) => cached.metrics(),
            Self::StatFs(path) => MetricsStatFs::new(path).metrics(),
        }
    }
}
