//! CreateVolume from a snapshot or another volume.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::volume_content_source::{SnapshotSource, Type, VolumeSource};
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect};
use crate::context::{Context, at_least};

const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const SNAPSHOTS: Need = Need::Controller(Rpc::CreateDeleteSnapshot);
const CLONES: Need = Need::Controller(Rpc::CloneVolume);
const NO_SNAPSHOTS: Need = Need::NotController(Rpc::CreateDeleteSnapshot);
const NO_CLONES: Need = Need::NotController(Rpc::CloneVolume);

pub(super) fn checks() -> Vec<Check> {
    checks!("create_volume", [VOLUMES]:
        source_without_type,
        from_snapshot + SNAPSHOTS,
        from_snapshot_without_id + SNAPSHOTS,
        from_unknown_snapshot + SNAPSHOTS,
        from_snapshot_too_small + SNAPSHOTS,
        from_deleted_volumes_snapshot + SNAPSHOTS,
        same_name_other_snapshot + SNAPSHOTS,
        from_volume + CLONES,
        from_volume_without_id + CLONES,
        from_unknown_volume + CLONES,
        from_volume_too_small + CLONES,
        same_name_other_volume + CLONES,
        from_snapshot_unsupported + NO_SNAPSHOTS,
        from_volume_unsupported + NO_CLONES,
    )
}

fn snapshot(id: &str) -> Type {
    Type::Snapshot(SnapshotSource {
        snapshot_id: id.to_owned(),
    })
}

fn volume(id: &str) -> Type {
    Type::Volume(VolumeSource {
        volume_id: id.to_owned(),
    })
}

fn from(t: &Context, source: Type) -> CreateVolumeRequest {
    CreateVolumeRequest {
        volume_content_source: Some(VolumeContentSource {
            r#type: Some(source),
        }),
        ..t.create()
    }
}

async fn source_without_type(t: &Context) -> Checked {
    let request = CreateVolumeRequest {
        volume_content_source: Some(VolumeContentSource { r#type: None }),
        ..t.create()
    };
    t.refused(request, &[Code::InvalidArgument]).await
}

/// Creates a volume from a source twice, and checks what is returned.
async fn made(t: &Context, source: Type) -> Checked {
    let request = from(t, source);
    let volume = t.create_volume(request.clone()).await?;
    expect(
        volume.content_source == request.volume_content_source,
        || format!("`content_source` isn't that of the request: {volume:?}"),
    )?;
    let again = t.create_volume(request).await?;
    expect(volume.volume_id == again.volume_id, || {
        format!("a repeated call returns another volume: {volume:?}, then {again:?}")
    })
}

/// A source that is larger than the new volume.
async fn too_small(t: &Context, source: Type) -> Checked {
    let request = CreateVolumeRequest {
        capacity_range: Some(CapacityRange {
            required_bytes: 0,
            limit_bytes: t.settings.volume_size / 2,
        }),
        ..from(t, source)
    };
    t.refused(request, &[Code::OutOfRange, Code::InvalidArgument])
        .await
}

/// A name that a volume has which is from another source.
async fn same_name(t: &Context, source: Type) -> Checked {
    let request = t.create();
    t.ok(request.clone()).await?;
    let other = CreateVolumeRequest {
        name: request.name,
        ..from(t, source)
    };
    t.refused(other, &[Code::AlreadyExists]).await
}

async fn from_snapshot(t: &Context) -> Checked {
    let source = t.volume().await?;
    let taken = t.snapshot(&source.volume_id).await?;
    made(t, snapshot(&taken.snapshot_id)).await
}

async fn from_snapshot_without_id(t: &Context) -> Checked {
    t.refused(from(t, snapshot("")), &[Code::InvalidArgument])
        .await
}

async fn from_unknown_snapshot(t: &Context) -> Checked {
    t.refused(from(t, snapshot(&t.unknown())), &[Code::NotFound])
        .await
}

async fn from_snapshot_too_small(t: &Context) -> Checked {
    let source = t.volume().await?;
    let taken = t.snapshot(&source.volume_id).await?;
    too_small(t, snapshot(&taken.snapshot_id)).await
}

/// A snapshot stays usable without its volume. A driver that can't do that keeps the volume.
async fn from_deleted_volumes_snapshot(t: &Context) -> Checked {
    let source = t.volume().await?;
    let taken = t.snapshot(&source.volume_id).await?;
    let delete = crate::context::delete(&source.volume_id);
    t.ok_or(delete, &[Code::FailedPrecondition]).await?;
    made(t, snapshot(&taken.snapshot_id)).await
}

async fn same_name_other_snapshot(t: &Context) -> Checked {
    let source = t.volume().await?;
    let taken = t.snapshot(&source.volume_id).await?;
    same_name(t, snapshot(&taken.snapshot_id)).await
}

async fn from_volume(t: &Context) -> Checked {
    let source = t.volume().await?;
    made(t, volume(&source.volume_id)).await
}

async fn from_volume_without_id(t: &Context) -> Checked {
    t.refused(from(t, volume("")), &[Code::InvalidArgument])
        .await
}

async fn from_unknown_volume(t: &Context) -> Checked {
    t.refused(from(t, volume(&t.unknown())), &[Code::NotFound])
        .await
}

async fn from_volume_too_small(t: &Context) -> Checked {
    let source = t.volume().await?;
    too_small(t, volume(&source.volume_id)).await
}

async fn same_name_other_volume(t: &Context) -> Checked {
    let source = t.volume().await?;
    same_name(t, volume(&source.volume_id)).await
}

async fn from_snapshot_unsupported(t: &Context) -> Checked {
    let request = from(t, snapshot(&t.unknown()));
    t.refused(request, &[Code::InvalidArgument]).await
}

async fn from_volume_unsupported(t: &Context) -> Checked {
    let source = t.volume().await?;
    let request = CreateVolumeRequest {
        capacity_range: Some(at_least(source.capacity_bytes.max(t.settings.volume_size))),
        ..from(t, volume(&source.volume_id))
    };
    t.refused(request, &[Code::InvalidArgument]).await
}
