//! Snapshots of several volumes at once.

use std::collections::BTreeMap;

use kubernetes_csi::Secrets;
use tonic::async_trait;

use crate::Result;
use crate::model::GroupSnapshot;

/// Creates, returns and deletes group snapshots: `CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT`.
#[async_trait]
pub trait GroupSnapshots: Send + Sync + 'static {
    /// Takes snapshots of several volumes at the same moment, or returns those of that name.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: One of the volumes doesn't exist.
    /// - `ALREADY_EXISTS`: A group snapshot of that name exists, of other volumes.
    /// - `FAILED_PRECONDITION`: These volumes can't be in one group snapshot.
    /// - `RESOURCE_EXHAUSTED`: There is no space left.
    async fn create_group_snapshot(&self, request: CreateGroupSnapshot) -> Result<GroupSnapshot>;

    /// Deletes a group snapshot with its snapshots; succeeds if there is none of that id.
    ///
    /// # Errors
    ///
    /// - `INVALID_ARGUMENT`: The snapshots aren't those of the group.
    /// - `FAILED_PRECONDITION`: Something uses it.
    async fn delete_group_snapshot(&self, request: GroupSnapshotOf) -> Result<()>;

    /// Returns a group snapshot.
    ///
    /// # Errors
    ///
    /// - `INVALID_ARGUMENT`: The snapshots aren't those of the group.
    /// - `NOT_FOUND`: There is none of that id.
    async fn get_group_snapshot(&self, request: GroupSnapshotOf) -> Result<GroupSnapshot>;
}

/// Asks for a new group snapshot.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CreateGroupSnapshot {
    /// The name; two requests of one name mean the same group snapshot.
    pub name: String,
    /// The ids of the volumes, at least one.
    pub source_volume_ids: Vec<String>,
    /// The parameters of the class, which the driver defines and checks.
    pub parameters: BTreeMap<String, String>,
    /// Secrets.
    pub secrets: Secrets,
}

/// Names a group snapshot.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GroupSnapshotOf {
    /// The id of the group snapshot.
    pub group_snapshot_id: String,
    /// The ids of its snapshots, for drivers that can't find them by the group's id.
    pub snapshot_ids: Vec<String>,
    /// Secrets.
    pub secrets: Secrets,
}
