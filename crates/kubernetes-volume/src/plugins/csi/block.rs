//! Volumes that Pods use as devices.

use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::Pod;
use kubernetes_mount::metrics::{Metrics, MetricsError, MetricsProvider};
use kubernetes_mount::remove::remove_tree;
use tracing::debug;

use super::data::VolumeData;
use super::mounter::DIRECTORY;
use super::node::{Driver, Node, add_pod_info};
use super::paths::{BlockPaths, RESERVED, attachment_name};
use super::source::{Persistent, Source};
use super::stats::CsiMetrics;
use super::{
    AccessType, NodeCapability, NodePublishVolumeRequest, NodeStageVolumeRequest,
    NodeUnpublishVolumeRequest, NodeUnstageVolumeRequest,
};
use crate::interfaces::{
    BlockVolume, BlockVolumeMapper, BlockVolumeUnmapper, CustomBlockVolumeMapper,
    CustomBlockVolumeUnmapper, PodDeviceMapPath,
};
use crate::plugins::CSI;
use crate::plugins::shared::{dirs, names};
use crate::{Error, Result, Spec};

/// A volume of a Pod.
struct Block {
    node: Node,
    name: String,
    pod_uid: String,
    paths: BlockPaths,
}

impl Block {
    fn new(node: Node, volume_name: &str, pod_uid: &str) -> Result<Self> {
        names::check("name of a PersistentVolume", volume_name)?;
        names::check("UID of the Pod", pod_uid)?;
        // They would be those of all volumes.
        if RESERVED.contains(&volume_name) {
            return Err(Error::invalid(format!(
                "a PersistentVolume with the name {volume_name:?} can't be used as a device: it \
                 would have the directories of others"
            )));
        }
        Ok(Self {
            paths: BlockPaths::new(&*node.host, volume_name),
            name: volume_name.to_owned(),
            pod_uid: pod_uid.to_owned(),
            node,
        })
    }

    fn publish_path(&self) -> PathBuf {
        self.paths.publish.join(&self.pod_uid)
    }

    fn pod_device_map_path(&self) -> PodDeviceMapPath {
        PodDeviceMapPath {
            dir: self.node.host.pod_volume_device_dir(&self.pod_uid, CSI),
            volume_name: self.name.clone(),
        }
    }

    fn metrics(&self, driver: &str, handle: &str) -> Result<Metrics, MetricsError> {
        let path = self.paths.global_map.join(&self.pod_uid);
        CsiMetrics::new(&self.node, driver, handle, &path).metrics()
    }

    /// Removes what is left of a volume that no Pod has. If one has it, nothing is removed.
    fn clean_up(&self) -> Result<()> {
        dirs::remove_empty(&self.paths.publish)?;
        dirs::remove_empty(&self.paths.staging)?;
        Ok(remove_tree(&self.paths.dir)?)
    }
}

pub(super) struct CsiMapper {
    block: Block,
    spec: Spec,
    pod: Pod,
    read_only: bool,
}

impl CsiMapper {
    pub(super) fn new(node: Node, spec: &Spec, pod: &Pod) -> Result<Self> {
        Persistent::of(spec)?;
        Ok(Self {
            block: Block::new(node, spec.name(), names::pod_uid(pod)?)?,
            spec: spec.clone(),
            pod: pod.clone(),
            read_only: spec.read_only,
        })
    }

    /// Writes the file by which the volume is torn down.
    fn save(&self, source: Persistent<'_>) -> Result<()> {
        let node_name = self.block.node.host.node_name();
        let (driver, handle) = (&source.csi.driver, &source.csi.volume_handle);
        let data = VolumeData {
            attachment_id: attachment_name(handle, driver, &node_name),
            driver_name: driver.clone(),
            node_name,
            spec_vol_id: self.block.name.clone(),
            volume_handle: handle.clone(),
            ..VolumeData::default()
        };
        dirs::make(&self.block.paths.data, DIRECTORY)?;
        data.save(&self.block.paths.data)
    }

    fn stage(&self, source: Persistent<'_>, driver: &Driver) -> Result<PathBuf> {
        let node = &self.block.node;
        let csi = source.csi;
        let capabilities = driver.capabilities()?;
        if !capabilities.contains(&NodeCapability::StageUnstageVolume) {
            return Ok(PathBuf::new());
        }
        let both = Source::Persistent(source);
        let staging = &self.block.paths.staging;
        let request = NodeStageVolumeRequest {
            volume_id: csi.volume_handle.clone(),
            publish_context: node.publish_context(&csi.driver, &csi.volume_handle)?,
            staging_target_path: staging.clone(),
            volume_capability: both.capability(AccessType::Block, &capabilities),
            secrets: node.secrets(csi.node_stage_secret_ref.as_ref())?,
            volume_context: both.attributes(),
        };
        dirs::make(staging, DIRECTORY)?;
        let answer = driver.client.node_stage_volume(&request);
        driver.done("NodeStageVolume", answer)?;
        Ok(staging.clone())
    }
}

impl BlockVolume for CsiMapper {
    fn global_map_path(&self, _spec: &Spec) -> Result<PathBuf> {
        Ok(self.block.paths.global_map.clone())
    }

    fn pod_device_map_path(&self) -> PodDeviceMapPath {
        self.block.pod_device_map_path()
    }

    fn metrics(&self) -> Result<Metrics, MetricsError> {
        let source = Persistent::of(&self.spec).map_err(MetricsError::fs_info_failed)?;
        self.block
            .metrics(&source.csi.driver, &source.csi.volume_handle)
    }
}

impl BlockVolumeMapper for CsiMapper {
    fn as_custom(&self) -> Option<&dyn CustomBlockVolumeMapper> {
        Some(self)
    }
}

