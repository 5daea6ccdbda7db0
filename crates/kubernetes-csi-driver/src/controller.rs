//! The controller part of a driver: what can run on any node.
//!
//! Each trait is a capability. A driver has the capabilities whose traits it gives to
//! [`Driver`](crate::Driver), and no others: calls of the rest answer `UNIMPLEMENTED`.
//!
//! The kit checks each request before the driver sees it, and runs calls to their end, also if the
//! caller goes away. All calls are repeated by callers that got no answer: return success for what
//! is done already.
//!
//! One call at a time changes a volume or snapshot, or makes one of a name. But these can run
//! beside each other for one volume, so that a driver with limits for all of them needs a lock of
//! its own:
//!
//! - [`attach`](Attachments::attach) and [`detach`](Attachments::detach) for different nodes;
//! - copies and snapshots of it with different names;
//! - calls that only read, also while another one changes it.

use std::collections::BTreeMap;

use kubernetes_csi::Secrets;
use tonic::async_trait;

use crate::Result;
use crate::model::{
    CapacityRange, ContentSource, ListedVolume, Page, PageRequest, Snapshot, Topology,
    TopologyRequirement, UnhealthyVolume, Volume, VolumeCapability, VolumeProblem,
};

/// Knows volumes. Every controller part does.
#[async_trait]
pub trait Controller: Send + Sync + 'static {
    /// Checks whether a volume can be used in all of the given ways. Access modes and types that
    /// the driver as a whole lacks are refused before.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    async fn validate_volume(&self, request: ValidateVolume) -> Result<Validation>;
}

/// Creates and deletes volumes: `CREATE_DELETE_VOLUME`.
#[async_trait]
pub trait Volumes: Send + Sync + 'static {
    /// Creates a volume, or returns the one of that name.
    ///
    /// # Errors
    ///
    /// - `ALREADY_EXISTS`: A volume of that name exists and doesn't fit the request.
    /// - `NOT_FOUND`: The source doesn't exist.
    /// - `OUT_OF_RANGE`: The driver doesn't have that size; see [`CapacityRange::choose`].
    /// - `RESOURCE_EXHAUSTED`: There is no space left where the volume should be.
    async fn create_volume(&self, request: CreateVolume) -> Result<Volume>;

    /// Deletes a volume; succeeds if there is none of that id.
    ///
    /// # Errors
    ///
    /// - `FAILED_PRECONDITION`: The volume is in use, or has snapshots that need it.
    async fn delete_volume(&self, request: DeleteVolume) -> Result<()>;

    /// Returns true if [`create_volume`](Self::create_volume) can copy another volume:
    /// `CLONE_VOLUME`. Otherwise such requests are refused.
    fn can_clone(&self) -> bool {
        false
    }
}

/// Lists volumes: `LIST_VOLUMES`.
#[async_trait]
pub trait ListVolumes: Send + Sync + 'static {
    /// Lists volumes, page by page. [`PageRequest::of_sorted`] makes the page of a list in memory.
    ///
    /// # Errors
    ///
    /// - `ABORTED`: The token isn't one that the driver made.
    async fn list_volumes(&self, request: PageRequest) -> Result<Page<ListedVolume>>;

    /// Returns true if the nodes to which volumes are attached are listed, too:
    /// `LIST_VOLUMES_PUBLISHED_NODES`. Only drivers with [`Attachments`] can.
    fn lists_nodes(&self) -> bool {
        false
    }
}

/// Returns single volumes: `GET_VOLUME`. Alpha in CSI 1.13.
#[async_trait]
pub trait GetVolume: Send + Sync + 'static {
    /// Returns a volume.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    async fn get_volume(&self, volume_id: &str) -> Result<ListedVolume>;
}

/// Attaches volumes to nodes: `PUBLISH_UNPUBLISH_VOLUME`.
#[async_trait]
pub trait Attachments: Send + Sync + 'static {
    /// Makes a volume available on a node. Returns facts for the node part of the driver.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume, or no node, of that id.
    /// - `ALREADY_EXISTS`: It is attached to the node in another way.
    /// - `FAILED_PRECONDITION`: It is attached to another node, and may be attached to one only.
    ///   Name that node in the message.
    /// - `RESOURCE_EXHAUSTED`: The node has as many volumes as it can have.
    async fn attach(&self, request: Attach) -> Result<BTreeMap<String, String>>;

    /// Takes a volume away from a node; succeeds if it isn't there.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume, or no node, of that id, and it may still be attached.
    async fn detach(&self, request: Detach) -> Result<()>;

    /// Returns true if [`Attach::read_only`] is respected: `PUBLISH_READONLY`. Otherwise such
    /// requests are refused.
    fn can_attach_read_only(&self) -> bool {
        false
    }
}

