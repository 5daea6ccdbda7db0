//! Snapshots, classes and contents, and those of groups: custom resources, whose definitions the
//! server is given first.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use conformance::valid::Kind;
use e2e::{ControlPlane, send};
use http::Method;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use serde_json::{Value, json};

use super::damage::{Damage, QUALIFIED, at, texts};
use super::{Asked, EACH, LISTED, check_coverage, group_snapshots};
use crate::cases::number;
use crate::cluster::definitions::define;

/// The definitions of external-snapshotter if they are there, and ours otherwise.
pub(crate) fn definitions() -> Vec<CustomResourceDefinition> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let upstream = env::var_os("UPSTREAM_DIR").map(|upstream| {
        let folder = root.join(upstream).join("crds/snapshot-v8.7.0/manifests");
        let files = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        files
            .filter(|path| name(path).contains("snapshot."))
            .collect()
    });
    let ours = || {
        let groups = ["snapshot", "groupsnapshot"];
        let file = |group| root.join(format!("spec/v1.37/{group}.storage.k8s.io.yaml"));
        groups.map(file).to_vec()
    };
    let files: Vec<PathBuf> = upstream.unwrap_or_else(ours);
    println!("definitions: {files:?}");
    let read = |path| serde_saphyr::from_multiple(&fs::read_to_string(path).unwrap());
    let all: Vec<CustomResourceDefinition> = files
        .into_iter()
        .flat_map(|path| read(path).unwrap())
        .collect();
    assert_eq!(all.len(), Kind::SNAPSHOT.len());
    all
}

