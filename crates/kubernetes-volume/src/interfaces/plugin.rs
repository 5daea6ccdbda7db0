//! Plugins, and what some of them can do beyond mounting.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::{
    Attacher, BlockVolumeMapper, BlockVolumeUnmapper, BulkVolumeVerifier, Deleter, Detacher,
    DeviceMounter, DeviceUnmounter, EventRecorder, Mounter, Unmounter, VolumeHost,
    VolumeProvisioner,
};
use crate::{NodeResizeOptions, ReconstructedVolume, Result, Spec, VolumeOptions};

/// Mounts the volumes of one type.
///
/// Each further capability is a trait, and a method returns the plugin as that trait:
///
/// ```
/// # use std::sync::Arc;
/// # use kubernetes_volume::interfaces::{PersistentVolumePlugin, VolumePlugin};
/// fn access_modes(plugin: Arc<dyn VolumePlugin>) -> Vec<String> {
///     plugin.as_persistent().map(|plugin| plugin.access_modes()).unwrap_or_default()
/// }
/// ```
pub trait VolumePlugin: Send + Sync {
    /// Prepares the plugin. The manager calls it once, before all other methods but
    /// [`plugin_name`](Self::plugin_name).
    ///
    /// # Errors
    ///
    /// When the plugin can't be used; then it isn't registered.
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()>;

    /// Returns the qualified name of the plugin, such as `example.com/volume`. The prefix
    /// `kubernetes.io` is for the plugins of Kubernetes.
    fn plugin_name(&self) -> &str;

    /// Returns a name for the device, directory or share behind the volume. A
    /// [`Detacher`] must be able to find it by this name.
    ///
    /// # Errors
    ///
    /// When the volume is not of this plugin.
    fn volume_name(&self, spec: &Spec) -> Result<String>;

    /// Returns true if the volume is of this plugin.
    fn can_support(&self, spec: &Spec) -> bool;

    /// Returns true if the volume must be set up again and again, because its content changes.
    fn requires_remount(&self, spec: &Spec) -> bool {
        let _ = spec;
        false
    }

    /// Returns the mounter of the volume for a Pod.
    ///
    /// # Errors
    ///
    /// When the volume is wrong.
    fn new_mounter(
        &self,
        spec: &Spec,
        pod: &Pod,
        options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>>;

    /// Returns the unmounter of the volume of that name for the Pod with that UID.
    ///
    /// # Errors
    ///
    /// When the name or the UID is wrong.
    fn new_unmounter(&self, volume_name: &str, pod_uid: &str) -> Result<Box<dyn Unmounter>>;

    /// Returns as much of the volume as can be read from its mounted directory, to unmount it
    /// after a restart.
    ///
    /// # Errors
    ///
    /// When that is not enough.
    fn construct_volume_spec(
        &self,
        volume_name: &str,
        volume_path: &Path,
    ) -> Result<ReconstructedVolume>;

    /// Returns true if a PersistentVolume of this plugin may have mount options.
    fn supports_mount_option(&self) -> bool {
        false
    }

    /// Returns true if the volume can be mounted with an SELinux label for all its files
    /// (`context=`), so that no runtime has to label them one by one. Of the plugins here, only
    /// that of CSI can.
    ///
    /// # Errors
    ///
    /// When that can't be found out.
    fn supports_selinux_context_mount(&self, spec: &Spec) -> Result<bool> {
        let _ = spec;
        Ok(false)
    }

    /// Returns the verifier if the volumes of all nodes can be asked for at once
    /// (`SupportsBulkVolumeVerification`).
    fn bulk_volume_verifier(&self) -> Option<&dyn BulkVolumeVerifier> {
        None
    }

    /// Returns the plugin if its volumes outlive Pods.
    fn as_persistent(self: Arc<Self>) -> Option<Arc<dyn PersistentVolumePlugin>> {
        None
    }

    /// Returns the plugin if it can empty volumes.
    fn as_recyclable(self: Arc<Self>) -> Option<Arc<dyn RecyclableVolumePlugin>> {
        None
    }

    /// Returns the plugin if it can delete volumes.
    fn as_deletable(self: Arc<Self>) -> Option<Arc<dyn DeletableVolumePlugin>> {
        None
    }

    /// Returns the plugin if it can make volumes.
    fn as_provisionable(self: Arc<Self>) -> Option<Arc<dyn ProvisionableVolumePlugin>> {
        None
    }

    /// Returns the plugin if its volumes are attached to nodes.
    fn as_attachable(self: Arc<Self>) -> Option<Arc<dyn AttachableVolumePlugin>> {
        None
    }

    /// Returns the plugin if it mounts devices once for the node.
    fn as_device_mountable(self: Arc<Self>) -> Option<Arc<dyn DeviceMountableVolumePlugin>> {
        None
    }

    /// Returns the plugin if a controller can grow its volumes.
    fn as_expandable(self: Arc<Self>) -> Option<Arc<dyn ExpandableVolumePlugin>> {
        None
    }

    /// Returns the plugin if the node can grow its volumes.
    fn as_node_expandable(self: Arc<Self>) -> Option<Arc<dyn NodeExpandableVolumePlugin>> {
        None
    }

    /// Returns the plugin if Pods can use its volumes as devices.
    fn as_block(self: Arc<Self>) -> Option<Arc<dyn BlockVolumePlugin>> {
        None
    }

    /// Returns the plugin if a node can have only so many of its volumes.
    fn as_with_attach_limits(self: Arc<Self>) -> Option<Arc<dyn VolumePluginWithAttachLimits>> {
        None
    }
}

/// A plugin whose volumes outlive Pods.
pub trait PersistentVolumePlugin: VolumePlugin {
    /// Returns the access modes that a volume can have, such as `ReadWriteOnce`.
    fn access_modes(&self) -> Vec<String>;
}

/// A plugin that can empty a volume for the next claim.
pub trait RecyclableVolumePlugin: VolumePlugin {
    /// Empties the volume. Events are recorded of the PersistentVolume.
    ///
    /// # Errors
    ///
    /// When it may not be empty.
    fn recycle(&self, pv_name: &str, spec: &Spec, recorder: &dyn EventRecorder) -> Result<()>;
}

/// A plugin that can delete volumes.
pub trait DeletableVolumePlugin: VolumePlugin {
    /// Returns the deleter of the volume.
    ///
    /// # Errors
    ///
    /// When the volume is not of this plugin.
    fn new_deleter(&self, spec: &Spec) -> Result<Box<dyn Deleter>>;
}

/// A plugin that can make volumes.
pub trait ProvisionableVolumePlugin: VolumePlugin {
    /// Returns the provisioner of the volume.
    ///
    /// # Errors
    ///
    /// When the options are wrong.
    fn new_provisioner(&self, options: &VolumeOptions) -> Result<Box<dyn VolumeProvisioner>>;
}

/// A plugin that mounts devices once for the node.
pub trait DeviceMountableVolumePlugin: VolumePlugin {
    /// Returns the mounter of devices.
    ///
    /// # Errors
    ///
    /// When the node can't.
    fn new_device_mounter(&self) -> Result<Box<dyn DeviceMounter>>;

