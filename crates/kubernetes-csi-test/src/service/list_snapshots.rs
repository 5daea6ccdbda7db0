//! ListSnapshots.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;

use crate::check::{Check, Checked, Need, checks, expect};
use crate::context::Context;
use crate::fields::{Fields, base};
use crate::pages;

const LIST: Need = Need::Controller(Rpc::ListSnapshots);
const SNAPSHOTS: Need = Need::Controller(Rpc::CreateDeleteSnapshot);
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<ListSnapshotsRequest>::of(
        "list_snapshots",
        &[LIST],
        base!(_t => ListSnapshotsRequest::default()),
    );
    let mut all = fields.secrets().checks;
    all.extend(checks!("list_snapshots", [LIST]:
        listed, of_unknown_id, of_unknown_volume, unknown_token, negative_max_entries));
    all.extend(checks!("list_snapshots", [LIST, SNAPSHOTS, VOLUMES]:
        listed_new, of_id, of_volume, of_id_and_other_volume, listed_in_pages,
        of_volume_in_pages));
    all
}

fn of_id_request(id: &str) -> ListSnapshotsRequest {
    ListSnapshotsRequest {
        snapshot_id: id.to_owned(),
        ..ListSnapshotsRequest::default()
    }
}

fn of_volume_request(id: &str) -> ListSnapshotsRequest {
    ListSnapshotsRequest {
        source_volume_id: id.to_owned(),
        ..ListSnapshotsRequest::default()
    }
}

async fn lists(t: &Context, request: ListSnapshotsRequest, wanted: &[&str]) -> Checked {
    let mut ids = pages::all(t, &request, 0).await?;
    let mut wanted = wanted.to_vec();
    ids.sort();
    wanted.sort_unstable();
    expect(ids == wanted, || {
        format!("{request:?} returns {ids:?}; expected is {wanted:?}")
    })
}

async fn listed(t: &Context) -> Checked {
    let ids = pages::all(t, &ListSnapshotsRequest::default(), 0).await?;
    expect(ids.iter().all(|id| !id.is_empty()), || {
        format!("an id is empty: {ids:?}")
    })
}

async fn of_unknown_id(t: &Context) -> Checked {
    lists(t, of_id_request(&t.unknown()), &[]).await
}

async fn of_unknown_volume(t: &Context) -> Checked {
    lists(t, of_volume_request(&t.unknown()), &[]).await
}

async fn unknown_token(t: &Context) -> Checked {
    pages::unknown_token::<ListSnapshotsRequest>(t).await
}

async fn negative_max_entries(t: &Context) -> Checked {
    pages::negative_max_entries::<ListSnapshotsRequest>(t).await
}

async fn listed_new(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let snapshot = t.snapshot(&volume.volume_id).await?;
    let all = ListSnapshotsRequest::default();
    let ids = pages::all(t, &all, 0).await?;
    expect(ids.contains(&snapshot.snapshot_id), || {
        format!("{snapshot:?} isn't listed: {ids:?}")
    })?;
    let delete = DeleteSnapshotRequest {
        snapshot_id: snapshot.snapshot_id.clone(),
        ..DeleteSnapshotRequest::default()
    };
    t.ok(delete).await?;
    let ids = pages::all(t, &all, 0).await?;
    expect(!ids.contains(&snapshot.snapshot_id), || {
        format!("{snapshot:?} is deleted, and listed: {ids:?}")
    })
}

async fn of_id(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let one = t.snapshot(&volume.volume_id).await?;
    t.snapshot(&volume.volume_id).await?;
    lists(t, of_id_request(&one.snapshot_id), &[&one.snapshot_id]).await
}

async fn of_volume(t: &Context) -> Checked {
    let (own, other) = (t.volume().await?, t.volume().await?);
    let one = t.snapshot(&own.volume_id).await?;
    let two = t.snapshot(&own.volume_id).await?;
    t.snapshot(&other.volume_id).await?;
    let wanted = [&*one.snapshot_id, &*two.snapshot_id];
    lists(t, of_volume_request(&own.volume_id), &wanted).await
}

/// Both filters hold.
async fn of_id_and_other_volume(t: &Context) -> Checked {
    let (own, other) = (t.volume().await?, t.volume().await?);
    let snapshot = t.snapshot(&own.volume_id).await?;
    let request = ListSnapshotsRequest {
        source_volume_id: other.volume_id,
        ..of_id_request(&snapshot.snapshot_id)
    };
    lists(t, request, &[]).await
}

async fn three(t: &Context, volume: &str) -> Checked<Vec<String>> {
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(t.snapshot(volume).await?.snapshot_id);
    }
    Ok(ids)
}

async fn listed_in_pages(t: &Context) -> Checked {
    let ids = three(t, &t.shared().await?.volume_id).await?;
    pages::have_each_once(t, &ListSnapshotsRequest::default(), &ids).await
}

async fn of_volume_in_pages(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let ids = three(t, &volume.volume_id).await?;
    pages::have_each_once(t, &of_volume_request(&volume.volume_id), &ids).await
}