/// Waits until the server's documents have the kinds, which is some time after it serves them.
pub(crate) async fn documented(client: &Client) {
    for kind in Kind::SNAPSHOT {
        let path = format!("/openapi/v3/{}", kind.group_path());
        let mut tries = 0..300;
        loop {
            let answer = send(client, Method::GET, &path, None).await.unwrap();
            let text = answer.body.to_string();
            if text.contains(&format!("v1.{}\"", kind.name())) {
                break;
            }
            assert!(tries.next().is_some(), "{path} hasn't {kind:?}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_says_what_we_say_of_snapshots() {
    let server = ControlPlane::start().await.unwrap();
    let client = server.client().unwrap();
    define(&client, &definitions()).await;
    documented(&client).await;
    let mut asked = Asked::new(&server, &["AllAlpha", "AllBeta"], Kind::SNAPSHOT).await;
    let swept = asked.sweep().await;
    asked
        .compare_each(&Kind::SNAPSHOT, number("E2E_CASES", EACH))
        .await;
    asked.finish();
    if asked.server.release == LISTED {
        asked.deviations.check_all_occurred(Kind::SNAPSHOT);
        check_coverage(&swept, "rules-snapshots.txt");
    }
}

/// Values for places where a text belongs, `null` among them.
const ODD: [&str; 5] = ["", "a", "other", "A b", "ä"];

/// Returns changes to a text.
pub(crate) fn odd(place: &'static str) -> Vec<Damage> {
    let mut all = texts(place, &ODD);
    all.extend(at(
        place,
        [json!(5), json!(true), json!({}), json!([]), Value::Null],
    ));
    all
}

/// Returns the changes to an object of a kind.
pub(crate) fn all(kind: Kind) -> Vec<Damage> {
    match kind {
        Kind::VolumeSnapshot => snapshot(),
        Kind::VolumeSnapshotContent => content(),
        Kind::VolumeGroupSnapshot => group_snapshots::snapshot(),
        Kind::VolumeGroupSnapshotContent => group_snapshots::content(),
        _ => class(),
    }
}

/// Returns the changes to a snapshot.
fn snapshot() -> Vec<Damage> {
    let mut all = odd("/spec/volumeSnapshotClassName");
    all.extend(odd("/spec/source/persistentVolumeClaimName"));
    all.extend(odd("/spec/source/volumeSnapshotContentName"));
    all.extend(sources(
        ("persistentVolumeClaimName", json!("a")),
        ("volumeSnapshotContentName", json!("a")),
    ));
    all.extend(ignored());
    all
}

/// An object of which exactly one of two fields is set, which have such values, and parts of its
/// kind.
pub(crate) fn sources((one, some): (&str, Value), (other, more): (&str, Value)) -> Vec<Damage> {
    let zero = |value: &Value| match value {
        Value::String(_) => json!(""),
        Value::Array(_) => json!([]),
        _ => json!({}),
    };
    let values = [
        json!({}),
        json!({one: some, other: more}),
        json!({one: zero(&some), other: zero(&more)}),
        json!({one: zero(&some), "unknown": 7}),
        json!({one: some}),
        json!({other: more}),
        json!({one: null, other: more}),
        json!({one: null, other: null}),
        json!("a"),
        json!([]),
        Value::Null,
    ];
    let mut all = at("/spec/source", values);
    all.extend(at(
        "/spec",
        [json!({}), json!("a"), json!({"source": null}), Value::Null],
    ));
    all
}

/// Returns fields that a server drops.
pub(crate) fn ignored() -> Vec<Damage> {
    let mut all = at("/unknown", [json!({"a": null}), json!([1])]);
    all.extend(at("/spec/unknown", [json!("a"), json!({})]));
    all.extend(at(
        "/status",
        [json!({}), json!({"readyToUse": true}), Value::Null],
    ));
    all
}

/// Returns the changes to a class, of snapshots or of group snapshots.
fn class() -> Vec<Damage> {
    let mut all = odd("/driver");
    all.extend(texts("/driver", QUALIFIED));
    all.extend(policies("/deletionPolicy"));
    let parameters = [
        json!({}),
        json!({"": ""}),
        json!({"any key": "any value"}),
        json!({"a": 5}),
        json!({"a": {}}),
        json!({"a": null, "b": ""}),
        json!([]),
        json!("a"),
        Value::Null,
    ];
    all.extend(at("/parameters", parameters));
    all.extend(at("/spec", [json!({})]));
    all
}

/// Returns changes to a deletion policy.
pub(crate) fn policies(place: &'static str) -> Vec<Damage> {
    let mut all = odd(place);
    all.extend(texts(place, &["Delete", "Retain", "delete", "Recycle"]));
    all
}

/// Returns the changes to a content.
fn content() -> Vec<Damage> {
    let mut all = odd("/spec/driver");
    all.extend(policies("/spec/deletionPolicy"));
    all.extend(odd("/spec/volumeSnapshotClassName"));
    all.extend(odd("/spec/sourceVolumeMode"));
    all.extend(texts("/spec/sourceVolumeMode", &["Block", "Filesystem"]));
    all.extend(odd("/spec/source/volumeHandle"));
    all.extend(odd("/spec/source/snapshotHandle"));
    all.extend(sources(
        ("volumeHandle", json!("a")),
        ("snapshotHandle", json!("a")),
    ));
    for place in [
        "/spec/volumeSnapshotRef/name",
        "/spec/volumeSnapshotRef/namespace",
        "/spec/volumeSnapshotRef/kind",
        "/spec/volumeSnapshotRef/uid",
        "/spec/volumeSnapshotRef/resourceVersion",
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
    all.extend(at("/spec/volumeSnapshotRef", references));
    all.extend(ignored());
    all
}

/// Values for places where a whole number belongs.
pub(crate) fn numbers() -> [Value; 8] {
    [
        json!(0),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(1.5),
        json!(2.0),
        json!("5"),
        Value::Null,
    ]
}

const TIMES: [&str; 8] = [
    "",
    "now",
    "2024-01-02T03:04:05Z",
    "2024-01-02T03:04:05.5+02:00",
    "2024-01-02t03:04:05z",
    "2024-01-02 03:04:05Z",
    "2024-01-02T25:04:05Z",
    "2024-01-02",
];

/// Returns the changes to a status, and to the metadata that is written with it.
pub(crate) fn status(kind: Kind) -> Vec<Damage> {
    let mut all = super::metadata::all(kind, false);
    let errors = [
        json!({}),
        json!({"message": "m", "time": "2024-01-02T03:04:05Z"}),
        json!({"message": "", "unknown": 1}),
        json!({"message": 5}),
        json!({"time": "yesterday"}),
        json!("a"),
        Value::Null,
    ];
    all.extend(at("/status/error", errors));
    let flags = [
        json!(true),
        json!(false),
        json!("true"),
        json!(1),
        Value::Null,
    ];
    all.extend(at("/status/readyToUse", flags));
    all.extend(at(
        "/status",
        [json!({}), json!("a"), json!({"unknown": 1}), Value::Null],
    ));
    all.extend(at("/spec", [json!({}), Value::Null]));
    let times = || {
        let mut all = texts("/status/creationTime", &TIMES);
        all.extend(at("/status/creationTime", [json!(5), Value::Null]));
        all
    };
    if matches!(
        kind,
        Kind::VolumeGroupSnapshot | Kind::VolumeGroupSnapshotContent
    ) {
        all.extend(times());
        all.extend(group_snapshots::status(kind));
        return all;
    }
    if kind == Kind::VolumeSnapshotContent {
        all.extend(at("/status/creationTime", numbers()));
        all.extend(at("/status/restoreSize", numbers()));
        all.extend(odd("/status/snapshotHandle"));
        all.extend(odd("/status/volumeGroupSnapshotHandle"));
        return all;
    }
    all.extend(odd("/status/boundVolumeSnapshotContentName"));
    all.extend(odd("/status/volumeGroupSnapshotName"));
    all.extend(times());
    let sizes = [
        "", "much", "1Gi", "1.5Gi", "-5", "+5", "1e3", "1E", "1.5.5", " 1", "1 Gi", ".5", "5.",
        "0x10", "1gi",
    ];
    all.extend(texts("/status/restoreSize", &sizes));
    let sizes = [
        json!(5),
        json!(-5),
        json!(1.5),
        json!(2.0),
        json!({}),
        json!(true),
        Value::Null,
    ];
    all.extend(at("/status/restoreSize", sizes));
    all
}
