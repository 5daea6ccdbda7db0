//! Attaching a volume to a node, and mounting its device once for the node.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;

use crate::{DeviceMounterArgs, Result, Spec};

/// Mounts the device of a volume once for the node. Pods get bind mounts of that.
pub trait DeviceMounter: Send + Sync {
    /// Returns where the device is mounted.
    ///
    /// # Errors
    ///
    /// When the volume is not of this plugin.
    fn device_mount_path(&self, spec: &Spec) -> Result<PathBuf>;

    /// Mounts the device. The device path is empty if the plugin doesn't attach.
    ///
    /// # Errors
    ///
    /// When it can't be mounted; see [`Error`](crate::Error) for the classes.
    fn mount_device(
        &self,
        spec: &Spec,
        device_path: &Path,
        device_mount_path: &Path,
        args: &DeviceMounterArgs,
    ) -> Result<()>;
}

/// Unmounts the device of a volume.
pub trait DeviceUnmounter: Send + Sync {
    /// Unmounts the device, after all bind mounts of Pods are gone.
    ///
    /// # Errors
    ///
    /// When it is still mounted.
    fn unmount_device(&self, device_mount_path: &Path) -> Result<()>;
}

/// Attaches volumes to nodes.
pub trait Attacher: DeviceMounter {
    /// Attaches the volume and returns the path of its device on the node.
    ///
    /// # Errors
    ///
    /// When it can't be attached.
    fn attach(&self, spec: &Spec, node_name: &str) -> Result<PathBuf>;

    /// Returns for each volume, in their order, whether it is attached to the node.
    ///
    /// # Errors
    ///
    /// When that can't be found out.
    fn volumes_are_attached(&self, specs: &[Spec], node_name: &str) -> Result<Vec<bool>>;

    /// Waits for the device to appear on this node and returns its path.
    ///
    /// # Errors
    ///
    /// When it does not appear in time.
    fn wait_for_attach(
        &self,
        spec: &Spec,
        device_path: &Path,
        pod: &Pod,
        timeout: Duration,
    ) -> Result<PathBuf>;
}

/// Detaches volumes from nodes.
pub trait Detacher: DeviceUnmounter {
    /// Detaches the volume that
    /// [`volume_name`](crate::interfaces::VolumePlugin::volume_name) has named.
    ///
    /// # Errors
    ///
    /// When it is still attached.
    fn detach(&self, volume_name: &str, node_name: &str) -> Result<()>;
}

/// Asks for the volumes of all nodes at once.
///
/// A plugin implements it for the attach-detach controller that runs the plugin; nothing here calls
/// it.
pub trait BulkVolumeVerifier: Send + Sync {
    /// Returns for each node whether its volumes, in their order, are attached.
    ///
    /// # Errors
    ///
    /// When that can't be found out. All volumes are then taken for attached.
    fn bulk_verify_volumes(
        &self,
        volumes_by_node: &BTreeMap<String, Vec<Spec>>,
    ) -> Result<BTreeMap<String, Vec<bool>>>;
}
