//! The node part of a driver, which runs beside each kubelet.
//!
//! As in [`controller`](crate::controller), each trait is a capability, requests are checked
//! before, and calls run to their end. The kubelet repeats calls until they succeed, after its own
//! restart too.
//!
//! One call for a volume runs at a time, but for [`publish`](Node::publish) and
//! [`unpublish`](Node::unpublish) at different paths, and for those that only read.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use kubernetes_csi::{Secrets, without_tokens};
use tonic::async_trait;

use crate::Result;
use crate::model::{CapacityRange, StorageProblem, Topology, VolumeCapability, VolumeProblem};

/// Publishes volumes to Pods. Every node part does.
#[async_trait]
pub trait Node: Send + Sync + 'static {
    /// Returns the id of the node, how many volumes it can have, and where it is.
    async fn info(&self) -> Result<NodeInfo>;

    /// Makes a volume available at the target path; succeeds if it is there in the same way.
    ///
    /// The parent of the target exists; the target is the driver's: a directory for a file system,
    /// a file for a device.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    /// - `ALREADY_EXISTS`: It is there in another way.
    /// - `FAILED_PRECONDITION`: The volume can't be used in that way, or its access mode is
    ///   `SingleNodeSingleWriter`, and it is published at another path.
    async fn publish(&self, request: NodePublish) -> Result<()>;

    /// Takes a volume away from the target path, and removes that; succeeds if nothing is there.
    async fn unpublish(&self, request: NodeUnpublish) -> Result<()>;
}

/// Prepares volumes once for all Pods of a node: `STAGE_UNSTAGE_VOLUME`.
#[async_trait]
pub trait Staging: Send + Sync + 'static {
    /// Prepares a volume at the staging path, a directory that exists; succeeds if that is done.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    /// - `ALREADY_EXISTS`: It is staged there in another way.
    /// - `FAILED_PRECONDITION`: The volume can't be used in that way.
    async fn stage(&self, request: NodeStage) -> Result<()>;

    /// Undoes [`stage`](Self::stage); succeeds if nothing is there.
    async fn unstage(&self, request: NodeUnstage) -> Result<()>;
}

/// Measures volumes: `GET_VOLUME_STATS`.
#[async_trait]
pub trait VolumeStats: Send + Sync + 'static {
    /// Returns the usage of a volume: bytes, and inodes of a file system.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id at the path.
    async fn stats(&self, request: NodeStats) -> Result<Vec<Usage>>;
}

/// Enlarges volumes on their node: `EXPAND_VOLUME` of the node.
#[async_trait]
pub trait NodeExpansion: Send + Sync + 'static {
    /// Enlarges a volume, usually its file system; succeeds if it is large enough. Returns the size
    /// in bytes, if it is known.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id at the path.
    /// - `FAILED_PRECONDITION`: It can't grow while it is in use.
    /// - `OUT_OF_RANGE`: The size isn't one that it can have.
    async fn expand(&self, request: NodeExpand) -> Result<Option<u64>>;
}

/// Returns problems of volumes on their node: `GET_VOLUME_HEALTH` of the node. Alpha in CSI 1.13.
#[async_trait]
pub trait NodeVolumeHealth: Send + Sync + 'static {
    /// Returns the problems of a volume, as the node sees them. The volume may be one that could
    /// not be staged or published.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    async fn volume_health(&self, request: NodeHealthOf) -> Result<Vec<VolumeProblem>>;
}

/// Returns problems of the storage: `GET_STORAGE_HEALTH`. Alpha in CSI 1.13.
#[async_trait]
pub trait StorageHealth: Send + Sync + 'static {
    /// Returns the problems that more than one volume has, as the node sees them. The kubelet takes
    /// at most 16.
    async fn storage_health(&self, secrets: &Secrets) -> Result<Vec<StorageProblem>>;
}

/// Facts about a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeInfo {
    /// The id, by which the controller part knows the node: at most 256 bytes.
    pub id: String,
    /// The most volumes of the driver that the node can have; `None` if there is no limit.
    pub max_volumes: Option<u32>,
    /// The place of the node. A driver with one declares
    /// [`topology`](crate::Driver::topology).
    pub topology: Option<Topology>,
}