    /// Returns the unmounter of devices.
    ///
    /// # Errors
    ///
    /// When the node can't.
    fn new_device_unmounter(&self) -> Result<Box<dyn DeviceUnmounter>>;

    /// Returns the other mounts of the device that is mounted here.
    ///
    /// # Errors
    ///
    /// When the mounts can't be read.
    fn device_mount_refs(&self, device_mount_path: &Path) -> Result<Vec<PathBuf>>;

    /// Returns true if the device of this volume can be mounted.
    ///
    /// # Errors
    ///
    /// When that can't be found out.
    fn can_device_mount(&self, spec: &Spec) -> Result<bool> {
        let _ = spec;
        Ok(true)
    }
}

/// A plugin whose volumes are attached to nodes.
pub trait AttachableVolumePlugin: DeviceMountableVolumePlugin {
    /// Returns the attacher.
    ///
    /// # Errors
    ///
    /// When there is none here.
    fn new_attacher(&self) -> Result<Box<dyn Attacher>>;

    /// Returns the detacher.
    ///
    /// # Errors
    ///
    /// When there is none here.
    fn new_detacher(&self) -> Result<Box<dyn Detacher>>;

    /// Returns true if this volume must be attached.
    ///
    /// # Errors
    ///
    /// When that can't be found out.
    fn can_attach(&self, spec: &Spec) -> Result<bool> {
        let _ = spec;
        Ok(true)
    }
}

/// A plugin whose volumes a controller can grow.
pub trait ExpandableVolumePlugin: VolumePlugin {
    /// Grows the volume and returns the size that it has, in bytes.
    ///
    /// # Errors
    ///
    /// When it can't be grown.
    fn expand_volume_device(&self, spec: &Spec, new_size: u64, old_size: u64) -> Result<u64>;

    /// Returns true if the file system must be grown on the node afterwards.
    fn requires_fs_resize(&self) -> bool;
}

/// A plugin whose volumes are grown on the node.
pub trait NodeExpandableVolumePlugin: VolumePlugin {
    /// Returns true if the file system must be grown.
    fn requires_fs_resize(&self) -> bool;

    /// Grows the volume. Returns whether it has the new size.
    ///
    /// # Errors
    ///
    /// When it can't be grown.
    fn node_expand(&self, options: &NodeResizeOptions) -> Result<bool>;
}

/// A plugin whose volumes Pods can use as devices.
pub trait BlockVolumePlugin: VolumePlugin {
    /// Returns the mapper of the device for a Pod.
    ///
    /// # Errors
    ///
    /// When the volume is wrong.
    fn new_block_volume_mapper(
        &self,
        spec: &Spec,
        pod: &Pod,
        options: &VolumeOptions,
    ) -> Result<Box<dyn BlockVolumeMapper>>;

    /// Returns the unmapper of the device for the Pod with that UID.
    ///
    /// # Errors
    ///
    /// When the name or the UID is wrong.
    fn new_block_volume_unmapper(
        &self,
        volume_name: &str,
        pod_uid: &str,
    ) -> Result<Box<dyn BlockVolumeUnmapper>>;

    /// Returns as much of the volume as can be read from its paths.
    ///
    /// # Errors
    ///
    /// When that is not enough.
    fn construct_block_volume_spec(
        &self,
        pod_uid: &str,
        volume_name: &str,
        map_path: &Path,
    ) -> Result<Spec>;
}

/// A plugin of whose volumes a node can have only so many, such as those of a cloud. The plugins of
/// this crate have no limits.
pub trait VolumePluginWithAttachLimits: VolumePlugin {
    /// Returns how many volumes the node can have, by the key of their limit, such as
    /// `storage-limits-example`.
    ///
    /// # Errors
    ///
    /// When this node has no such volumes.
    fn volume_limits(&self) -> Result<BTreeMap<String, i64>>;

    /// Returns the key of the limit that the volume counts for, which begins with
    /// `storage-limits-`.
    fn volume_limit_key(&self, spec: &Spec) -> String;
}
