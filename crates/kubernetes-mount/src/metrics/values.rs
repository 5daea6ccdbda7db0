//! The measured values.

use std::time::SystemTime;

/// The space and the inodes that a volume uses and has. Unknown values are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// The time of the measurement.
    pub time: Option<SystemTime>,
    /// The bytes that the volume uses: of files, the blocks that they have on the disk.
    pub used: Option<u64>,
    /// The bytes of the file system, which the volume may share with others.
    pub capacity: Option<u64>,
    /// The bytes that are free for users other than root.
    pub available: Option<u64>,
    /// The inodes that the volume uses.
    pub inodes_used: Option<u64>,
    /// The inodes of the file system, which the volume may share with others.
    pub inodes: Option<u64>,
    /// The inodes that are free.
    pub inodes_free: Option<u64>,
}

impl Metrics {
    /// Returns metrics of this moment in which nothing is known.
    pub(crate) fn now() -> Self {
        Self {
            time: Some(SystemTime::now()),
            ..Self::default()
        }
    }
}
