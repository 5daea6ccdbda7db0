//! csi: a CSI driver on the node does the work.
//!
//! The driver is a [`NodeClient`]; a program registers it in a [`DriversStore`]. Its CSIDriver
//! object comes from the [host](crate::interfaces::KubeletVolumeHost::csi_driver_lister), Secrets
//! and tokens too. Volumes that are attached need [`VolumeAttachments`], unless the CSIDriver says
//! `attachRequired: false`.
//!
//! | path under the root | is |
//! |---|---|
//! | `plugins/kubernetes.io/csi/DRIVER/SHA256/globalmount` | where a volume is staged; the hash is that of its handle |
//! | `pods/UID/volumes/kubernetes.io~csi/NAME/mount` | where a volume is published for a Pod |
//! | `plugins/kubernetes.io/csi/volumeDevices/staging/NAME` | where a device is staged |
//! | `plugins/kubernetes.io/csi/volumeDevices/publish/NAME/UID` | a device that is published for a Pod |
//! | `plugins/kubernetes.io/csi/volumeDevices/NAME/dev` | bind mounts of a device, which the caller makes |
//!
//! Beside `globalmount`, beside `mount` and in `volumeDevices/NAME/data`, the file `vol_data.json`
//! says which volume this is. Paths and files are those of a kubelet of 1.37: this plugin can tear
//! down what a kubelet has mounted, and a kubelet what this plugin has.
//!
//! Errors of the driver have the classes of [`CsiError::is_final`]: after a final one the
//! directories are removed; otherwise they stay, so that the volume can be torn down
//! ([`Error::Uncertain`](crate::Error::Uncertain)). What fails before the driver was asked to mount
//! is [`Error::Transient`](crate::Error::Transient). Fields of a CSIDriver that are absent have the
//! defaults of an API server.

mod attach;
mod attachments;
mod block;
mod client;
mod data;
mod device;
mod drivers;
mod error;
mod expand;
mod mounter;
mod node;
mod paths;
mod source;
mod stats;
mod tokens;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{
    CSIPersistentVolumeSource, CSIVolumeSource, PersistentVolume, PersistentVolumeSpec, Pod, Volume,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub use self::attachments::VolumeAttachments;
pub use self::block::mapped_on_disk;
pub use self::client::{
    AccessMode, AccessType, CALL_LIMIT, NodeCapability, NodeClient, NodeExpandVolumeRequest,
    NodeGetVolumeHealthRequest, NodeGetVolumeStatsRequest, NodeInfo, NodePublishVolumeRequest,
    NodeStageVolumeRequest, NodeUnpublishVolumeRequest, NodeUnstageVolumeRequest, Secrets,
    VolumeCapability, VolumeHealth, VolumeHealthStatus, VolumeStats, VolumeUsage,
};
use self::data::VolumeData;
pub use self::drivers::{CsiVersion, DriversStore, RegisteredDriver};
pub use self::error::{Code, CsiError};
use self::node::Node;
use self::paths::{BlockPaths, SEPARATOR};
pub use self::paths::{attachment_name, staged_on_disk};
use self::source::{Persistent, Source};
use super::CSI;
use super::shared::names;
use super::shared::slot::Slot;
use crate::interfaces::{
    AttachableVolumePlugin, Attacher, BlockVolumeMapper, BlockVolumePlugin, BlockVolumeUnmapper,
    Detacher, DeviceMountableVolumePlugin, DeviceMounter, DeviceUnmounter, Mounter,
    NodeExpandableVolumePlugin, Unmounter, VolumeHost, VolumePlugin,
};
use crate::{NodeResizeOptions, ReconstructedVolume, Result, Spec, VolumeOptions};

/// Mounts the volumes of CSI drivers: PersistentVolumes and volumes of Pods.
pub struct CsiPlugin {
    host: Slot,
    drivers: Arc<DriversStore>,
    attachments: Option<Arc<dyn VolumeAttachments>>,
    attach_limit: Duration,
}

impl CsiPlugin {
    /// Returns the plugin of the drivers that are in the store, now or later.
    #[must_use]
    pub fn new(drivers: Arc<DriversStore>) -> Self {
        Self {
            host: Slot::default(),
            drivers,
            attachments: None,
            attach_limit: CALL_LIMIT,
        }
    }

