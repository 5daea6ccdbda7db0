//! `fsGroup`: a group that owns all files of a volume.

/// When the files of a volume get the group of `fsGroup` (`PodFSGroupChangePolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FsGroupChangePolicy {
    /// Whenever it is mounted.
    #[default]
    Always,
    /// Only if its root hasn't got the group and permissions.
    OnRootMismatch,
}
