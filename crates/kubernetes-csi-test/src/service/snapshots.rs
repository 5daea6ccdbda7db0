//! CreateSnapshot, DeleteSnapshot and GetSnapshot.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect, set};
use crate::context::{CANCELLED, Context};
use crate::fields::{Fields, base};

const SNAPSHOTS: Need = Need::Controller(Rpc::CreateDeleteSnapshot);
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const GET: Need = Need::Controller(Rpc::GetSnapshot);

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<CreateSnapshotRequest>::of(
        "create_snapshot",
        &[SNAPSHOTS, VOLUMES],
        base!(t => t.take(&t.shared().await?.volume_id)),
    );
    let mut all = fields
        .id("source_volume_id", 128, |r| &mut r.source_volume_id)
        .name(|r| &mut r.name)
        .map("parameters", |r| &mut r.parameters)
        .secrets()
        .checks;
    all.extend(checks!("create_snapshot", [SNAPSHOTS, VOLUMES]:
        answer, name_of_128_bytes, same_name, same_name_other_volume, of_unknown_volume,
        eight_at_once, cancelled));
    let fields = Fields::<DeleteSnapshotRequest>::of(
        "delete_snapshot",
        &[SNAPSHOTS, VOLUMES],
        base!(t => {
            let volume = t.shared().await?;
            delete(&t.snapshot(&volume.volume_id).await?.snapshot_id)
        }),
    );
    all.extend(
        fields
            .removes()
            .id("snapshot_id", 128, |r| &mut r.snapshot_id)
            .secrets()
            .checks,
    );
    all.extend(checks!("delete_snapshot", [SNAPSHOTS]: deleted_twice + VOLUMES, unknown_deleted));
    let fields =
        Fields::<GetSnapshotRequest>::of("get_snapshot", &[GET], base!(t => get(&t.unknown())));
    all.extend(
        fields
            .id("snapshot_id", 128, |r| &mut r.snapshot_id)
            .secrets()
            .checks,
    );
    all.extend(checks!("get_snapshot", [GET]: got + SNAPSHOTS + VOLUMES, unknown_got));
    all
}

fn delete(snapshot_id: &str) -> DeleteSnapshotRequest {
    DeleteSnapshotRequest {
        snapshot_id: snapshot_id.to_owned(),
        ..DeleteSnapshotRequest::default()
    }
}

fn get(snapshot_id: &str) -> GetSnapshotRequest {
    GetSnapshotRequest {
        snapshot_id: snapshot_id.to_owned(),
        ..GetSnapshotRequest::default()
    }
}

async fn taken(t: &Context, request: CreateSnapshotRequest) -> Checked<Snapshot> {
    set(t.ok(request).await?.snapshot, "snapshot")
}

async fn answer(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let snapshot = t.snapshot(&volume.volume_id).await?;
    expect((1..=128).contains(&snapshot.snapshot_id.len()), || {
        format!("`snapshot_id` has to have 1 to 128 bytes: {snapshot:?}")
    })?;
    expect(snapshot.source_volume_id == volume.volume_id, || {
        format!(
            "`source_volume_id` isn't {:?}: {snapshot:?}",
            volume.volume_id
        )
    })?;
    expect(snapshot.creation_time.is_some(), || {
        format!("no `creation_time`: {snapshot:?}")
    })?;
    expect(snapshot.size_bytes >= 0, || {
        format!("a size below zero: {snapshot:?}")
    })?;
    expect(snapshot.group_snapshot_id.is_empty(), || {
        format!("a single snapshot has a group: {snapshot:?}")
    })
}

async fn name_of_128_bytes(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let request = t.take(&volume.volume_id);
    let request = CreateSnapshotRequest {
        name: format!("{:x<128}", request.name),
        ..request
    };
    taken(t, request).await.map(drop)
}

fn same(one: &Snapshot, other: &Snapshot) -> Checked {
    let is_same = one.snapshot_id == other.snapshot_id && one.creation_time == other.creation_time;
    expect(is_same, || {
        format!("a repeated call returns another snapshot: {one:?}, then {other:?}")
    })
}

async fn same_name(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let request = t.take(&volume.volume_id);
    let first = taken(t, request.clone()).await?;
    let again = taken(t, request).await?;
    same(&first, &again)
}

async fn same_name_other_volume(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let request = t.take(&volume.volume_id);
    taken(t, request.clone()).await?;
    let other = CreateSnapshotRequest {
        source_volume_id: t.volume().await?.volume_id,
        ..request
    };
    t.refused(other, &[Code::AlreadyExists]).await
}

async fn of_unknown_volume(t: &Context) -> Checked {
    // The specification has no code of its own for it; drivers use these.
    let codes = [Code::NotFound, Code::InvalidArgument];
    t.refused(t.take(&t.unknown()), &codes).await
}

async fn eight_at_once(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let mut first: Option<Snapshot> = None;
    for answer in t.eight_at_once(t.take(&volume.volume_id)).await? {
        let snapshot = set(answer.snapshot, "snapshot")?;
        same(first.get_or_insert_with(|| snapshot.clone()), &snapshot)?;
    }
    Ok(())
}

async fn cancelled(t: &Context) -> Checked {
    let volume = t.shared().await?;
    for after in CANCELLED {
        let request = t.take(&volume.volume_id);
        t.cancelled(request.clone(), after).await;
        let first = set(t.settled(request.clone()).await?.snapshot, "snapshot")?;
        let again = set(t.settled(request).await?.snapshot, "snapshot")?;
        same(&first, &again)?;
    }
    Ok(())
}

async fn deleted_twice(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let snapshot = t.snapshot(&volume.volume_id).await?;
    t.ok(delete(&snapshot.snapshot_id)).await?;
    t.ok(delete(&snapshot.snapshot_id)).await.map(drop)
}

async fn unknown_deleted(t: &Context) -> Checked {
    t.ok(delete(&t.unknown())).await.map(drop)
}

async fn got(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let made = t.snapshot(&volume.volume_id).await?;
    let snapshot = set(t.ok(get(&made.snapshot_id)).await?.snapshot, "snapshot")?;
    let is_it = snapshot.snapshot_id == made.snapshot_id
        && snapshot.source_volume_id == made.source_volume_id
        && snapshot.creation_time == made.creation_time;
    expect(is_it, || {
        format!("{snapshot:?} isn't what was made: {made:?}")
    })?;
    t.ok(delete(&made.snapshot_id)).await?;
    t.refused(get(&made.snapshot_id), &[Code::NotFound]).await
}

async fn unknown_got(t: &Context) -> Checked {
    t.refused(get(&t.unknown()), &[Code::NotFound]).await
}
