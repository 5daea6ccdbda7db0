//! Metrics of a block device.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags, open};

use super::{Metrics, MetricsError, MetricsProvider};

/// Measures a block device, or a file that is used as one: its capacity, and nothing else.
#[derive(Clone, Debug)]
pub struct MetricsBlock {
    device: PathBuf,
}

impl MetricsBlock {
    /// Returns the metrics provider of the device.
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
        let capacity = self.capacity();
        let capacity = capacity.map_err(|error| MetricsError::at(&self.device, error))?;
        Ok(Metrics {
            capacity: Some(capacity),
            ..Metrics::now()
        })
    }
}

impl MetricsBlock {
    fn capacity(&self) -> io::Result<u64> {
        // Opening a named pipe would wait for who writes to it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut device = File::from(open(&self.device, flags, Mode::empty())?);
        let file_type = device.metadata()?.file_type();
        if !file_type.is_block_device() && !file_type.is_file() {
            return Err(io::Error::other("no block device"));
        }
        device.seek(SeekFrom::End(0))
    }
}
