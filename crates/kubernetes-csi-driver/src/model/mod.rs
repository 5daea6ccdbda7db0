//! Volumes, snapshots and what is asked of them, as drivers see them.

mod capability;
mod health;
mod page;
mod size;
mod snapshot;
mod topology;
mod volume;

pub use capability::{AccessMode, AccessType, Mount, MountFlags, VolumeCapability};
pub use health::{
    StorageProblem, StorageProblemKind, UnhealthyVolume, VolumeProblem, VolumeProblemKind,
};
pub use page::{Page, PageRequest};
pub use size::CapacityRange;
pub use snapshot::{GroupSnapshot, Snapshot};
pub use topology::{Topology, TopologyRequirement};
pub use volume::{ContentSource, ListedVolume, Volume};

pub(crate) use size::to_wire as wire_size;