/// Measures free space: `GET_CAPACITY`.
#[async_trait]
pub trait GetCapacity: Send + Sync + 'static {
    /// Returns the space for volumes of that kind in that place.
    async fn get_capacity(&self, request: CapacityOf) -> Result<Capacity>;
}

/// Enlarges volumes: `EXPAND_VOLUME` of the controller.
#[async_trait]
pub trait Expansion: Send + Sync + 'static {
    /// Enlarges a volume; succeeds if it is large enough.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    /// - `FAILED_PRECONDITION`: It is in use, and can't grow meanwhile.
    /// - `OUT_OF_RANGE`: The driver doesn't have that size.
    async fn expand_volume(&self, request: ExpandVolume) -> Result<Expanded>;
}

/// Changes parameters of volumes: `MODIFY_VOLUME`.
#[async_trait]
pub trait Modification: Send + Sync + 'static {
    /// Gives parameters of a volume new values: all of them or none.
    ///
    /// # Errors
    ///
    /// - `INVALID_ARGUMENT`: A key or value isn't one that the volume can have.
    /// - `NOT_FOUND`: There is no volume of that id.
    async fn modify_volume(&self, request: ModifyVolume) -> Result<()>;
}

/// Creates and deletes snapshots: `CREATE_DELETE_SNAPSHOT`. [`Volumes`] then has to create volumes
/// from them.
#[async_trait]
pub trait Snapshots: Send + Sync + 'static {
    /// Takes a snapshot of a volume, or returns the one of that name.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    /// - `ALREADY_EXISTS`: A snapshot of that name exists, of another volume.
    /// - `RESOURCE_EXHAUSTED`: There is no space left.
    async fn create_snapshot(&self, request: CreateSnapshot) -> Result<Snapshot>;

    /// Deletes a snapshot; succeeds if there is none of that id.
    ///
    /// # Errors
    ///
    /// - `INVALID_ARGUMENT`: It is a part of a group, and can't be removed alone.
    /// - `FAILED_PRECONDITION`: Something uses it.
    async fn delete_snapshot(&self, request: DeleteSnapshot) -> Result<()>;
}

/// Lists snapshots: `LIST_SNAPSHOTS`.
#[async_trait]
pub trait ListSnapshots: Send + Sync + 'static {
    /// Lists snapshots, page by page. What isn't there is an empty list.
    ///
    /// # Errors
    ///
    /// - `ABORTED`: The token isn't one that the driver made.
    async fn list_snapshots(&self, request: SnapshotFilter) -> Result<Page<Snapshot>>;
}

/// Returns single snapshots: `GET_SNAPSHOT`. Alpha in CSI 1.13.
#[async_trait]
pub trait GetSnapshot: Send + Sync + 'static {
    /// Returns a snapshot.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no snapshot of that id.
    async fn get_snapshot(&self, snapshot_id: &str, secrets: &Secrets) -> Result<Snapshot>;
}

/// Returns problems of volumes: `GET_VOLUME_HEALTH`. Alpha in CSI 1.13.
#[async_trait]
pub trait VolumeHealth: Send + Sync + 'static {
    /// Returns the problems of a volume, as the controller part sees them.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no volume of that id.
    async fn volume_health(&self, volume_id: &str, secrets: &Secrets)
    -> Result<Vec<VolumeProblem>>;
}

/// Lists volumes with problems: `LIST_VOLUME_HEALTH`. Alpha in CSI 1.13.
#[async_trait]
pub trait ListVolumeHealth: Send + Sync + 'static {
    /// Lists volumes with problems, page by page; healthy ones are left out.
    ///
    /// # Errors
    ///
    /// - `ABORTED`: The token isn't one that the driver made.
    async fn list_volume_health(
        &self,
        request: PageRequest,
        secrets: &Secrets,
    ) -> Result<Page<UnhealthyVolume>>;
}

