//! The blocks of snapshots. Alpha in CSI 1.13.

use std::pin::Pin;

use futures::Stream;
use kubernetes_csi::Secrets;
use kubernetes_csi::v1::BlockMetadataType;
use tonic::async_trait;

use crate::Result;

/// Lists the blocks of snapshots that have data, or that differ.
#[async_trait]
pub trait SnapshotMetadata: Send + Sync + 'static {
    /// Lists the blocks of a snapshot that have data.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no snapshot of that id.
    /// - `OUT_OF_RANGE`: The offset is beyond the end.
    async fn allocated(&self, request: AllocatedBlocks) -> Result<Blocks>;

    /// Lists the blocks that differ between two snapshots of a volume.
    ///
    /// # Errors
    ///
    /// - `NOT_FOUND`: There is no snapshot of one of the ids.
    /// - `FAILED_PRECONDITION`: The changes aren't known.
    /// - `OUT_OF_RANGE`: The offset is beyond the end.
    async fn delta(&self, request: ChangedBlocks) -> Result<Blocks>;
}

/// Asks for the blocks of a snapshot that have data.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AllocatedBlocks {
    /// The id of the snapshot.
    pub snapshot_id: String,
    /// The first byte to list: a block that contains it is listed whole.
    pub starting_offset: u64,
    /// Secrets.
    pub secrets: Secrets,
}

/// Asks for the blocks that differ between two snapshots.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChangedBlocks {
    /// The id of the older snapshot.
    pub base_snapshot_id: String,
    /// The id of the newer snapshot.
    pub target_snapshot_id: String,
    /// The first byte to list: a block that contains it is listed whole.
    pub starting_offset: u64,
    /// Secrets.
    pub secrets: Secrets,
}

/// Blocks of a snapshot.
pub struct Blocks {
    /// Fixed or variable sizes.
    pub block_metadata_type: BlockMetadataType,
    /// The size of the volume in bytes.
    pub volume_size: u64,
    /// The blocks, sorted, none of which overlap. The kit sends them in messages of the size that
    /// was asked for.
    pub blocks: Pin<Box<dyn Stream<Item = Result<Block>> + Send>>,
}

/// A block, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
}
