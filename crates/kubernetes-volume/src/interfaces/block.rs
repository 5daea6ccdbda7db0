//! Volumes that a Pod uses as devices.

use std::path::{Path, PathBuf};

use kubernetes_mount::metrics::{Metrics, MetricsError};

use crate::{Result, Spec};

/// The path of a device for a Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodDeviceMapPath {
    /// The directory, `pods/UID/volumeDevices/PLUGIN` under the root of the kubelet.
    pub dir: PathBuf,
    /// The name of the symbolic link in it.
    pub volume_name: String,
}

/// The paths of a volume that a Pod uses as a device.
pub trait BlockVolume: Send + Sync {
    /// Returns the directory with one bind mount of the device for each Pod,
    /// `plugins/PLUGIN/volumeDevices/VOLUME` under the root of the kubelet.
    ///
    /// # Errors
    ///
    /// When the volume is not of this plugin.
    fn global_map_path(&self, spec: &Spec) -> Result<PathBuf>;

    /// Returns where the device appears for the Pod.
    fn pod_device_map_path(&self) -> PodDeviceMapPath;

    /// Measures the device. That may take long.
    ///
    /// # Errors
    ///
    /// When the values can't be read. Without an override, devices have no metrics.
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        Err(MetricsError::not_supported())
    }
}

/// Maps a device to a Pod.
pub trait BlockVolumeMapper: BlockVolume {
    /// Returns the mapper if it has steps of its own.
    fn as_custom(&self) -> Option<&dyn CustomBlockVolumeMapper> {
        None
    }
}

/// Removes a device from a Pod.
pub trait BlockVolumeUnmapper: BlockVolume {
    /// Returns the unmapper if it has steps of its own.
    fn as_custom(&self) -> Option<&dyn CustomBlockVolumeUnmapper> {
        None
    }
}

/// A mapper with steps of its own.
pub trait CustomBlockVolumeMapper: BlockVolumeMapper {
    /// Prepares the volume on the node, and returns where it is staged. Can be repeated.
    ///
    /// # Errors
    ///
    /// When it can't be prepared.
    fn set_up_device(&self) -> Result<PathBuf>;

    /// Maps the device and returns its path, which is the same after a restart of the node, or
    /// nothing to use the path of the attacher.
    ///
    /// # Errors
    ///
    /// When it can't be mapped.
    fn map_pod_device(&self) -> Result<Option<PathBuf>>;

    /// Returns where the volume is staged.
    fn staging_path(&self) -> PathBuf;
}

/// An unmapper with steps of its own.
pub trait CustomBlockVolumeUnmapper: BlockVolumeUnmapper {
    /// Removes what [`set_up_device`](CustomBlockVolumeMapper::set_up_device) has made, and
    /// detaches the volume if no controller does.
    ///
    /// # Errors
    ///
    /// When something of it is still there.
    fn tear_down_device(&self, map_path: &Path, device_path: &Path) -> Result<()>;

    /// Removes what [`map_pod_device`](CustomBlockVolumeMapper::map_pod_device) has made.
    ///
    /// # Errors
    ///
    /// When something of it is still there.
    fn unmap_pod_device(&self) -> Result<()>;
}
