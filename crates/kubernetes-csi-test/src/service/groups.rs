//! GroupController.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect, set};
use crate::context::Context;
use crate::fields::{Fields, base};

const GROUPS: Need = Need::GroupSnapshots;
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const SNAPSHOTS: Need = Need::Controller(Rpc::CreateDeleteSnapshot);
const GET_SNAPSHOT: Need = Need::Controller(Rpc::GetSnapshot);

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<CreateVolumeGroupSnapshotRequest>::of(
        "create_volume_group_snapshot",
        &[GROUPS, VOLUMES],
        base!(t => take(t, &[&t.shared().await?.volume_id])),
    );
    let mut all = fields
        .name(|r| &mut r.name)
        .required("source_volume_ids", |r| r.source_volume_ids.clear())
        .invalid("empty_source_volume_id", |r| {
            r.source_volume_ids.push(String::new())
        })
        .map("parameters", |r| &mut r.parameters)
        .secrets()
        .checks;
    all.extend(checks!("create_volume_group_snapshot", [GROUPS, VOLUMES]:
        answer, same_name, same_name_other_volumes, of_unknown_volume, eight_at_once,
        snapshots_can_be_got + GET_SNAPSHOT, snapshot_deleted_alone + SNAPSHOTS));
    let fields = Fields::<DeleteVolumeGroupSnapshotRequest>::of(
        "delete_volume_group_snapshot",
        &[GROUPS],
        base!(t => delete(&t.unknown(), &[t.unknown()])),
    );
    all.extend(
        fields
            .removes()
            .id("group_snapshot_id", 128, |r| &mut r.group_snapshot_id)
            .secrets()
            .checks,
    );
    all.extend(checks!("delete_volume_group_snapshot", [GROUPS]:
        deleted + VOLUMES, deleted_with_other_snapshots + VOLUMES, unknown_deleted));
    let fields = Fields::<GetVolumeGroupSnapshotRequest>::of(
        "get_volume_group_snapshot",
        &[GROUPS],
        base!(t => get(&t.unknown(), &[t.unknown()])),
    );
    all.extend(
        fields
            .id("group_snapshot_id", 128, |r| &mut r.group_snapshot_id)
            .secrets()
            .checks,
    );
    all.extend(checks!("get_volume_group_snapshot", [GROUPS]:
        got + VOLUMES, got_with_other_snapshots + VOLUMES, unknown_got));
    all
}

fn take(t: &Context, volume_ids: &[&String]) -> CreateVolumeGroupSnapshotRequest {
    CreateVolumeGroupSnapshotRequest {
        name: t.name(),
        source_volume_ids: volume_ids.iter().map(|id| (*id).clone()).collect(),
        parameters: t.settings.group_snapshot_parameters.clone(),
        ..CreateVolumeGroupSnapshotRequest::default()
    }
}

fn delete(id: &str, snapshot_ids: &[String]) -> DeleteVolumeGroupSnapshotRequest {
    DeleteVolumeGroupSnapshotRequest {
        group_snapshot_id: id.to_owned(),
        snapshot_ids: snapshot_ids.to_vec(),
        ..DeleteVolumeGroupSnapshotRequest::default()
    }
}

fn get(id: &str, snapshot_ids: &[String]) -> GetVolumeGroupSnapshotRequest {
    GetVolumeGroupSnapshotRequest {
        group_snapshot_id: id.to_owned(),
        snapshot_ids: snapshot_ids.to_vec(),
        ..GetVolumeGroupSnapshotRequest::default()
    }
}

async fn taken(
    t: &Context,
    request: CreateVolumeGroupSnapshotRequest,
) -> Checked<VolumeGroupSnapshot> {
    set(t.settled(request).await?.group_snapshot, "group_snapshot")
}

/// Takes a group of two volumes, and returns it with the ids of its snapshots.
async fn pair(t: &Context) -> Checked<(VolumeGroupSnapshot, Vec<String>)> {
    let other = t.volume().await?;
    let request = take(t, &[&t.shared().await?.volume_id, &other.volume_id]);
    let group = taken(t, request).await?;
    let ids = ids(&group);
    Ok((group, ids))
}

fn ids(group: &VolumeGroupSnapshot) -> Vec<String> {
    let mut ids: Vec<_> = group
        .snapshots
        .iter()
        .map(|one| one.snapshot_id.clone())
        .collect();
    ids.sort();
    ids
}

async fn answer(t: &Context) -> Checked {
    let other = t.volume().await?;
    let request = take(t, &[&t.shared().await?.volume_id, &other.volume_id]);
    let group = taken(t, request.clone()).await?;
    expect((1..=128).contains(&group.group_snapshot_id.len()), || {
        format!("`group_snapshot_id` has to have 1 to 128 bytes: {group:?}")
    })?;
    expect(group.creation_time.is_some(), || {
        format!("no `creation_time`: {group:?}")
    })?;
    let mut sources: Vec<_> = group
        .snapshots
        .iter()
        .map(|one| &one.source_volume_id)
        .collect();
    let mut wanted: Vec<_> = request.source_volume_ids.iter().collect();
    sources.sort();
    wanted.sort();
    expect(sources == wanted, || {
        format!("snapshots of {sources:?}; expected are {wanted:?}")
    })?;
    let is_in = |one: &Snapshot| one.group_snapshot_id == group.group_snapshot_id;
    expect(group.snapshots.iter().all(is_in), || {
        format!("a snapshot lacks the id of its group: {group:?}")
    })?;
    let are_ready = group.snapshots.iter().all(|one| one.ready_to_use);
    expect(group.ready_to_use == are_ready, || {
        format!("`ready_to_use` isn't that of all snapshots: {group:?}")
    })
}

