//! Changes to group snapshots and their contents.

use conformance::valid::Kind;
use serde_json::{Value, json};

use super::damage::{Damage, at};
use super::snapshots::{ignored, numbers, odd, policies, sources};

/// Returns the changes to a group snapshot.
pub(crate) fn snapshot() -> Vec<Damage> {
    let mut all = odd("/spec/volumeGroupSnapshotClassName");
    all.extend(odd("/spec/source/volumeGroupSnapshotContentName"));
    all.extend(sources(
        ("selector", json!({"matchLabels": {"a": "b"}})),
        ("volumeGroupSnapshotContentName", json!("a")),
    ));
    let selectors = [
        json!({}),
        json!({"matchLabels": {}}),
        json!({"matchLabels": {"a": "b"}}),
        json!({"matchLabels": {"a b": "ä"}}),
        json!({"matchLabels": {"a": 5}}),
        json!({"matchLabels": {"a": null}}),
        json!({"matchLabels": []}),
        json!({"matchLabels": null, "matchExpressions": null}),
        json!({"matchExpressions": []}),
        json!({"matchExpressions": {}}),
        json!({"matchExpressions": [null]}),
        json!({"matchExpressions": [{}]}),
        json!({"matchExpressions": [{"key": "a"}, {"operator": "In"}]}),
        json!({"matchExpressions": [{"key": "", "operator": "Odd"}]}),
        json!({"matchExpressions": [{"key": null, "operator": "In", "values": ["a"]}]}),
        json!({"matchExpressions": [{"key": "a", "operator": "In", "values": null}]}),
        json!({"matchExpressions": [{"key": "a", "operator": "In", "values": [null]}]}),
        json!({"matchExpressions": [{"key": "a", "operator": "In", "values": [5]}]}),
        json!({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}),
        json!({"matchExpressions": [{"key": "a", "operator": "Exists", "unknown": 1}]}),
        json!({"unknown": 1}),
        json!("a"),
        json!([]),
        Value::Null,
    ];
    all.extend(at("/spec/source/selector", selectors));
    all.extend(ignored());
    all
}

/// Returns the changes to a content.
pub(crate) fn content() -> Vec<Damage> {
    let mut all = odd("/spec/driver");
    all.extend(policies("/spec/deletionPolicy"));
    all.extend(odd("/spec/volumeGroupSnapshotClassName"));
    all.extend(sources(
        ("volumeHandles", json!(["a"])),
        (
            "groupSnapshotHandles",
            json!({"volumeGroupSnapshotHandle": "a", "volumeSnapshotHandles": ["b"]}),
        ),
    ));
    all.extend(at("/spec/source/volumeHandles", lists()));
    all.extend(at(
        "/spec/source/groupSnapshotHandles/volumeSnapshotHandles",
        lists(),
    ));
    all.extend(odd(
        "/spec/source/groupSnapshotHandles/volumeGroupSnapshotHandle",
    ));
    let handles = [
        json!({"volumeGroupSnapshotHandle": "a"}),
        json!({"volumeSnapshotHandles": ["a"]}),
        json!({"volumeGroupSnapshotHandle": "", "volumeSnapshotHandles": [], "unknown": 1}),
        json!("a"),
        Value::Null,
    ];
    all.extend(at("/spec/source/groupSnapshotHandles", handles));
    for place in [
        "/spec/volumeGroupSnapshotRef/name",
        "/spec/volumeGroupSnapshotRef/namespace",
        "/spec/volumeGroupSnapshotRef/kind",
        "/spec/volumeGroupSnapshotRef/uid",
        "/spec/volumeGroupSnapshotRef/resourceVersion",
    ] {
        all.extend(odd(place));
    }
    let references = [
        json!({}),
        json!({"name": "a"}),
        json!({"namespace": "a"}),
        json!({"name": "", "namespace": ""}),
        json!({"name": "a", "namespace": "b", "unknown": []}),
        json!("a"),
        Value::Null,
    ];
    all.extend(at("/spec/volumeGroupSnapshotRef", references));
    all.extend(ignored());
    all
}

/// Returns changes to a list of texts.
fn lists() -> Vec<Value> {
    vec![
        json!([]),
        json!(["a"]),
        json!(["a", "a", ""]),
        json!([5]),
        json!([null]),
        json!([{}]),
        json!("a"),
        json!({}),
        Value::Null,
    ]
}

/// Returns the changes to what a status has beside its time and its error.
pub(crate) fn status(kind: Kind) -> Vec<Damage> {
    if kind == Kind::VolumeGroupSnapshot {
        return odd("/status/boundVolumeGroupSnapshotContentName");
    }
    let mut all = odd("/status/volumeGroupSnapshotHandle");
    let lists = [
        json!([]),
        json!([{}]),
        json!([null]),
        json!(["a"]),
        json!([{"snapshotHandle": "a", "volumeHandle": "", "unknown": 1}]),
        json!([{"snapshotHandle": null}]),
        json!([{"readyToUse": "true"}, {"snapshotHandle": 5}]),
        json!({}),
        Value::Null,
    ];
    all.extend(at("/status/volumeSnapshotInfoList", lists));
    for field in ["creationTime", "restoreSize"] {
        let lists = numbers().map(|number| json!([{field: number, "volumeHandle": "a"}]));
        all.extend(at("/status/volumeSnapshotInfoList", lists));
    }
    all
}