    /// Sets the VolumeAttachments of the cluster. Without it, only volumes that need not be
    /// attached can be mounted.
    #[must_use]
    pub fn with_attachments(mut self, attachments: Arc<dyn VolumeAttachments>) -> Self {
        self.attachments = Some(attachments);
        self
    }

    /// Sets the time in which a volume must be attached or detached. The default is two minutes.
    #[must_use]
    pub fn with_attach_limit(mut self, limit: Duration) -> Self {
        self.attach_limit = limit;
        self
    }

    fn node(&self) -> Result<Node> {
        Ok(Node {
            host: self.host.get(CSI)?,
            drivers: self.drivers.clone(),
            attachments: self.attachments.clone(),
            attach_limit: self.attach_limit,
        })
    }

    /// Returns the node, if it can attach.
    fn attaching(&self) -> Result<Node> {
        let node = self.node()?;
        node.attachments()?;
        Ok(node)
    }
}

impl VolumePlugin for CsiPlugin {
    fn init(&mut self, host: Arc<dyn VolumeHost>) -> Result<()> {
        self.host.set(host);
        Ok(())
    }

    fn plugin_name(&self) -> &str {
        CSI
    }

    /// Returns the driver and the handle of a PersistentVolume. Volumes of Pods have no name.
    fn volume_name(&self, spec: &Spec) -> Result<String> {
        let csi = Persistent::of(spec)?.csi;
        Ok(format!("{}{SEPARATOR}{}", csi.driver, csi.volume_handle))
    }

    fn can_support(&self, spec: &Spec) -> bool {
        Source::find(spec).is_some()
    }

    /// Returns true if the CSIDriver says `requiresRepublish`.
    fn requires_remount(&self, spec: &Spec) -> bool {
        let requires = || {
            let driver = Source::find(spec)?.driver();
            self.node()
                .ok()?
                .csi_driver(driver)
                .ok()??
                .requires_republish
        };
        requires() == Some(true)
    }

    fn new_mounter(
        &self,
        spec: &Spec,
        pod: &Pod,
        _options: &VolumeOptions,
    ) -> Result<Box<dyn Mounter>> {
        Ok(Box::new(mounter::CsiMounter::new(self.node()?, spec, pod)?))
    }

    fn new_unmounter(&self, volume_name: &str, pod_uid: &str) -> Result<Box<dyn Unmounter>> {
        let node = self.node()?;
        Ok(Box::new(mounter::CsiUnmounter::new(
            node,
            volume_name,
            pod_uid,
        )?))
    }

    /// Reads the file in the directory, which is the one above the mount point.
    fn construct_volume_spec(
        &self,
        volume_name: &str,
        volume_path: &Path,
    ) -> Result<ReconstructedVolume> {
        names::check("name of a volume", volume_name)?;
        let data = VolumeData::required(volume_path)?;
        let label = data.selinux_mount_context.clone();
        let spec = if data.volume_lifecycle_mode == "Ephemeral" {
            Spec::from(Volume {
                name: data.spec_vol_id,
                csi: Some(CSIVolumeSource {
                    driver: data.driver_name,
                    ..CSIVolumeSource::default()
                }),
                ..Volume::default()
            })
        } else {
            reconstructed(data, "Filesystem")
        };
        Ok(ReconstructedVolume {
            spec,
            selinux_mount_context: Some(label).filter(|label| !label.is_empty()),
        })
    }

    /// Returns true if the CSIDriver says `seLinuxMount`.
    fn supports_selinux_context_mount(&self, spec: &Spec) -> Result<bool> {
        let driver = self.node()?.csi_driver(Source::of(spec)?.driver())?;
        Ok(driver.and_then(|driver| driver.se_linux_mount) == Some(true))
    }

