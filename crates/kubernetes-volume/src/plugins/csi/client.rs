//! The calls of a CSI driver's node service, whose names and fields are those of CSI 1.13.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::{Code, CsiError};

/// The time that one call may take, as for a kubelet of 1.37.
pub const CALL_LIMIT: Duration = Duration::from_secs(120);

/// The key of tokens of service accounts in secrets or in the attributes of a volume.
pub(super) const TOKENS: &str = "csi.storage.k8s.io/serviceAccount.tokens";

/// The node service of a CSI driver.
///
/// Calls block. A client ends each one after [`CALL_LIMIT`] with [`Code::DeadlineExceeded`]. Every
/// call can be repeated.
pub trait NodeClient: Send + Sync {
    /// Returns the driver's name for this node, and how many volumes it can have.
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_get_info(&self) -> Result<NodeInfo, CsiError>;

    /// Returns the optional calls and fields that the driver has.
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_get_capabilities(&self) -> Result<Vec<NodeCapability>, CsiError>;

    /// Mounts a volume once for the node.
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_stage_volume(&self, request: &NodeStageVolumeRequest) -> Result<(), CsiError>;

    /// Undoes [`node_stage_volume`](Self::node_stage_volume).
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_unstage_volume(&self, request: &NodeUnstageVolumeRequest) -> Result<(), CsiError>;

    /// Mounts a volume for a Pod. The driver makes the directory, or the file of a device.
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_publish_volume(&self, request: &NodePublishVolumeRequest) -> Result<(), CsiError>;

    /// Undoes [`node_publish_volume`](Self::node_publish_volume), and removes what that has made.
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_unpublish_volume(&self, request: &NodeUnpublishVolumeRequest) -> Result<(), CsiError>;

    /// Grows a volume on the node. Returns its size in bytes, or 0 if the driver doesn't say it.
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_expand_volume(&self, request: &NodeExpandVolumeRequest) -> Result<u64, CsiError>;

    /// Measures a volume.
    ///
    /// # Errors
    ///
    /// When the call fails.
    fn node_get_volume_stats(
        &self,
        request: &NodeGetVolumeStatsRequest,
    ) -> Result<VolumeStats, CsiError>;

    /// Returns what is wrong with a volume. CSI 1.13 has this instead of the condition that was
    /// part of the statistics before.
    ///
    /// # Errors
    ///
    /// When the call fails: `Unimplemented` unless a client overrides it.
    fn node_get_volume_health(
        &self,
        request: &NodeGetVolumeHealthRequest,
    ) -> Result<Vec<VolumeHealth>, CsiError> {
        let _ = request;
        let message = "this client has no NodeGetVolumeHealth";
        Err(CsiError::new(Code::Unimplemented, message))
    }
}

/// The facts that a driver has about this node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeInfo {
    /// The driver's name for the node.
    pub node_id: String,
    /// The number of volumes that the node can have. 0 is no limit.
    pub max_volumes_per_node: u64,
    /// The place of the node, by the keys of the driver, such as a zone.
    pub accessible_topology: BTreeMap<String, String>,
}

/// A call or a field that a driver need not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NodeCapability {
    /// `STAGE_UNSTAGE_VOLUME`: volumes are mounted once for the node.
    StageUnstageVolume,
    /// `GET_VOLUME_STATS`: volumes are measured.
    GetVolumeStats,
    /// `EXPAND_VOLUME`: volumes are grown on the node.
    ExpandVolume,
    /// `SINGLE_NODE_MULTI_WRITER`: the driver tells `ReadWriteOnce` from `ReadWriteOncePod`.
    SingleNodeMultiWriter,
    /// `VOLUME_MOUNT_GROUP`: the driver applies `fsGroup`.
    VolumeMountGroup,
    /// `GET_VOLUME_HEALTH`: the driver says what is wrong with volumes.
    GetVolumeHealth,
}

/// Secrets of a request. [`Debug`] shows their keys only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets(pub BTreeMap<String, String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The access mode of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessMode {
    /// A mode that CSI doesn't have.
    #[default]
    Unknown,
    /// `SINGLE_NODE_WRITER`: one node writes.
    SingleNodeWriter,
    /// `MULTI_NODE_READER_ONLY`: many nodes read.
    MultiNodeReaderOnly,
    /// `MULTI_NODE_MULTI_WRITER`: many nodes write.
    MultiNodeMultiWriter,
    /// `SINGLE_NODE_SINGLE_WRITER`: one Pod of one node writes.
    SingleNodeSingleWriter,
    /// `SINGLE_NODE_MULTI_WRITER`: many Pods of one node write.
    SingleNodeMultiWriter,
}

/// The use of a volume: as a device or as a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessType {
    /// A device.
    Block,
    /// A file system.
    Mount {
        /// Its type, such as `ext4`. Empty: the driver chooses.
        fs_type: String,
        /// The mount options.
        mount_flags: Vec<String>,
        /// The ID of the group that the driver gives the files to, or an empty text.
        volume_mount_group: String,
    },
}

