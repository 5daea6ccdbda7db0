//! Volumes and snapshots, as they are written to files.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use kubernetes_csi_driver::model::ContentSource;
use serde::{Deserialize, Serialize};

/// A volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VolumeRecord {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) size: u64,
    #[serde(default)]
    pub(crate) backing: Backing,
    /// The kind of storage, whose space it takes.
    #[serde(default)]
    pub(crate) kind: String,
    /// The snapshot or volume that it was made from.
    pub(crate) source: Option<SourceRecord>,
    pub(crate) mutable_parameters: BTreeMap<String, String>,
    /// True if it is an inline volume of a Pod.
    pub(crate) is_ephemeral: bool,
    /// True if it is attached to the node, and whether read-only.
    pub(crate) attached: Option<Attached>,
    /// The paths at which it is staged.
    pub(crate) staged: BTreeSet<String>,
    /// The paths at which it is published.
    pub(crate) published: BTreeMap<String, Published>,
    /// True if its file system may stand still, for a copy.
    #[serde(default)]
    pub(crate) is_frozen: bool,
}

impl VolumeRecord {
    /// Returns true if it is published to be read only.
    pub(crate) fn has_readers(&self) -> bool {
        self.published.values().any(|published| published.read_only)
    }

    /// Returns true if the node uses it otherwise.
    pub(crate) fn has_writers(&self) -> bool {
        !self.staged.is_empty()
            || self
                .published
                .values()
                .any(|published| !published.read_only)
    }
}

/// The sort of data that a volume or snapshot has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Backing {
    /// A folder, which is bound to the paths of Pods.
    #[default]
    Folder,
    /// A file that is used as a device, with a file system or without one.
    Image,
}

/// The way in which a volume is attached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attached {
    pub(crate) read_only: bool,
}

/// The way in which a volume is published at a path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    pub(crate) read_only: bool,
}

/// The source of a volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SourceRecord {
    Snapshot(String),
    Volume(String),
}

/// A snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SnapshotRecord {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) source_volume_id: String,
    pub(crate) size: u64,
    #[serde(default)]
    pub(crate) backing: Backing,
    pub(crate) created: SystemTime,
    pub(crate) group: Option<String>,
}

/// A group snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupRecord {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) source_volume_ids: Vec<String>,
    pub(crate) snapshot_ids: Vec<String>,
    pub(crate) created: SystemTime,
}

impl From<SourceRecord> for ContentSource {
    fn from(record: SourceRecord) -> Self {
        match record {
            SourceRecord::Snapshot(id) => Self::Snapshot(id),
            SourceRecord::Volume(id) => Self::Volume(id),
        }
    }
}

impl From<ContentSource> for SourceRecord {
    fn from(source: ContentSource) -> Self {
        match source {
            ContentSource::Snapshot(id) => Self::Snapshot(id),
            ContentSource::Volume(id) => Self::Volume(id),
        }
    }
}