/// Asks for a new volume.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CreateVolume {
    /// The name; two requests of one name mean the same volume.
    pub name: String,
    /// The size.
    pub size: CapacityRange,
    /// The ways in which the volume will be used, at least one.
    pub capabilities: Vec<VolumeCapability>,
    /// The parameters of the class, which the driver defines and checks.
    pub parameters: BTreeMap<String, String>,
    /// Parameters that [`Modification`] can change, and that win over the others.
    pub mutable_parameters: BTreeMap<String, String>,
    /// Secrets.
    pub secrets: Secrets,
    /// The data to begin with: only what the driver can copy.
    pub source: Option<ContentSource>,
    /// The parts of the cluster from which it has to be reachable.
    pub topology: Option<TopologyRequirement>,
}

/// Asks to delete a volume.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeleteVolume {
    /// The id of the volume.
    pub volume_id: String,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks whether a volume can be used in some ways.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ValidateVolume {
    /// The id of the volume.
    pub volume_id: String,
    /// The facts that the driver returned with the volume.
    pub context: BTreeMap<String, String>,
    /// The ways, at least one.
    pub capabilities: Vec<VolumeCapability>,
    /// Parameters of a class.
    pub parameters: BTreeMap<String, String>,
    /// Parameters that can be changed.
    pub mutable_parameters: BTreeMap<String, String>,
    /// Secrets.
    pub secrets: Secrets,
}

/// The answer to [`ValidateVolume`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validation {
    /// The volume can be used in all of the ways.
    Confirmed,
    /// It can't, for this reason.
    Refused(String),
}

/// Asks to attach a volume to a node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attach {
    /// The id of the volume.
    pub volume_id: String,
    /// The id of the node, as its driver returned it.
    pub node_id: String,
    /// The way in which the volume will be used.
    pub capability: VolumeCapability,
    /// True if the node must not write.
    pub read_only: bool,
    /// The facts that the driver returned with the volume.
    pub context: BTreeMap<String, String>,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks to detach a volume from a node.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Detach {
    /// The id of the volume.
    pub volume_id: String,
    /// The id of the node; `None` for all nodes.
    pub node_id: Option<String>,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks for the space for volumes of a kind.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CapacityOf {
    /// The ways in which the volumes will be used; empty for any.
    pub capabilities: Vec<VolumeCapability>,
    /// The parameters of a class.
    pub parameters: BTreeMap<String, String>,
    /// The place; `None` for the whole cluster.
    pub topology: Option<Topology>,
}

/// Space for volumes, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// The space for all of them.
    pub available: u64,
    /// The largest size of a volume, if it isn't `available`. The scheduler then compares requests
    /// with it alone, so that it is no more than `available`.
    pub maximum_volume_size: Option<u64>,
    /// The least size of a volume. Alpha in CSI 1.13.
    pub minimum_volume_size: Option<u64>,
}

/// Asks to enlarge a volume.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExpandVolume {
    /// The id of the volume.
    pub volume_id: String,
    /// The new size.
    pub size: CapacityRange,
    /// The way in which the volume is used, if it is known.
    pub capability: Option<VolumeCapability>,
    /// Secrets.
    pub secrets: Secrets,
}

/// The result of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The size in bytes.
    pub size: u64,
    /// True if the node has to do the rest, such as growing the file system.
    pub needs_node: bool,
}

/// Asks to change parameters of a volume.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ModifyVolume {
    /// The id of the volume.
    pub volume_id: String,
    /// The new values, at least one.
    pub parameters: BTreeMap<String, String>,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks for a new snapshot.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CreateSnapshot {
    /// The id of the volume.
    pub source_volume_id: String,
    /// The name; two requests of one name mean the same snapshot.
    pub name: String,
    /// The parameters of the class, which the driver defines and checks.
    pub parameters: BTreeMap<String, String>,
    /// The parts of the cluster in which it has to be restorable. Alpha in CSI 1.13.
    pub topology: Option<TopologyRequirement>,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks to delete a snapshot.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeleteSnapshot {
    /// The id of the snapshot.
    pub snapshot_id: String,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks for a list of snapshots.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SnapshotFilter {
    /// Only those of the volume.
    pub source_volume_id: Option<String>,
    /// Only the one of that id.
    pub snapshot_id: Option<String>,
    /// The part of the list.
    pub page: PageRequest,
    /// Secrets.
    pub secrets: Secrets,
}