    fn supports_mount_option(&self) -> bool {
        true
    }

    fn as_attachable(self: Arc<Self>) -> Option<Arc<dyn AttachableVolumePlugin>> {
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

fn reconstructed(data: VolumeData, mode: &str) -> Spec {
    let csi = CSIPersistentVolumeSource {
        driver: data.driver_name,
        volume_handle: data.volume_handle,
        ..CSIPersistentVolumeSource::default()
    };
    let volume = PersistentVolume {
        metadata: ObjectMeta {
            name: Some(data.spec_vol_id),
            ..ObjectMeta::default()
        },
        spec: Some(PersistentVolumeSpec {
            csi: Some(csi),
            volume_mode: Some(mode.to_owned()),
            ..PersistentVolumeSpec::default()
        }),
        ..PersistentVolume::default()
    };
    Spec::from_persistent_volume(volume, false)
}

impl DeviceMountableVolumePlugin for CsiPlugin {
    fn new_device_mounter(&self) -> Result<Box<dyn DeviceMounter>> {
        Ok(Box::new(self.node()?))
    }

    fn new_device_unmounter(&self) -> Result<Box<dyn DeviceUnmounter>> {
        Ok(Box::new(self.node()?))
    }

    fn device_mount_refs(&self, device_mount_path: &Path) -> Result<Vec<PathBuf>> {
        Ok(self.node()?.mounter().mount_refs(device_mount_path)?)
    }

    /// Returns true for PersistentVolumes: whether its driver stages anything is found out later.
    fn can_device_mount(&self, spec: &Spec) -> Result<bool> {
        Ok(matches!(Source::of(spec)?, Source::Persistent(_)))
    }
}

impl AttachableVolumePlugin for CsiPlugin {
    fn new_attacher(&self) -> Result<Box<dyn Attacher>> {
        Ok(Box::new(self.attaching()?))
    }

    fn new_detacher(&self) -> Result<Box<dyn Detacher>> {
        Ok(Box::new(self.attaching()?))
    }

    fn can_attach(&self, spec: &Spec) -> Result<bool> {
        match Source::of(spec)? {
            Source::Inline(_) => Ok(false),
            Source::Persistent(source) => self.node()?.needs_attachment(&source.csi.driver),
        }
    }
}

impl NodeExpandableVolumePlugin for CsiPlugin {
    fn requires_fs_resize(&self) -> bool {
        true
    }

    /// Grows a volume. The error has the driver's code: see
    /// [`Error::csi`](crate::Error::csi), [`CsiError::is_infeasible`] and
    /// [`Code::FailedPrecondition`], with which a driver doesn't grow a volume in use.
    fn node_expand(&self, options: &NodeResizeOptions) -> Result<bool> {
        expand::expand(&self.node()?, options)
    }
}

impl BlockVolumePlugin for CsiPlugin {
    fn new_block_volume_mapper(
        &self,
        spec: &Spec,
        pod: &Pod,
        _options: &VolumeOptions,
    ) -> Result<Box<dyn BlockVolumeMapper>> {
        Ok(Box::new(block::CsiMapper::new(self.node()?, spec, pod)?))
    }

    fn new_block_volume_unmapper(
        &self,
        volume_name: &str,
        pod_uid: &str,
    ) -> Result<Box<dyn BlockVolumeUnmapper>> {
        let node = self.node()?;
        Ok(Box::new(block::CsiUnmapper::new(
            node,
            volume_name,
            pod_uid,
        )?))
    }

    fn construct_block_volume_spec(
        &self,
        _pod_uid: &str,
        volume_name: &str,
        _map_path: &Path,
    ) -> Result<Spec> {
        names::check("name of a PersistentVolume", volume_name)?;
        let paths = BlockPaths::new(&*self.host.get(CSI)?, volume_name);
        Ok(reconstructed(VolumeData::required(&paths.data)?, "Block"))
    }
}
