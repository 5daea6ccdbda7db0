//! local: a directory or a block device of the node, as a PersistentVolume.

mod block;
mod device;
mod mounter;
mod source;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{LocalVolumeSource, PersistentVolume, PersistentVolumeSpec, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_mount::filesystem::ResizeFs;

use self::source::{Local, mounted_from, persistent};
use super::LOCAL;
use super::shared::names;
use super::shared::slot::Slot;
use crate::interfaces::{
    BlockVolumeMapper, BlockVolumePlugin, BlockVolumeUnmapper, DeviceMountableVolumePlugin,
    DeviceMounter, DeviceUnmounter, Mounter, NodeExpandableVolumePlugin, PersistentVolumePlugin,
    Unmounter, VolumeHost, VolumePlugin,
};
use crate::{NodeResizeOptions, ReconstructedVolume, Result, Spec, VolumeOptions};

/// Mounts local PersistentVolumes.
///
/// A directory is bind mounted for each Pod. A block device is first mounted once for the node,
/// by the [device mounter](VolumePlugin::as_device_mountable), which formats an empty one; Pods
/// get bind mounts of that. As a raw device it is mapped under its path.
///
/// `fsGroup` is applied by the first Pod of the node. For the others it is not, so that one
/// doesn't take the files from another.
#[derive(Default)]
pub struct LocalPlugin {
    host: Slot,
}

impl LocalPlugin {
    /// Returns the plugin.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl VolumePlugin for LocalPlugin {
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()> {
        self.host.set(host);
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        LOCAL
    }

    fn volume_name(&self, spec: &Spec) -> Result<String> {
        Local::of(spec).map(|local| local.name.to_owned())
    }

    fn can_support(&self, spec: &Spec) -> bool {
        persistent(spec).is_some()
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        pod: &Pod,
        options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        let host = self.host.get(LOCAL)?;
        let local = Local::of(spec)?;
        let uid = names::pod_uid(pod)?;
        let from = mounted_from(&*host, &local)?;
        Ok(Box::new(mounter::LocalMounter::new(
            host,
            &local,
            (pod, uid),
            from,
            spec,
            options,
        )))
    }

    fn new_unmounter(&self, volume_name: &str, pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        let host = self.host.get(LOCAL)?;
        names::check("name of a PersistentVolume", volume_name)?;
        names::check("UID of the Pod", pod_uid)?;
        Ok(Box::new(mounter::LocalUnmounter::new(
            &*host,
            volume_name,
            pod_uid,
        )))
    }

    fn construct_volume_spec(
        &self,
        volume_name: &str,
        volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        let host = self.host.get(LOCAL)?;
        names::check("name of a PersistentVolume", volume_name)?;
        // Of a directory nothing has to be known to unmount it. Of a device: which one it is.
        let path = device::mounted_at(&*host, volume_name, volume_path)?;
        Ok(reconstructed(volume_name, path.as_deref(), "Filesystem").into())
    }

    fn supports_mount_option(&self) -> bool {
        true
    }

    fn as_persistent(self: Arc<Self>) -> Option<Arc<dyn PersistentVolumePlugin>> {
        Some(self)
    }

    fn as_device_mountable(self: Arc<Self>) -> Option<Arc<dyn DeviceMountableVolumePlugin>> {
        Some(self)
    }

    fn as_node_expandable(self: Arc<Self>) -> Option<Arc<dyn NodeExpandableVolumePlugin>> {
        Some(self)
    }

    fn as_block(self: Arc<Self>) -> Option<Arc<dyn BlockVolumePlugin>> {
        Some(self)
    }
}

fn reconstructed(name: &str, path: Option<&str>, mode: &str) -> Spec {
    let local = LocalVolumeSource {
        path: path.unwrap_or_default().to_owned(),
        ..LocalVolumeSource::default()
    };
    let spec = PersistentVolumeSpec {
        local: Some(local),
        volume_mode: Some(mode.to_owned()),
        ..PersistentVolumeSpec::default()
    };
    let volume = PersistentVolume {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: Some(spec),
        ..PersistentVolume::default()
    };
    Spec::from_persistent_volume(volume, false)
}

impl PersistentVolumePlugin for LocalPlugin {
    fn access_modes(&self) -> Vec<String> {
        vec!["ReadWriteOnce".to_owned()]
    }
}

impl DeviceMountableVolumePlugin for LocalPlugin {
    fn new_device_mounter(&self) -> Result<Box<dyn DeviceMounter>> {
        Ok(Box::new(device::LocalDevices {
            host: self.host.get(LOCAL)?,
        }))
    }

    fn new_device_unmounter(&self) -> Result<Box<dyn DeviceUnmounter>> {
        Ok(Box::new(device::LocalDevices {
            host: self.host.get(LOCAL)?,
        }))
    }

    fn device_mount_refs(&self, device_mount_path: &Path) -> Result<Vec<PathBuf>> {
        Ok(self
            .host
            .get(LOCAL)?
            .mounter(LOCAL)
            .mount_refs(device_mount_path)?)
    }

    fn can_device_mount(&self, spec: &Spec) -> Result<bool> {
        Local::of(spec).map(|_| true)
    }
}

impl NodeExpandableVolumePlugin for LocalPlugin {
    fn requires_fs_resize(&self) -> bool {
        true
    }

    /// Grows the file system of a block device to the size of the device. A directory and a raw
    /// device need nothing.
    fn node_expand(&self, options: &NodeResizeOptions) -> Result<bool> {
        let host = self.host.get(LOCAL)?;
        let local = Local::of(&options.volume_spec)?;
        if !local.is_block && mounted_from(&*host, &local)? != local.path {
            ResizeFs::new(host.exec(LOCAL)).resize(&local.path, &options.device_mount_path)?;
        }
        Ok(true)
    }
}

impl BlockVolumePlugin for LocalPlugin {
    fn new_block_volume_mapper(
        &self,
        spec: &Spec,
        pod: &Pod,
        _options: &VolumeOptions,
    ) -> Result<Box<dyn BlockVolumeMapper>> {
        let host = self.host.get(LOCAL)?;
        let local = Local::of(spec)?;
        let uid = names::pod_uid(pod)?;
        Ok(Box::new(block::LocalBlock::new(
            host, local.name, uid, local.path,
        )))
    }

    fn new_block_volume_unmapper(
        &self,
        volume_name: &str,
        pod_uid: &str,
    ) -> Result<Box<dyn BlockVolumeUnmapper>> {
        let host = self.host.get(LOCAL)?;
        names::check("name of a PersistentVolume", volume_name)?;
        names::check("UID of the Pod", pod_uid)?;
        Ok(Box::new(block::LocalBlock::new(
            host,
            volume_name,
            pod_uid,
            PathBuf::new(),
        )))
    }

    fn construct_block_volume_spec(
        &self,
        _pod_uid: &str,
        volume_name: &str,
        _map_path: &Path,
    ) -> Result<Spec> {
        names::check("name of a PersistentVolume", volume_name)?;
        Ok(reconstructed(volume_name, None, "Block"))
    }
}
