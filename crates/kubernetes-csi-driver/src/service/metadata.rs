//! The service of blocks of snapshots.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures::stream::TryChunksError;
use futures::{Stream, StreamExt, TryStreamExt};
use kubernetes_csi::v1::snapshot_metadata_server::SnapshotMetadata;
use kubernetes_csi::v1::{
    BlockMetadata, BlockMetadataType, GetMetadataAllocatedRequest, GetMetadataAllocatedResponse,
    GetMetadataDeltaRequest, GetMetadataDeltaResponse,
};
use tonic::{Request, Response, Status, async_trait};
use tracing::info_span;

use super::{Services, answer, checked, part};
use crate::calls::panicked;
use crate::mask::Mask;
use crate::metadata::{AllocatedBlocks, Block, Blocks, ChangedBlocks};
use crate::model::wire_size;

/// The blocks in a message, if the caller doesn't say how many it takes.
const BLOCKS: usize = 256;

type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[async_trait]
impl SnapshotMetadata for Services {
    type GetMetadataAllocatedStream = Messages<GetMetadataAllocatedResponse>;

    async fn get_metadata_allocated(
        &self,
        request: Request<GetMetadataAllocatedRequest>,
    ) -> Result<Response<Self::GetMetadataAllocatedStream>, Status> {
        let metadata = part(&self.driver.metadata, "GetMetadataAllocated")?;
        let request = checked(request)?;
        let mask = Mask::of(&request.secrets);
        let of = AllocatedBlocks {
            snapshot_id: request.snapshot_id,
            starting_offset: offset(request.starting_offset)?,
            secrets: request.secrets,
        };
        let running = async move { metadata.allocated(of).await };
        let blocks = self
            .run("GetMetadataAllocated", Vec::new(), mask.clone(), running)
            .await?;
        answer(messages(
            "GetMetadataAllocated",
            mask,
            blocks,
            request.max_results,
            |kind, size, blocks| GetMetadataAllocatedResponse {
                block_metadata_type: kind.into(),
                volume_capacity_bytes: size,
                block_metadata: blocks,
            },
        ))
    }

    type GetMetadataDeltaStream = Messages<GetMetadataDeltaResponse>;

    async fn get_metadata_delta(
        &self,
        request: Request<GetMetadataDeltaRequest>,
    ) -> Result<Response<Self::GetMetadataDeltaStream>, Status> {
        let metadata = part(&self.driver.metadata, "GetMetadataDelta")?;
        let request = checked(request)?;
        let mask = Mask::of(&request.secrets);
        let of = ChangedBlocks {
            base_snapshot_id: request.base_snapshot_id,
            target_snapshot_id: request.target_snapshot_id,
            starting_offset: offset(request.starting_offset)?,
            secrets: request.secrets,
        };
        let running = async move { metadata.delta(of).await };
        let blocks = self
            .run("GetMetadataDelta", Vec::new(), mask.clone(), running)
            .await?;
        answer(messages(
            "GetMetadataDelta",
            mask,
            blocks,
            request.max_results,
            |kind, size, blocks| GetMetadataDeltaResponse {
                block_metadata_type: kind.into(),
                volume_capacity_bytes: size,
                block_metadata: blocks,
            },
        ))
    }
}

fn offset(wire: i64) -> Result<u64, Status> {
    let below = |_| Status::out_of_range("starting_offset: it is below zero");
    u64::try_from(wire).map_err(below)
}

/// Puts blocks into messages. The driver makes the blocks while they are sent, so that it can fail
/// as in the call itself.
fn messages<T: 'static>(
    call: &'static str,
    mask: Mask,
    blocks: Blocks,
    max_results: i32,
    message: fn(BlockMetadataType, i64, Vec<BlockMetadata>) -> T,
) -> Messages<T> {
    let most = match usize::try_from(max_results) {
        Ok(most) if most > 0 => most.min(BLOCKS),
        _ => BLOCKS,
    };
    let kind = blocks.block_metadata_type;
    let size = wire_size(blocks.volume_size);
    let to_wire = |block: Block| BlockMetadata {
        byte_offset: wire_size(block.offset),
        size_bytes: wire_size(block.size),
    };
    let span = info_span!("csi", call);
    let messages = AssertUnwindSafe(blocks.blocks)
        .catch_unwind()
        .map(move |next| next.unwrap_or_else(|panic| Err(panicked(call, &*panic))))
        .map_ok(to_wire)
        .try_chunks(most)
        .map_ok(move |blocks| message(kind, size, blocks))
        .map_err(move |TryChunksError(_, error)| span.in_scope(|| mask.failed(&error)));
    Box::pin(messages)
}
