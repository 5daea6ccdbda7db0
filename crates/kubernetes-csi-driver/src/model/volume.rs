//! Volumes.

use std::collections::BTreeMap;

use kubernetes_csi::v1;
use kubernetes_csi::v1::volume_content_source;

use super::size::to_wire;
use super::{Topology, topology};

/// A volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// The id, by which all later calls name it: at most 128 bytes.
    pub id: String,
    /// The size in bytes; 0 if it isn't known.
    pub size: u64,
    /// Facts that later calls get: at most 4 KiB, and nothing confidential.
    pub context: BTreeMap<String, String>,
    /// The snapshot or volume that it was made from.
    pub source: Option<ContentSource>,
    /// The parts of the cluster from which it can be reached; empty if it is all of it.
    pub topologies: Vec<Topology>,
}

impl Volume {
    /// Returns a volume of an id and a size in bytes.
    pub fn new(id: impl Into<String>, size: u64) -> Self {
        Self {
            id: id.into(),
            size,
            ..Self::default()
        }
    }
}

/// The origin of the data that a volume begins with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContentSource {
    /// A snapshot, by its id.
    Snapshot(String),
    /// Another volume, by its id.
    Volume(String),
}

/// A volume with the nodes that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedVolume {
    /// The volume.
    pub volume: Volume,
    /// The ids of the nodes to which it is attached.
    pub published_node_ids: Vec<String>,
}

impl From<Volume> for ListedVolume {
    fn from(volume: Volume) -> Self {
        Self {
            volume,
            published_node_ids: Vec::new(),
        }
    }
}

impl ContentSource {
    pub(crate) fn of(wire: v1::VolumeContentSource) -> Option<Self> {
        Some(match wire.r#type? {
            volume_content_source::Type::Snapshot(source) => Self::Snapshot(source.snapshot_id),
            volume_content_source::Type::Volume(source) => Self::Volume(source.volume_id),
        })
    }
}

impl From<ContentSource> for v1::VolumeContentSource {
    fn from(own: ContentSource) -> Self {
        let source = match own {
            ContentSource::Snapshot(snapshot_id) => {
                volume_content_source::Type::Snapshot(volume_content_source::SnapshotSource {
                    snapshot_id,
                })
            }
            ContentSource::Volume(volume_id) => {
                volume_content_source::Type::Volume(volume_content_source::VolumeSource {
                    volume_id,
                })
            }
        };
        Self {
            r#type: Some(source),
        }
    }
}

impl From<Volume> for v1::Volume {
    fn from(own: Volume) -> Self {
        Self {
            capacity_bytes: to_wire(own.size),
            volume_id: own.id,
            volume_context: own.context,
            content_source: own.source.map(Into::into),
            accessible_topology: topology::all_to_wire(own.topologies),
        }
    }
}
