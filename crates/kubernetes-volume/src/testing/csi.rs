//! A CSI driver that mounts nothing.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kubernetes_mount::mount::Mount;
use storage_v1::VolumeAttachment;

use crate::Result;
use crate::plugins::csi::{
    AccessType, Code, CsiError, NodeCapability, NodeClient, NodeExpandVolumeRequest,
    NodeGetVolumeHealthRequest, NodeGetVolumeStatsRequest, NodeInfo, NodePublishVolumeRequest,
    NodeStageVolumeRequest, NodeUnpublishVolumeRequest, NodeUnstageVolumeRequest,
    VolumeAttachments, VolumeCapability, VolumeHealth, VolumeStats,
};

/// A call of a CSI driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FakeCsiCall {
    /// [`NodeClient::node_get_info`].
    GetInfo,
    /// [`NodeClient::node_get_capabilities`].
    GetCapabilities,
    /// [`NodeClient::node_stage_volume`].
    Stage(NodeStageVolumeRequest),
    /// [`NodeClient::node_unstage_volume`].
    Unstage(NodeUnstageVolumeRequest),
    /// [`NodeClient::node_publish_volume`].
    Publish(NodePublishVolumeRequest),
    /// [`NodeClient::node_unpublish_volume`].
    Unpublish(NodeUnpublishVolumeRequest),
    /// [`NodeClient::node_expand_volume`].
    Expand(NodeExpandVolumeRequest),
    /// [`NodeClient::node_get_volume_stats`].
    GetStats(NodeGetVolumeStatsRequest),
    /// [`NodeClient::node_get_volume_health`].
    GetHealth(NodeGetVolumeHealthRequest),
}

impl FakeCsiCall {
    /// Returns the name in CSI, such as `NodePublishVolume`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::GetInfo => "NodeGetInfo",
            Self::GetCapabilities => "NodeGetCapabilities",
            Self::Stage(_) => "NodeStageVolume",
            Self::Unstage(_) => "NodeUnstageVolume",
            Self::Publish(_) => "NodePublishVolume",
            Self::Unpublish(_) => "NodeUnpublishVolume",
            Self::Expand(_) => "NodeExpandVolume",
            Self::GetStats(_) => "NodeGetVolumeStats",
            Self::GetHealth(_) => "NodeGetVolumeHealth",
        }
    }
}

/// A CSI driver for tests: records its calls, and fails as planned.
///
/// It makes what it publishes: an empty directory, or an empty file as a device, with a mount of
/// the [mounter](Self::with_mounter) if it has one. What is staged gets a mount only.
///
/// ```
/// use kubernetes_volume::plugins::csi::{Code, CsiError, NodeCapability, NodeClient};
/// use kubernetes_volume::testing::FakeCsiDriver;
///
/// let driver = FakeCsiDriver::new([NodeCapability::GetVolumeStats]);
/// driver.fail("NodeGetInfo", CsiError::new(Code::Unavailable, "starting"));
/// assert!(driver.node_get_info().is_err());
/// assert_eq!(driver.node_get_info().unwrap().node_id, "fake-node");
/// assert_eq!(driver.calls().len(), 2);
/// ```
pub struct FakeCsiDriver {
    capabilities: Vec<NodeCapability>,
    mounter: Option<Arc<dyn Mount>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: Vec<FakeCsiCall>,
    failures: BTreeMap<&'static str, VecDeque<CsiError>>,
    stats: VolumeStats,
    health: Vec<VolumeHealth>,
}

impl FakeCsiDriver {
    /// Returns a driver with these capabilities.
    #[must_use]
    pub fn new(capabilities: impl IntoIterator<Item = NodeCapability>) -> Self {
        Self {
            capabilities: capabilities.into_iter().collect(),
            mounter: None,
            state: Mutex::default(),
        }
    }

    /// Sets a mounter that is called for each volume.
    #[must_use]
    pub fn with_mounter(mut self, mounter: Arc<dyn Mount>) -> Self {
        self.mounter = Some(mounter);
        self
    }

    /// Lets the next call of that name fail. Several failures of one name come one after another.
    pub fn fail(&self, call: &'static str, error: CsiError) {
        self.lock()
            .failures
            .entry(call)
            .or_default()
            .push_back(error);
    }

    /// Sets what is measured.
    pub fn set_stats(&self, stats: VolumeStats) {
        self.lock().stats = stats;
    }

    /// Sets what is wrong with volumes.
    pub fn set_health(&self, health: Vec<VolumeHealth>) {
        self.lock().health = health;
    }

    /// Returns the calls so far, those that failed too.
    #[must_use]
    pub fn calls(&self) -> Vec<FakeCsiCall> {
        self.lock().calls.clone()
    }

