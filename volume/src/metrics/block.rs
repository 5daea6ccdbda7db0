//! Metrics of a block device.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;

use super::{Metrics, MetricsError, MetricsProvider};

/// Measures a block device: its capacity, and nothing else.
#[derive(Clone, Debug)]
pub struct MetricsBlock {
    device: PathBuf,
}

impl MetricsBlock {
    /// Returns what measures the device.
    pub fn new(device: impl Into<PathBuf>) -> Self {
        Self {
            device: device.into(),
        }
    }
}

impl MetricsProvider for MetricsBlock {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        if self.device.as_os_str().is_empty() {
            return Err(MetricsError::no_path_defined());
        }
        let end = File::open(&self.device)
            .and_then(|mut device| device.seek(SeekFrom::End(0)));
        let capacity = end.map_err(|error| MetricsError::at(&self.device, error))?;
        Ok(Metrics {
            capacity: Some(capacity),
            ..Metrics::now()
        })
    }
}
