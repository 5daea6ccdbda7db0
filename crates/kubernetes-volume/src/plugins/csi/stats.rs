//! The metrics of a volume, which its driver measures.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider};

use super::node::Node;
use super::{NodeCapability, NodeGetVolumeStatsRequest};

/// A volume at a path.
pub(super) struct CsiMetrics {
    node: Node,
    driver: String,
    handle: String,
    path: PathBuf,
}

impl CsiMetrics {
    pub(super) fn new(node: &Node, driver: &str, handle: &str, path: &Path) -> Self {
        Self {
            node: node.clone(),
            driver: driver.to_owned(),
            handle: handle.to_owned(),
            path: path.to_owned(),
        }
    }
}

impl MetricsProvider for CsiMetrics {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        let time = SystemTime::now();
        let driver = self.node.driver(&self.driver);
        let driver = driver.map_err(MetricsError::fs_info_failed)?;
        let capabilities = driver
            .capabilities()
            .map_err(MetricsError::fs_info_failed)?;
        if !capabilities.contains(&NodeCapability::GetVolumeStats) {
            return Err(MetricsError::not_supported_by(&self.driver));
        }
        let request = NodeGetVolumeStatsRequest {
            volume_id: self.handle.clone(),
            volume_path: self.path.clone(),
        };
        let answer = driver.client.node_get_volume_stats(&request);
        let stats = driver.done("NodeGetVolumeStats", answer);
        let stats = stats.map_err(MetricsError::fs_info_failed)?;
        let mut metrics = Metrics::default();
        metrics.time = Some(time);
        if let Some(bytes) = stats.bytes {
            metrics.used = Some(bytes.used);
            metrics.capacity = Some(bytes.total);
            metrics.available = Some(bytes.available);
        }
        if let Some(inodes) = stats.inodes {
            metrics.inodes_used = Some(inodes.used);
            metrics.inodes = Some(inodes.total);
            metrics.inodes_free = Some(inodes.available);
        }
        if stats.bytes.is_none() && stats.inodes.is_none() {
            let driver = &self.driver;
            let message = format!("the CSI driver {driver} measured neither bytes nor inodes");
            return Err(MetricsError::fs_info_failed(message));
        }
        Ok(metrics)
    }
}
