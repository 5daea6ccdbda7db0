//! Ways to use a volume.

use std::fmt;

use kubernetes_csi::v1;
use kubernetes_csi::v1::volume_capability::{self, access_mode::Mode};

use crate::{Error, Result};

/// A way to use a volume: as a device or as a file system, and by whom at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VolumeCapability {
    /// Device or file system.
    pub access_type: AccessType,
    /// Number of simultaneous users.
    pub access_mode: AccessMode,
}

/// Device or file system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AccessType {
    /// A block device.
    Block,
    /// A mounted file system.
    Mount(Mount),
}

/// The way in which a file system is mounted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Mount {
    /// File system, such as `ext4`; `None` if the driver chooses.
    pub fs_type: Option<String>,
    /// Mount options. They can be confidential.
    pub flags: MountFlags,
    /// Group that files should be of, such as the `fsGroup` of a Pod. Only drivers that declare
    /// [`volume_mount_group`](crate::Driver::volume_mount_group) get it.
    pub group: Option<String>,
}

impl Mount {
    /// Adds mount options.
    #[must_use]
    pub fn with_flags<F: Into<String>>(mut self, flags: impl IntoIterator<Item = F>) -> Self {
        self.flags.0.extend(flags.into_iter().map(Into::into));
        self
    }
}

/// Mount options, which `Debug` doesn't print.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct MountFlags(pub Vec<String>);

impl fmt::Debug for MountFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} options", self.0.len())
    }
}

/// The number of nodes and Pods that use a volume at the same time, and whether they write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AccessMode {
    /// One node reads and writes: `ReadWriteOnce`, of callers that don't know the other modes of
    /// one node.
    SingleNodeWriter,
    /// One node reads.
    SingleNodeReaderOnly,
    /// Any number of nodes read: `ReadOnlyMany`.
    MultiNodeReaderOnly,
    /// Any number of nodes read, and one of them writes.
    MultiNodeSingleWriter,
    /// Any number of nodes read and write: `ReadWriteMany`.
    MultiNodeMultiWriter,
    /// One Pod reads and writes: `ReadWriteOncePod`.
    SingleNodeSingleWriter,
    /// Pods of one node read and write: `ReadWriteOnce`.
    SingleNodeMultiWriter,
}

impl AccessMode {
    /// Returns true if several nodes can use the volume.
    pub fn is_multi_node(self) -> bool {
        matches!(
            self,
            Self::MultiNodeReaderOnly | Self::MultiNodeSingleWriter | Self::MultiNodeMultiWriter
        )
    }

    /// Returns true if nobody writes.
    pub fn is_read_only(self) -> bool {
        matches!(self, Self::SingleNodeReaderOnly | Self::MultiNodeReaderOnly)
    }

    fn of(mode: Mode) -> Option<Self> {
        Some(match mode {
            Mode::Unknown => return None,
            Mode::SingleNodeWriter => Self::SingleNodeWriter,
            Mode::SingleNodeReaderOnly => Self::SingleNodeReaderOnly,
            Mode::MultiNodeReaderOnly => Self::MultiNodeReaderOnly,
            Mode::MultiNodeSingleWriter => Self::MultiNodeSingleWriter,
            Mode::MultiNodeMultiWriter => Self::MultiNodeMultiWriter,
            Mode::SingleNodeSingleWriter => Self::SingleNodeSingleWriter,
            Mode::SingleNodeMultiWriter => Self::SingleNodeMultiWriter,
        })
    }

    pub(crate) fn to_wire(self) -> Mode {
        match self {
            Self::SingleNodeWriter => Mode::SingleNodeWriter,
            Self::SingleNodeReaderOnly => Mode::SingleNodeReaderOnly,
            Self::MultiNodeReaderOnly => Mode::MultiNodeReaderOnly,
            Self::MultiNodeSingleWriter => Mode::MultiNodeSingleWriter,
            Self::MultiNodeMultiWriter => Mode::MultiNodeMultiWriter,
            Self::SingleNodeSingleWriter => Mode::SingleNodeSingleWriter,
            Self::SingleNodeMultiWriter => Mode::SingleNodeMultiWriter,
        }
    }
}

impl fmt::Display for AccessMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_wire().as_str_name())
    }
}

impl TryFrom<v1::VolumeCapability> for VolumeCapability {
    type Error = Error;

    fn try_from(wire: v1::VolumeCapability) -> Result<Self> {
        let access_type = match wire.access_type {
            Some(volume_capability::AccessType::Block(_)) => AccessType::Block,
            Some(volume_capability::AccessType::Mount(mount)) => AccessType::Mount(Mount {
                fs_type: (!mount.fs_type.is_empty()).then_some(mount.fs_type),
                flags: MountFlags(mount.mount_flags),
                group: (!mount.volume_mount_group.is_empty()).then_some(mount.volume_mount_group),
            }),
            None => return Err(Error::invalid("volume_capability.access_type: required")),
        };
        let mode = wire.access_mode.and_then(|mode| mode.mode.try_into().ok());
        let access_mode = mode.and_then(AccessMode::of).ok_or_else(|| {
            Error::invalid("volume_capability.access_mode.mode: required, and one that is known")
        })?;
        Ok(Self {
            access_type,
            access_mode,
        })
    }
}

impl From<VolumeCapability> for v1::VolumeCapability {
    fn from(own: VolumeCapability) -> Self {
        let access_type = match own.access_type {
            AccessType::Block => {
                volume_capability::AccessType::Block(volume_capability::BlockVolume {})
            }
            AccessType::Mount(mount) => {
                volume_capability::AccessType::Mount(volume_capability::MountVolume {
                    fs_type: mount.fs_type.unwrap_or_default(),
                    mount_flags: mount.flags.0,
                    volume_mount_group: mount.group.unwrap_or_default(),
                })
            }
        };
        Self {
            access_type: Some(access_type),
            access_mode: Some(volume_capability::AccessMode {
                mode: own.access_mode.to_wire().into(),
            }),
        }
    }
}
