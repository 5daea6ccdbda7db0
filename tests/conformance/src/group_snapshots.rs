//! Random group snapshots and their contents that a server with their definitions accepts.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::random::{maybe, word};
use crate::snapshots::{error, policy};

/// A group snapshot of the claims with some labels, or of a content that exists already.
pub(crate) fn snapshot(rng: &mut Rng) -> Value {
    let source = match rng.usize(..4) {
        0 => json!({"volumeGroupSnapshotContentName": word(rng)}),
        1 => json!({"selector": {}}),
        _ => {
            let mut selector = json!({"matchLabels": {"app": word(rng)}});
            maybe(rng, &mut selector, "matchExpressions", |_| {
                json!([
                    {"key": "tier", "operator": "In", "values": ["a", "b"]},
                    {"key": "rack", "operator": "Exists"},
                ])
            });
            json!({"selector": selector})
        }
    };
    let mut spec = json!({"source": source});
    maybe(rng, &mut spec, "volumeGroupSnapshotClassName", |rng| {
        word(rng).into()
    });
    json!({"spec": spec})
}

/// The status of a group snapshot.
pub(crate) fn snapshot_status(rng: &mut Rng) -> Value {
    let mut status = common_status(rng);
    let field = "boundVolumeGroupSnapshotContentName";
    maybe(rng, &mut status, field, |rng| word(rng).into());
    status
}

/// A content, made for a group snapshot or by hand.
pub(crate) fn content(rng: &mut Rng) -> Value {
    let mut reference = json!({"name": word(rng), "namespace": "default"});
    maybe(rng, &mut reference, "kind", |_| {
        "VolumeGroupSnapshot".into()
    });
    maybe(rng, &mut reference, "uid", |rng| word(rng).into());
    let handles = [word(rng), word(rng)];
    let source = match rng.bool() {
        true => json!({"volumeHandles": handles}),
        false => json!({"groupSnapshotHandles": {
            "volumeGroupSnapshotHandle": word(rng),
            "volumeSnapshotHandles": handles,
        }}),
    };
    let mut spec = json!({
        "deletionPolicy": policy(rng),
        "driver": "csi.example.com",
        "source": source,
        "volumeGroupSnapshotRef": reference,
    });
    maybe(rng, &mut spec, "volumeGroupSnapshotClassName", |rng| {
        word(rng).into()
    });
    json!({"spec": spec})
}

/// The status of a content.
pub(crate) fn content_status(rng: &mut Rng) -> Value {
    let mut status = common_status(rng);
    maybe(rng, &mut status, "volumeGroupSnapshotHandle", |rng| {
        word(rng).into()
    });
    maybe(rng, &mut status, "volumeSnapshotInfoList", |rng| {
        json!([
            {
                "creationTime": rng.i64(..),
                "readyToUse": rng.bool(),
                "restoreSize": rng.i64(..),
                "snapshotHandle": word(rng),
                "volumeHandle": word(rng),
            },
            {},
        ])
    });
    status
}

/// The status of either kind, without the fields of one of them.
fn common_status(rng: &mut Rng) -> Value {
    let mut status = json!({"readyToUse": rng.bool()});
    maybe(rng, &mut status, "creationTime", |_| {
        "2024-01-02T03:04:05Z".into()
    });
    maybe(rng, &mut status, "error", error);
    status
}