    /// Forgets the calls so far.
    pub fn clear_calls(&self) {
        self.lock().calls.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, call: FakeCsiCall) -> Result<(), CsiError> {
        let mut state = self.lock();
        let name = call.name();
        state.calls.push(call);
        match state.failures.get_mut(name).and_then(VecDeque::pop_front) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn mount(
        &self,
        volume: &str,
        target: &Path,
        capability: &VolumeCapability,
    ) -> Result<(), CsiError> {
        let Some(mounter) = &self.mounter else {
            return Ok(());
        };
        let (fs_type, flags) = match &capability.access_type {
            AccessType::Block => ("", Vec::new()),
            AccessType::Mount {
                fs_type,
                mount_flags,
                ..
            } => (
                fs_type.as_str(),
                mount_flags.iter().map(String::as_str).collect(),
            ),
        };
        if mounter.is_mount_point(target).map_err(internal)? {
            return Ok(());
        }
        mounter
            .mount(Path::new(volume), target, fs_type, &flags)
            .map_err(internal)
    }

    fn unmount(&self, target: &Path) -> Result<(), CsiError> {
        match &self.mounter {
            Some(mounter) if mounter.is_mount_point(target).map_err(internal)? => {
                mounter.unmount(target).map_err(internal)
            }
            _ => Ok(()),
        }
    }
}

fn internal(error: impl ToString) -> CsiError {
    CsiError::new(Code::Internal, error.to_string())
}

impl NodeClient for FakeCsiDriver {
    fn node_get_info(&self) -> Result<NodeInfo, CsiError> {
        self.record(FakeCsiCall::GetInfo)?;
        Ok(NodeInfo {
            node_id: "fake-node".to_owned(),
            ..NodeInfo::default()
        })
    }

    fn node_get_capabilities(&self) -> Result<Vec<NodeCapability>, CsiError> {
        self.record(FakeCsiCall::GetCapabilities)?;
        Ok(self.capabilities.clone())
    }

    fn node_stage_volume(&self, request: &NodeStageVolumeRequest) -> Result<(), CsiError> {
        self.record(FakeCsiCall::Stage(request.clone()))?;
        if request.volume_capability.access_type == AccessType::Block {
            return Ok(());
        }
        let target = &request.staging_target_path;
        self.mount(&request.volume_id, target, &request.volume_capability)
    }

    fn node_unstage_volume(&self, request: &NodeUnstageVolumeRequest) -> Result<(), CsiError> {
        self.record(FakeCsiCall::Unstage(request.clone()))?;
        self.unmount(&request.staging_target_path)
    }

    fn node_publish_volume(&self, request: &NodePublishVolumeRequest) -> Result<(), CsiError> {
        self.record(FakeCsiCall::Publish(request.clone()))?;
        let target = &request.target_path;
        if request.volume_capability.access_type == AccessType::Block {
            fs::File::create(target).map_err(internal)?;
        } else if !target.is_dir() {
            fs::create_dir(target).map_err(internal)?;
        }
        self.mount(&request.volume_id, target, &request.volume_capability)
    }

    fn node_unpublish_volume(&self, request: &NodeUnpublishVolumeRequest) -> Result<(), CsiError> {
        self.record(FakeCsiCall::Unpublish(request.clone()))?;
        let target = &request.target_path;
        self.unmount(target)?;
        let removed = if target.is_dir() {
            fs::remove_dir(target)
        } else if target.exists() {
            fs::remove_file(target)
        } else {
            Ok(())
        };
        removed.map_err(internal)
    }

    fn node_expand_volume(&self, request: &NodeExpandVolumeRequest) -> Result<u64, CsiError> {
        self.record(FakeCsiCall::Expand(request.clone()))?;
        Ok(request.required_bytes)
    }

    fn node_get_volume_stats(
        &self,
        request: &NodeGetVolumeStatsRequest,
    ) -> Result<VolumeStats, CsiError> {
        self.record(FakeCsiCall::GetStats(request.clone()))?;
        Ok(self.lock().stats)
    }

    fn node_get_volume_health(
        &self,
        request: &NodeGetVolumeHealthRequest,
    ) -> Result<Vec<VolumeHealth>, CsiError> {
        self.record(FakeCsiCall::GetHealth(request.clone()))?;
        Ok(self.lock().health.clone())
    }
}

/// VolumeAttachments in memory, for tests. One that is created is attached at once.
#[derive(Default)]
pub struct FakeAttachments {
    objects: Mutex<BTreeMap<String, VolumeAttachment>>,
    /// Set if a created one is not attached, and a deleted one not gone, at once.
    keeps: bool,
}

impl FakeAttachments {
    /// Returns VolumeAttachments that nobody attaches or removes: a test does so with
    /// [`put`](Self::put).
    #[must_use]
    pub fn without_controller() -> Self {
        Self {
            keeps: true,
            ..Self::default()
        }
    }

    /// Sets a VolumeAttachment.
    pub fn put(&self, attachment: VolumeAttachment) {
        let name = attachment.metadata.name.clone().unwrap_or_default();
        self.lock().insert(name, attachment);
    }

    /// Returns all of them.
    #[must_use]
    pub fn list(&self) -> Vec<VolumeAttachment> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, VolumeAttachment>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VolumeAttachments for FakeAttachments {
    fn get(&self, name: &str) -> Result<Option<VolumeAttachment>> {
        Ok(self.lock().get(name).cloned())
    }

    fn create(&self, attachment: &VolumeAttachment) -> Result<()> {
        let mut attachment = attachment.clone();
        if !self.keeps {
            attachment.status.get_or_insert_default().attached = true;
        }
        let name = attachment.metadata.name.clone().unwrap_or_default();
        self.lock().entry(name).or_insert(attachment);
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<()> {
        if !self.keeps {
            self.lock().remove(name);
        }
        Ok(())
    }
}
