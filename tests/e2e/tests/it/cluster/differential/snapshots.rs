//! Snapshots, classes and contents: custom resources, whose definitions the server is given first.

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
use super::{Asked, EACH, LISTED, check_coverage};
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
            .filter(|path| name(path).starts_with("snapshot."))
            .collect()
    });
    let ours = || vec![root.join("spec/v1.37/snapshot.storage.k8s.io.yaml")];
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

/// Waits until the server's document has the kinds, which is some time after it serves them.
pub(crate) async fn documented(client: &Client) {
    let path = "/openapi/v3/apis/snapshot.storage.k8s.io/v1";
    for _ in 0..300 {
        let answer = send(client, Method::GET, path, None).await.unwrap();
        let text = answer.body.to_string();
        if Kind::SNAPSHOT
            .iter()
            .all(|kind| text.contains(&format!("v1.{}\"", kind.name())))
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("{path} isn't there");
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

fn odd(place: &'static str) -> Vec<Damage> {
    let mut all = texts(place, &ODD);
    all.extend(at(
        place,
        [json!(5), json!(true), json!({}), json!([]), Value::Null],
    ));
    all
}

/// Returns the changes to a snapshot.
pub(crate) fn snapshot() -> Vec<Damage> {
    let mut all = odd("/spec/volumeSnapshotClassName");
    all.extend(odd("/spec/source/persistentVolumeClaimName"));
    all.extend(odd("/spec/source/volumeSnapshotContentName"));
    all.extend(sources(
        "persistentVolumeClaimName",
        "volumeSnapshotContentName",
    ));
    all.extend(ignored());
    all
}

/// An object of which exactly one of two fields is set, and parts of its kind.
fn sources(one: &str, other: &str) -> Vec<Damage> {
    let values = [
        json!({}),
        json!({one: "a", other: "b"}),
        json!({one: "", other: ""}),
        json!({one: "", "unknown": 7}),
        json!({one: "a"}),
        json!({other: "a"}),
        json!({one: null, other: "a"}),
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
fn ignored() -> Vec<Damage> {
    let mut all = at("/unknown", [json!({"a": null}), json!([1])]);
    all.extend(at("/spec/unknown", [json!("a"), json!({})]));
    all.extend(at(
        "/status",
        [json!({}), json!({"readyToUse": true}), Value::Null],
    ));
    all
}

/// Returns the changes to a class.
pub(crate) fn class() -> Vec<Damage> {
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

fn policies(place: &'static str) -> Vec<Damage> {
    let mut all = odd(place);
    all.extend(texts(place, &["Delete", "Retain", "delete", "Recycle"]));
    all
}

/// Returns the changes to a content.
pub(crate) fn content() -> Vec<Damage> {
    let mut all = odd("/spec/driver");
    all.extend(policies("/spec/deletionPolicy"));
    all.extend(odd("/spec/volumeSnapshotClassName"));
    all.extend(odd("/spec/sourceVolumeMode"));
    all.extend(texts("/spec/sourceVolumeMode", &["Block", "Filesystem"]));
    all.extend(odd("/spec/source/volumeHandle"));
    all.extend(odd("/spec/source/snapshotHandle"));
    all.extend(sources("volumeHandle", "snapshotHandle"));
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
    if kind == Kind::VolumeSnapshotContent {
        let numbers = [
            json!(0),
            json!(-1),
            json!(i64::MAX),
            json!(i64::MIN),
            json!(1.5),
            json!(2.0),
            json!("5"),
            Value::Null,
        ];
        all.extend(at("/status/creationTime", numbers.clone()));
        all.extend(at("/status/restoreSize", numbers));
        all.extend(odd("/status/snapshotHandle"));
        all.extend(odd("/status/volumeGroupSnapshotHandle"));
        return all;
    }
    all.extend(odd("/status/boundVolumeSnapshotContentName"));
    all.extend(odd("/status/volumeGroupSnapshotName"));
    let times = [
        "",
        "now",
        "2024-01-02T03:04:05Z",
        "2024-01-02T03:04:05.5+02:00",
        "2024-01-02t03:04:05z",
        "2024-01-02 03:04:05Z",
        "2024-01-02T25:04:05Z",
        "2024-01-02",
    ];
    all.extend(texts("/status/creationTime", &times));
    all.extend(at("/status/creationTime", [json!(5), Value::Null]));
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
