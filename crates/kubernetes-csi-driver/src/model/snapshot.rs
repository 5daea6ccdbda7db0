//! Snapshots.

use std::time::SystemTime;

use kubernetes_csi::v1;

use super::size::to_wire;
use super::{Topology, topology};

/// A snapshot of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The id, by which all later calls name it: at most 128 bytes.
    pub id: String,
    /// The id of the volume that it is of.
    pub source_volume_id: String,
    /// The least size of a volume made from it, in bytes; 0 if it isn't known.
    pub size: u64,
    /// The time of the data.
    pub created: SystemTime,
    /// True if volumes can be made from it; false while it is still processed.
    pub is_ready: bool,
    /// The id of the group snapshot that it is a part of and can't be removed without.
    pub group_snapshot_id: Option<String>,
    /// The parts of the cluster in which it can be restored; empty if it is all of it.
    pub topologies: Vec<Topology>,
}

impl Snapshot {
    /// Returns a snapshot that is ready to use.
    pub fn new(
        id: impl Into<String>,
        source_volume_id: impl Into<String>,
        size: u64,
        created: SystemTime,
    ) -> Self {
        Self {
            id: id.into(),
            source_volume_id: source_volume_id.into(),
            size,
            created,
            is_ready: true,
            group_snapshot_id: None,
            topologies: Vec::new(),
        }
    }
}

/// Snapshots of several volumes of the same moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSnapshot {
    /// The id, by which all later calls name it: at most 128 bytes.
    pub id: String,
    /// The snapshots, at least one, each with this group's id.
    pub snapshots: Vec<Snapshot>,
    /// The time of the data.
    pub created: SystemTime,
    /// True if all of the snapshots are ready.
    pub is_ready: bool,
}

impl From<Snapshot> for v1::Snapshot {
    fn from(own: Snapshot) -> Self {
        Self {
            size_bytes: to_wire(own.size),
            snapshot_id: own.id,
            source_volume_id: own.source_volume_id,
            creation_time: Some(own.created.into()),
            ready_to_use: own.is_ready,
            group_snapshot_id: own.group_snapshot_id.unwrap_or_default(),
            accessible_topology: topology::all_to_wire(own.topologies),
        }
    }
}

impl From<GroupSnapshot> for v1::VolumeGroupSnapshot {
    fn from(own: GroupSnapshot) -> Self {
        Self {
            group_snapshot_id: own.id,
            snapshots: own.snapshots.into_iter().map(Into::into).collect(),
            creation_time: Some(own.created.into()),
            ready_to_use: own.is_ready,
        }
    }
}