/// Asks to publish a volume. `Debug` prints neither its secrets nor the tokens in its context.
#[derive(Clone)]
#[non_exhaustive]
pub struct NodePublish {
    /// The id of the volume. An inline volume has one that begins with `csi-`.
    pub volume_id: String,
    /// The target.
    pub target_path: PathBuf,
    /// The staging path; `None` if the driver has no [`Staging`], and for inline volumes.
    pub staging_path: Option<PathBuf>,
    /// The way in which the volume is used.
    pub capability: VolumeCapability,
    /// True if the Pod must not write.
    pub read_only: bool,
    /// The facts that [`Attachments`](crate::controller::Attachments) returned.
    pub publish_context: BTreeMap<String, String>,
    /// The facts that the driver returned with the volume, or the attributes of an inline volume,
    /// and what the kubelet adds.
    pub context: BTreeMap<String, String>,
    /// Secrets.
    pub secrets: Secrets,
}

impl fmt::Debug for NodePublish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            volume_id,
            target_path,
            staging_path,
            capability,
            read_only,
            publish_context,
            context,
            secrets,
        } = self;
        f.debug_struct("NodePublish")
            .field("volume_id", volume_id)
            .field("target_path", target_path)
            .field("staging_path", staging_path)
            .field("capability", capability)
            .field("read_only", read_only)
            .field("publish_context", publish_context)
            .field("context", &without_tokens(context))
            .field("secrets", secrets)
            .finish()
    }
}

impl NodePublish {
    /// Returns true if it is an inline volume of a Pod, which nobody has created before.
    pub fn is_inline(&self) -> bool {
        self.context
            .get("csi.storage.k8s.io/ephemeral")
            .is_some_and(|value| value == "true")
    }
}

/// Asks to take a volume away from a Pod.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NodeUnpublish {
    /// The id of the volume.
    pub volume_id: String,
    /// The target.
    pub target_path: PathBuf,
}

/// Asks to stage a volume.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeStage {
    /// The id of the volume.
    pub volume_id: String,
    /// The staging path.
    pub staging_path: PathBuf,
    /// The way in which the volume is used.
    pub capability: VolumeCapability,
    /// The facts that [`Attachments`](crate::controller::Attachments) returned.
    pub publish_context: BTreeMap<String, String>,
    /// The facts that the driver returned with the volume.
    pub context: BTreeMap<String, String>,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks to undo the staging of a volume.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NodeUnstage {
    /// The id of the volume.
    pub volume_id: String,
    /// The staging path.
    pub staging_path: PathBuf,
}

/// Asks for the usage of a volume.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NodeStats {
    /// The id of the volume.
    pub volume_id: String,
    /// The path at which it is staged or published.
    pub volume_path: PathBuf,
    /// The path at which it is staged, if the caller says it.
    pub staging_path: Option<PathBuf>,
}

/// Asks for the problems of a volume on its node.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NodeHealthOf {
    /// The id of the volume.
    pub volume_id: String,
    /// The path at which it is published, if the caller says it.
    pub publish_path: Option<PathBuf>,
    /// The path at which it is staged, if the caller says it.
    pub staging_path: Option<PathBuf>,
}

/// Asks to enlarge a volume on its node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeExpand {
    /// The id of the volume.
    pub volume_id: String,
    /// The path at which it is staged or published.
    pub volume_path: PathBuf,
    /// The path at which it is staged, if the caller says it.
    pub staging_path: Option<PathBuf>,
    /// The new size; `None` for all that its device has.
    pub size: Option<CapacityRange>,
    /// The way in which the volume is used, if the caller says it.
    pub capability: Option<VolumeCapability>,
    /// Secrets.
    pub secrets: Secrets,
}

/// Usage of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Bytes or inodes.
    pub unit: UsageUnit,
    /// All there are.
    pub total: u64,
    /// Those in use, if it is known.
    pub used: Option<u64>,
    /// Those that are free, if it is known.
    pub available: Option<u64>,
}

/// The unit of a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageUnit {
    /// Bytes.
    Bytes,
    /// Inodes of a file system.
    Inodes,
}
