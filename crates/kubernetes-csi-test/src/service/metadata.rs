//! SnapshotMetadata.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::plugin_capability::service::Type as Service;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::call::Call;
use crate::check::{Check, Checked, Need, checks, expect};
use crate::context::Context;
use crate::fields::{Fields, base};

const METADATA: Need = Need::Service(Service::SnapshotMetadataService);
const SNAPSHOTS: Need = Need::Controller(Rpc::CreateDeleteSnapshot);
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<GetMetadataAllocatedRequest>::of(
        "get_metadata_allocated",
        &[METADATA, SNAPSHOTS, VOLUMES],
        base!(t => allocated(t).await?),
    );
    let offsets = [Code::OutOfRange];
    let mut all = fields
        .id("snapshot_id", 128, |r| &mut r.snapshot_id)
        .invalid("negative_max_results", |r| r.max_results = -1)
        .check("negative_starting_offset", &offsets, false, |r| {
            r.starting_offset = -1
        })
        .check("starting_offset_past_the_end", &offsets, false, |r| {
            r.starting_offset = i64::MAX
        })
        .check("of_unknown_snapshot", &[Code::NotFound], false, |r| {
            r.snapshot_id.push_str("-no")
        })
        .secrets()
        .checks;
    all.extend(
        checks!("get_metadata_allocated", [METADATA, SNAPSHOTS, VOLUMES]:
        allocated_blocks, allocated_from_offset, allocated_with_max_results),
    );
    let fields = Fields::<GetMetadataDeltaRequest>::of(
        "get_metadata_delta",
        &[METADATA, SNAPSHOTS, VOLUMES],
        base!(t => delta(t).await?),
    );
    all.extend(
        fields
            .id("base_snapshot_id", 128, |r| &mut r.base_snapshot_id)
            .id("target_snapshot_id", 128, |r| &mut r.target_snapshot_id)
            .invalid("negative_max_results", |r| r.max_results = -1)
            .check("negative_starting_offset", &offsets, false, |r| {
                r.starting_offset = -1
            })
            .check("starting_offset_past_the_end", &offsets, false, |r| {
                r.starting_offset = i64::MAX;
            })
            .check("of_unknown_base", &[Code::NotFound], false, |r| {
                r.base_snapshot_id.push_str("-no");
            })
            .check("of_unknown_target", &[Code::NotFound], false, |r| {
                r.target_snapshot_id.push_str("-no");
            })
            .secrets()
            .checks,
    );
    all.extend(
        checks!("get_metadata_delta", [METADATA, SNAPSHOTS, VOLUMES]:
        changed_blocks, changed_from_offset, changed_with_max_results),
    );
    all
}

async fn allocated(t: &Context) -> Checked<GetMetadataAllocatedRequest> {
    let volume = t.shared().await?;
    Ok(GetMetadataAllocatedRequest {
        snapshot_id: t.snapshot(&volume.volume_id).await?.snapshot_id,
        ..GetMetadataAllocatedRequest::default()
    })
}

async fn delta(t: &Context) -> Checked<GetMetadataDeltaRequest> {
    let volume = t.shared().await?;
    Ok(GetMetadataDeltaRequest {
        base_snapshot_id: t.snapshot(&volume.volume_id).await?.snapshot_id,
        target_snapshot_id: t.snapshot(&volume.volume_id).await?.snapshot_id,
        ..GetMetadataDeltaRequest::default()
    })
}

/// A call that returns blocks.
trait Blocks: Call {
    fn from(self, starting_offset: i64, max_results: i32) -> Self;

    /// Returns the kind of blocks, the size of the volume, and the blocks of each message.
    fn messages(answer: &Self::Answer) -> Vec<(i32, i64, Vec<BlockMetadata>)>;
}

macro_rules! blocks {
    ($($request:ident)*) => {$(
        impl Blocks for $request {
            fn from(self, starting_offset: i64, max_results: i32) -> Self {
                Self { starting_offset, max_results, ..self }
            }

            fn messages(answer: &Self::Answer) -> Vec<(i32, i64, Vec<BlockMetadata>)> {
                let parts = answer.iter().map(|message| (
                    message.block_metadata_type,
                    message.volume_capacity_bytes,
                    message.block_metadata.clone(),
                ));
                parts.collect()
            }
        }
    )*};
}