fn same(one: &VolumeGroupSnapshot, other: &VolumeGroupSnapshot) -> Checked {
    let is_same = one.group_snapshot_id == other.group_snapshot_id && ids(one) == ids(other);
    expect(is_same, || {
        format!("a repeated call returns another group: {one:?}, then {other:?}")
    })
}

async fn same_name(t: &Context) -> Checked {
    let request = take(t, &[&t.shared().await?.volume_id]);
    let first = taken(t, request.clone()).await?;
    let again = taken(t, request).await?;
    same(&first, &again)
}

async fn same_name_other_volumes(t: &Context) -> Checked {
    let request = take(t, &[&t.shared().await?.volume_id]);
    taken(t, request.clone()).await?;
    let other = CreateVolumeGroupSnapshotRequest {
        source_volume_ids: vec![t.volume().await?.volume_id],
        ..request
    };
    t.refused(other, &[Code::AlreadyExists]).await
}

async fn of_unknown_volume(t: &Context) -> Checked {
    // The specification has no code of its own for it; drivers use these.
    let codes = [
        Code::NotFound,
        Code::InvalidArgument,
        Code::FailedPrecondition,
    ];
    t.refused(take(t, &[&t.unknown()]), &codes).await
}

async fn eight_at_once(t: &Context) -> Checked {
    let request = take(t, &[&t.shared().await?.volume_id]);
    let mut first: Option<VolumeGroupSnapshot> = None;
    for answer in t.eight_at_once(request).await? {
        let group = set(answer.group_snapshot, "group_snapshot")?;
        same(first.get_or_insert_with(|| group.clone()), &group)?;
    }
    Ok(())
}

async fn snapshots_can_be_got(t: &Context) -> Checked {
    let (group, ids) = pair(t).await?;
    for snapshot_id in ids {
        let request = GetSnapshotRequest {
            snapshot_id,
            ..GetSnapshotRequest::default()
        };
        let snapshot = set(t.ok(request).await?.snapshot, "snapshot")?;
        expect(
            snapshot.group_snapshot_id == group.group_snapshot_id,
            || format!("the snapshot lacks the id of its group: {snapshot:?}"),
        )?;
    }
    Ok(())
}

/// A driver that can't delete the snapshots of a group one by one refuses that.
async fn snapshot_deleted_alone(t: &Context) -> Checked {
    let (_, ids) = pair(t).await?;
    let request = DeleteSnapshotRequest {
        snapshot_id: ids.first().cloned().unwrap_or_default(),
        ..DeleteSnapshotRequest::default()
    };
    t.ok_or(request, &[Code::InvalidArgument]).await.map(drop)
}

async fn deleted(t: &Context) -> Checked {
    let (group, ids) = pair(t).await?;
    let id = &group.group_snapshot_id;
    t.ok(delete(id, &ids)).await?;
    t.refused(get(id, &ids), &[Code::NotFound]).await?;
    t.ok(delete(id, &ids)).await.map(drop)
}

/// A driver that doesn't compare the snapshots deletes the group.
async fn deleted_with_other_snapshots(t: &Context) -> Checked {
    let (group, _) = pair(t).await?;
    let request = delete(&group.group_snapshot_id, &[t.unknown()]);
    t.ok_or(request, &[Code::InvalidArgument]).await.map(drop)
}

async fn unknown_deleted(t: &Context) -> Checked {
    t.ok(delete(&t.unknown(), &[t.unknown()])).await?;
    // As csi-sanity asks, though callers have to name the snapshots.
    t.ok_or(delete(&t.unknown(), &[]), &[Code::InvalidArgument])
        .await
        .map(drop)
}

async fn got(t: &Context) -> Checked {
    let (group, ids) = pair(t).await?;
    let answer = t.ok(get(&group.group_snapshot_id, &ids)).await?;
    same(&group, &set(answer.group_snapshot, "group_snapshot")?)
}

async fn got_with_other_snapshots(t: &Context) -> Checked {
    let (group, _) = pair(t).await?;
    let request = get(&group.group_snapshot_id, &[t.unknown()]);
    t.ok_or(request, &[Code::InvalidArgument]).await.map(drop)
}

async fn unknown_got(t: &Context) -> Checked {
    t.refused(get(&t.unknown(), &[t.unknown()]), &[Code::NotFound])
        .await?;
    let codes = [Code::NotFound, Code::InvalidArgument];
    t.refused(get(&t.unknown(), &[]), &codes).await
}
