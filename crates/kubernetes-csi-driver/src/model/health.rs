//! Problems of volumes and of the storage. Alpha in CSI 1.13.

use kubernetes_csi::v1;
use kubernetes_csi::v1::node_get_storage_health_response::StorageBackendHealth;
use kubernetes_csi::v1::volume_health::VolumeHealthEntry;
use kubernetes_csi::v1::{StorageHealthErrorType, VolumeHealthErrorType};

use super::VolumeCapability;

/// A problem of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeProblem {
    /// The effect on users.
    pub kind: VolumeProblemKind,
    /// The reason in CamelCase, for programs, such as `ReplicaMissing`. No two problems of a volume
    /// have the same kind and reason.
    pub reason: String,
    /// The description for people.
    pub message: String,
}

impl VolumeProblem {
    /// Returns a problem.
    pub fn new(
        kind: VolumeProblemKind,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            reason: reason.into(),
            message: message.into(),
        }
    }
}

/// The effect of a problem of a volume on users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VolumeProblemKind {
    /// The volume works, but worse than it should.
    Degraded,
    /// The volume can't be reached.
    Inaccessible,
    /// Data is lost, or that is to be feared.
    DataLoss,
}

/// A volume with its problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnhealthyVolume {
    /// The id of the volume.
    pub volume_id: String,
    /// The problems, at least one.
    pub problems: Vec<VolumeProblem>,
}

/// A problem of the storage, which more than one volume has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageProblem {
    /// The effect on users.
    pub kind: StorageProblemKind,
    /// The reason in CamelCase, for programs, such as `PathLost`.
    pub reason: String,
    /// The description for people.
    pub message: String,
    /// The volumes that have it; `None` if all have.
    pub capability: Option<VolumeCapability>,
}

/// The effect of a problem of the storage on users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorageProblemKind {
    /// The storage works, but worse than it should.
    Degraded,
    /// The storage can't be reached.
    Unreachable,
}

impl From<UnhealthyVolume> for v1::VolumeHealth {
    fn from(own: UnhealthyVolume) -> Self {
        let entry = |problem: VolumeProblem| VolumeHealthEntry {
            status: match problem.kind {
                VolumeProblemKind::Degraded => VolumeHealthErrorType::Degraded.into(),
                VolumeProblemKind::Inaccessible => VolumeHealthErrorType::Inaccessible.into(),
                VolumeProblemKind::DataLoss => VolumeHealthErrorType::DataLoss.into(),
            },
            reason: problem.reason,
            message: problem.message,
        };
        Self {
            volume_id: own.volume_id,
            health_statuses: own.problems.into_iter().map(entry).collect(),
        }
    }
}

impl From<StorageProblem> for StorageBackendHealth {
    fn from(own: StorageProblem) -> Self {
        Self {
            status: match own.kind {
                StorageProblemKind::Degraded => StorageHealthErrorType::StorageDegraded.into(),
                StorageProblemKind::Unreachable => {
                    StorageHealthErrorType::StorageUnreachable.into()
                }
            },
            reason: own.reason,
            message: own.message,
            volume_capability: own.capability.map(Into::into),
        }
    }
}