blocks! { GetMetadataAllocatedRequest GetMetadataDeltaRequest }

/// Reads a stream, checks its messages, and returns all blocks.
async fn read<R: Blocks>(
    t: &Context,
    request: &R,
    starting_offset: i64,
    max_results: i32,
) -> Checked<Vec<BlockMetadata>> {
    let answer = t
        .ok(request.clone().from(starting_offset, max_results))
        .await?;
    let messages = R::messages(&answer);
    let mut all: Vec<BlockMetadata> = Vec::new();
    for (kind, size, blocks) in &messages {
        let is_known =
            BlockMetadataType::try_from(*kind).is_ok_and(|kind| kind != BlockMetadataType::Unknown);
        expect(is_known && *size > 0, || {
            format!("a message lacks the kind of blocks or the size: {answer:?}")
        })?;
        expect(messages[0].0 == *kind && messages[0].1 == *size, || {
            format!("the kind of blocks or the size changes from message to message: {answer:?}")
        })?;
        let most = usize::try_from(max_results).unwrap_or_default();
        expect(most == 0 || blocks.len() <= most, || {
            format!(
                "a message has {} blocks; max_results was {most}",
                blocks.len()
            )
        })?;
        for block in blocks {
            let end = all
                .last()
                .map_or(0, |last| last.byte_offset + last.size_bytes);
            expect(block.size_bytes > 0 && block.byte_offset >= end, || {
                format!("{block:?} is empty, or before the end of the block before it, {end}")
            })?;
            expect(
                block.byte_offset + block.size_bytes > starting_offset,
                || format!("{block:?} ends before starting_offset, {starting_offset}"),
            )?;
            expect(block.byte_offset < *size, || {
                format!("{block:?} is past the end, {size}")
            })?;
            let is_fixed = *kind == i32::from(BlockMetadataType::FixedLength);
            let first = all.first().unwrap_or(block).size_bytes;
            expect(!is_fixed || block.size_bytes == first, || {
                format!("{block:?} hasn't {first} bytes, and blocks are FIXED_LENGTH")
            })?;
            all.push(*block);
        }
    }
    Ok(all)
}

/// Reads from the end of each of the first blocks: the rest of the stream comes.
async fn from_offset<R: Blocks>(t: &Context, request: &R) -> Checked {
    let all = read(t, request, 0, 0).await?;
    for (index, block) in all.iter().enumerate().take(3) {
        let end = block.byte_offset + block.size_bytes;
        let rest = &all[index + 1..];
        if rest.is_empty() {
            break;
        }
        let found = read(t, request, end, 0).await?;
        expect(found == rest, || {
            format!("from {end}, {found:?} are returned; of the whole stream, {rest:?} are left")
        })?;
    }
    Ok(())
}

async fn with_max_results<R: Blocks>(t: &Context, request: &R) -> Checked {
    let all = read(t, request, 0, 0).await?;
    let one_by_one = read(t, request, 0, 1).await?;
    expect(all == one_by_one, || {
        format!("with max_results 1, {one_by_one:?} are returned, and {all:?} without it")
    })
}

async fn allocated_blocks(t: &Context) -> Checked {
    read(t, &allocated(t).await?, 0, 0).await.map(drop)
}

async fn allocated_from_offset(t: &Context) -> Checked {
    from_offset(t, &allocated(t).await?).await
}

async fn allocated_with_max_results(t: &Context) -> Checked {
    with_max_results(t, &allocated(t).await?).await
}

async fn changed_blocks(t: &Context) -> Checked {
    read(t, &delta(t).await?, 0, 0).await.map(drop)
}

async fn changed_from_offset(t: &Context) -> Checked {
    from_offset(t, &delta(t).await?).await
}

async fn changed_with_max_results(t: &Context) -> Checked {
    with_max_results(t, &delta(t).await?).await
}