/// The way in which a volume is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeCapability {
    /// The access mode.
    pub access_mode: AccessMode,
    /// As a device or as a file system.
    pub access_type: AccessType,
}

/// The request of [`NodeClient::node_stage_volume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeStageVolumeRequest {
    /// The driver's name for the volume.
    pub volume_id: String,
    /// The answer of the driver's controller to attaching the volume.
    pub publish_context: BTreeMap<String, String>,
    /// The directory, which exists.
    pub staging_target_path: PathBuf,
    /// The use of the volume.
    pub volume_capability: VolumeCapability,
    /// The secret for staging.
    pub secrets: Secrets,
    /// The attributes of the volume.
    pub volume_context: BTreeMap<String, String>,
}

/// The request of [`NodeClient::node_unstage_volume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeUnstageVolumeRequest {
    /// The driver's name for the volume.
    pub volume_id: String,
    /// The directory.
    pub staging_target_path: PathBuf,
}

/// The request of [`NodeClient::node_publish_volume`]. [`Debug`] leaves out tokens of service
/// accounts.
#[derive(Clone, PartialEq, Eq)]
pub struct NodePublishVolumeRequest {
    /// The driver's name for the volume.
    pub volume_id: String,
    /// The answer of the driver's controller to attaching the volume.
    pub publish_context: BTreeMap<String, String>,
    /// The directory at which the volume is staged. Empty if the driver stages nothing.
    pub staging_target_path: PathBuf,
    /// The path for the Pod. The directory above it exists.
    pub target_path: PathBuf,
    /// The use of the volume.
    pub volume_capability: VolumeCapability,
    /// Set if the Pod doesn't write.
    pub readonly: bool,
    /// The secret for publishing.
    pub secrets: Secrets,
    /// The attributes of the volume, with facts about the Pod if the driver wants them.
    pub volume_context: BTreeMap<String, String>,
}

impl fmt::Debug for NodePublishVolumeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut context = self.volume_context.clone();
        if let Some(tokens) = context.get_mut(TOKENS) {
            *tokens = "…".to_owned();
        }
        f.debug_struct("NodePublishVolumeRequest")
            .field("volume_id", &self.volume_id)
            .field("publish_context", &self.publish_context)
            .field("staging_target_path", &self.staging_target_path)
            .field("target_path", &self.target_path)
            .field("volume_capability", &self.volume_capability)
            .field("readonly", &self.readonly)
            .field("secrets", &self.secrets)
            .field("volume_context", &context)
            .finish()
    }
}

/// The request of [`NodeClient::node_unpublish_volume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeUnpublishVolumeRequest {
    /// The driver's name for the volume.
    pub volume_id: String,
    /// The path for the Pod.
    pub target_path: PathBuf,
}

/// The request of [`NodeClient::node_expand_volume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeExpandVolumeRequest {
    /// The driver's name for the volume.
    pub volume_id: String,
    /// The path at which the volume is mounted, or its device.
    pub volume_path: PathBuf,
    /// The size to reach, in bytes.
    pub required_bytes: u64,
    /// The directory at which the volume is staged. Empty if the driver stages nothing.
    pub staging_target_path: PathBuf,
    /// The use of the volume.
    pub volume_capability: VolumeCapability,
    /// The secret for growing.
    pub secrets: Secrets,
}

/// The request of [`NodeClient::node_get_volume_stats`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGetVolumeStatsRequest {
    /// The driver's name for the volume.
    pub volume_id: String,
    /// The path at which the volume is published, or its device.
    pub volume_path: PathBuf,
}

/// The request of [`NodeClient::node_get_volume_health`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGetVolumeHealthRequest {
    /// The driver's name for the volume.
    pub volume_id: String,
    /// The path at which the volume is published. Empty if it isn't.
    pub volume_publish_path: PathBuf,
    /// The directory at which the volume is staged. Empty if it isn't.
    pub staging_target_path: PathBuf,
}

/// The space and the inodes of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeStats {
    /// The space in bytes.
    pub bytes: Option<VolumeUsage>,
    /// The inodes.
    pub inodes: Option<VolumeUsage>,
}

/// An amount of a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeUsage {
    /// The amount that is free.
    pub available: u64,
    /// The whole amount.
    pub total: u64,
    /// The used amount.
    pub used: u64,
}

/// A problem of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeHealth {
    /// The class of the problem.
    pub status: VolumeHealthStatus,
    /// The reason, as one word in capitals.
    pub reason: String,
    /// A description for people.
    pub message: String,
}

/// The class of a problem of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VolumeHealthStatus {
    /// `INACCESSIBLE`: the volume can't be used.
    Inaccessible,
    /// `DATA_LOSS`: data is lost.
    DataLoss,
    /// `DEGRADED`: the volume is slow or not redundant.
    Degraded,
}