impl CustomBlockVolumeMapper for CsiMapper {
    fn set_up_device(&self) -> Result<PathBuf> {
        let source = Persistent::of(&self.spec)?;
        let driver = self.block.node.driver(&source.csi.driver)?;
        self.save(source)?;
        self.stage(source, &driver).inspect_err(|error| {
            if error.is_final()
                && let Err(error) = self.block.clean_up()
            {
                debug!("what a failed attempt left stays: {error}");
            }
        })
    }

    fn map_pod_device(&self) -> Result<Option<PathBuf>> {
        let node = &self.block.node;
        let source = Persistent::of(&self.spec)?;
        let csi = source.csi;
        let driver = node.driver(&csi.driver)?;
        let capabilities = driver.capabilities()?;
        let csi_driver = node.csi_driver(&csi.driver).map_err(Error::transient)?;
        let both = Source::Persistent(source);
        let mut volume_context = both.attributes();
        let mode = both.lifecycle_mode();
        add_pod_info(&mut volume_context, csi_driver.as_ref(), &self.pod, &mode);
        let target = self.block.publish_path();
        let request = NodePublishVolumeRequest {
            volume_id: csi.volume_handle.clone(),
            publish_context: node.publish_context(&csi.driver, &csi.volume_handle)?,
            // Also if the driver stages nothing, as a kubelet does.
            staging_target_path: self.block.paths.staging.clone(),
            target_path: target.clone(),
            volume_capability: both.capability(AccessType::Block, &capabilities),
            readonly: self.read_only,
            secrets: node.secrets(csi.node_publish_secret_ref.as_ref())?,
            volume_context,
        };
        self.save(source)?;
        dirs::make(&self.block.paths.publish, DIRECTORY)?;
        let answer = driver.client.node_publish_volume(&request);
        driver.done("NodePublishVolume", answer)?;
        Ok(Some(target))
    }

    fn staging_path(&self) -> PathBuf {
        self.block.paths.staging.clone()
    }
}

pub(super) struct CsiUnmapper {
    block: Block,
    /// Nothing if the volume was torn down.
    data: Option<VolumeData>,
}

impl CsiUnmapper {
    pub(super) fn new(node: Node, volume_name: &str, pod_uid: &str) -> Result<Self> {
        let block = Block::new(node, volume_name, pod_uid)?;
        let data = VolumeData::load(&block.paths.data)?;
        Ok(Self { block, data })
    }

    /// Returns what is known about the volume, or nothing if nothing of it is at the path.
    fn data_for(&self, path: &Path) -> Result<Option<VolumeData>> {
        match &self.data {
            Some(data) => Ok(Some(data.clone())),
            None if dirs::exists(path)? => VolumeData::required(&self.block.paths.data).map(Some),
            None => Ok(None),
        }
    }
}

impl BlockVolume for CsiUnmapper {
    fn global_map_path(&self, _spec: &Spec) -> Result<PathBuf> {
        Ok(self.block.paths.global_map.clone())
    }

    fn pod_device_map_path(&self) -> PodDeviceMapPath {
        self.block.pod_device_map_path()
    }

    fn metrics(&self) -> Result<Metrics, MetricsError> {
        match &self.data {
            Some(data) => self.block.metrics(&data.driver_name, &data.volume_handle),
            None => Err(MetricsError::not_supported()),
        }
    }
}

impl BlockVolumeUnmapper for CsiUnmapper {
    fn as_custom(&self) -> Option<&dyn CustomBlockVolumeUnmapper> {
        Some(self)
    }
}

impl CustomBlockVolumeUnmapper for CsiUnmapper {
    fn tear_down_device(&self, _map_path: &Path, _device_path: &Path) -> Result<()> {
        let staging = &self.block.paths.staging;
        if let Some(data) = self.data_for(staging)? {
            let driver = self.block.node.driver(&data.driver_name)?;
            let has_stage = || {
                let capabilities = driver.capabilities()?;
                Ok::<_, Error>(capabilities.contains(&NodeCapability::StageUnstageVolume))
            };
            if dirs::exists(staging)? && has_stage()? {
                let request = NodeUnstageVolumeRequest {
                    volume_id: data.volume_handle,
                    staging_target_path: staging.clone(),
                };
                let answer = driver.client.node_unstage_volume(&request);
                driver.undone("NodeUnstageVolume", answer)?;
                // Files of the driver may be left there.
                remove_tree(staging)?;
            }
        }
        if let Err(error) = self.block.clean_up() {
            debug!("directories of {:?} stay: {error}", self.block.name);
        }
        Ok(())
    }

    fn unmap_pod_device(&self) -> Result<()> {
        let target = self.block.publish_path();
        let Some(data) = self.data_for(&target)? else {
            return Ok(());
        };
        // Also if nothing is there: an attempt that took too long may still be under way.
        let driver = self.block.node.driver(&data.driver_name)?;
        let request = NodeUnpublishVolumeRequest {
            volume_id: data.volume_handle,
            target_path: target,
        };
        let answer = driver.client.node_unpublish_volume(&request);
        driver.undone("NodeUnpublishVolume", answer)
    }
}

/// Returns the names of the volumes that Pods use as devices, or did, for a program that was
/// restarted: pass them to
/// [`new_block_volume_unmapper`](crate::interfaces::BlockVolumePlugin::new_block_volume_unmapper).
///
/// # Errors
///
/// When the directories can't be read.
pub fn mapped_on_disk(host: &dyn crate::interfaces::VolumeHost) -> Result<Vec<String>> {
    let devices = dirs::entries(&host.volume_device_plugin_dir(CSI))?;
    let names = devices.iter().filter_map(|dir| dir.file_name()?.to_str());
    let names = names.filter(|name| !RESERVED.contains(name));
    Ok(names.map(str::to_owned).collect())
}
