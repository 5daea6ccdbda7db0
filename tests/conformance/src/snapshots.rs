//! Random snapshots, classes and contents that a server with their definitions accepts.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::random::{maybe, word};

/// A snapshot of a claim, or of a content that exists already.
pub(crate) fn snapshot(rng: &mut Rng) -> Value {
    let fields = ["persistentVolumeClaimName", "volumeSnapshotContentName"];
    let mut spec = json!({"source": {fields[rng.usize(..2)]: word(rng)}});
    maybe(rng, &mut spec, "volumeSnapshotClassName", |rng| {
        word(rng).into()
    });
    json!({"spec": spec})
}

/// The status of a snapshot.
pub(crate) fn snapshot_status(rng: &mut Rng) -> Value {
    let sizes = ["1Gi", "1024Mi", "1e9", "1500m", "2.5Gi", "1073741824"];
    let mut status = json!({"readyToUse": rng.bool()});
    maybe(rng, &mut status, "boundVolumeSnapshotContentName", |rng| {
        word(rng).into()
    });
    maybe(rng, &mut status, "creationTime", |_| {
        "2024-01-02T03:04:05Z".into()
    });
    maybe(rng, &mut status, "error", error);
    maybe(rng, &mut status, "restoreSize", |rng| {
        sizes[rng.usize(..6)].into()
    });
    maybe(rng, &mut status, "volumeGroupSnapshotName", |rng| {
        word(rng).into()
    });
    status
}

/// A class, of snapshots or of group snapshots.
pub(crate) fn class(rng: &mut Rng) -> Value {
    let mut class = json!({"driver": "csi.example.com", "deletionPolicy": policy(rng)});
    maybe(
        rng,
        &mut class,
        "parameters",
        |rng| json!({"tier": word(rng), "empty": ""}),
    );
    class
}

/// A content, made for a snapshot or by hand.
pub(crate) fn content(rng: &mut Rng) -> Value {
    let fields = ["snapshotHandle", "volumeHandle"];
    let mut reference = json!({"name": word(rng), "namespace": "default"});
    maybe(rng, &mut reference, "kind", |_| "VolumeSnapshot".into());
    maybe(rng, &mut reference, "uid", |rng| word(rng).into());
    let mut spec = json!({
        "deletionPolicy": policy(rng),
        "driver": "csi.example.com",
        "source": {fields[rng.usize(..2)]: word(rng)},
        "volumeSnapshotRef": reference,
    });
    maybe(rng, &mut spec, "sourceVolumeMode", |_| "Block".into());
    maybe(rng, &mut spec, "volumeSnapshotClassName", |rng| {
        word(rng).into()
    });
    json!({"spec": spec})
}

/// The status of a content.
pub(crate) fn content_status(rng: &mut Rng) -> Value {
    let mut status = json!({"readyToUse": rng.bool()});
    maybe(rng, &mut status, "creationTime", |rng| rng.i64(..).into());
    maybe(rng, &mut status, "error", error);
    maybe(rng, &mut status, "restoreSize", |rng| rng.i64(0..).into());
    maybe(rng, &mut status, "snapshotHandle", |rng| word(rng).into());
    maybe(rng, &mut status, "volumeGroupSnapshotHandle", |rng| {
        word(rng).into()
    });
    status
}

/// A deletion policy.
pub(crate) fn policy(rng: &mut Rng) -> &'static str {
    ["Delete", "Retain"][rng.usize(..2)]
}

/// An error in a status.
pub(crate) fn error(rng: &mut Rng) -> Value {
    let mut error = json!({"message": word(rng)});
    maybe(rng, &mut error, "time", |_| "2024-01-02T03:04:05Z".into());
    error
}
