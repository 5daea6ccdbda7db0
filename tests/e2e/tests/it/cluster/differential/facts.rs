//! Single requests with known answers: differences between releases, and oddities of all releases.
//!
//! The random requests may hit each of these or not. Here the server must answer what is written,
//! and we must say the same.

use conformance::valid::Kind;
use e2e::{ControlPlane, send, send_as};
use http::Method;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kubernetes_manifests::strict;
use kubernetes_validation::{Target, Validate};
use serde_json::{Value, json};
use storage_v1::{CSINode, StorageClass};

use super::damage::{self, Damage, expand};
use super::ours::Operation;
use super::verdict::Verdict;
use super::{Asked, Case, create, shared};
use crate::cluster::discovery::Server;

use Operation::{Create, Update, UpdateStatus};

/// The path at which classes are created, in a dry run.
pub(super) const CLASSES: &str = "/apis/storage.k8s.io/v1/storageclasses?dryRun=All";

/// The reasons and fields of a refusal; none if the object is accepted.
fn told(verdict: &Verdict) -> Vec<String> {
    match verdict {
        Verdict::Accepted { .. } => Vec::new(),
        Verdict::Refused(causes) => {
            let told = causes.iter().map(|cause| {
                let reason = cause.reason.strip_prefix("FieldValue");
                format!("{} {}", reason.unwrap_or(&cause.reason), cause.field)
            });
            told.collect()
        }
    }
}

fn base(kind: Kind) -> Value {
    match kind {
        Kind::CsiDriver => json!({"spec": {}}),
        Kind::CsiNode => {
            json!({"spec": {"drivers": [{"name": "d.example.com", "nodeID": "n"}]}})
        }
        Kind::CsiStorageCapacity => json!({"storageClassName": "a", "capacity": "1"}),
        Kind::StorageClass => json!({"provisioner": "a.example.com"}),
        Kind::VolumeAttachment => json!({"spec": {
            "attacher": "a.example.com", "nodeName": "n",
            "source": {"persistentVolumeName": "pv"},
        }}),
        _ => json!({"driverName": "a.example.com", "parameters": {"a": "b"}}),
    }
}

impl Asked {
    /// Does the changes to a small object, checks what the server answers, and compares ours with
    /// that.
    async fn fact(
        &mut self,
        (operation, kind): (Operation, Kind),
        changes: impl IntoIterator<Item = (&'static str, Value)>,
        expected: &[&str],
    ) {
        self.tally.count += 1;
        let mut stored = base(kind);
        stored["apiVersion"] = kind.api_version().into();
        stored["kind"] = kind.name().into();
        stored["metadata"] = json!({"name": format!("fact-{}", self.tally.count)});
        if operation != Create {
            stored = create(&self.server.client, kind, &stored).await;
        }
        let mut object = stored.clone();
        for (place, value) in changes {
            assert!(
                damage::apply(&mut object, &Damage { place, value }),
                "{place}"
            );
        }
        let sent = format!("{object:#}");
        let answer = self
            .compare(Case {
                kind,
                operation,
                object,
                stored,
            })
            .await;
        let body = &answer.body;
        assert_eq!(told(&Verdict::of(&answer)), expected, "{sent}\n{body:#}");
    }
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn each_fact_is_so() {
    let server = ControlPlane::builder()
        .defaults_only()
        .start()
        .await
        .unwrap();
    let mut asked = Asked::new(&server, &[], Kind::storage()).await;
    differing(&mut asked).await;
    odd(&mut asked).await;
    values(&mut asked).await;
    asked.finish();
}

/// Asks for the facts in which the releases differ.
async fn differing(asked: &mut Asked) {
    let minor = asked.server.release.minor;
    let by_1_36 = |earlier: &'static [&'static str], now: &'static [&'static str]| {
        if minor < 36 { earlier } else { now }
    };
    let class = (Update, Kind::StorageClass);
    let wanted = by_1_36(&["Forbidden provisioner"], &["Invalid provisioner"]);
    asked
        .fact(class, [("/provisioner", json!("b.example.com"))], wanted)
        .await;
    let wanted = by_1_36(&["Forbidden parameters"], &["Invalid parameters"]);
    asked
        .fact(class, [("/parameters", json!({"a": "b"}))], wanted)
        .await;
    let wanted = by_1_36(&["Forbidden parameters"], &[]);
    asked
        .fact(class, [("/parameters", json!({}))], wanted)
        .await;
    let wanted = by_1_36(&["Forbidden reclaimPolicy"], &["Invalid reclaimPolicy"]);
    asked
        .fact(class, [("/reclaimPolicy", json!("Retain"))], wanted)
        .await;

    let wanted = by_1_36(
        &["Invalid spec.attacher", "Required spec.attacher"],
        &["Required spec.attacher"],
    );
    let attachment = (Create, Kind::VolumeAttachment);
    asked
        .fact(attachment, [("/spec/attacher", json!(""))], wanted)
        .await;
    let wanted = by_1_36(
        &[
            "Invalid spec.drivers[0].name",
            "Required spec.drivers[0].name",
        ],
        &["Required spec.drivers[0].name"],
    );
    let node = (Create, Kind::CsiNode);
    asked
        .fact(node, [("/spec/drivers/0/name", json!(""))], wanted)
        .await;
    let wanted = by_1_36(
        &["Invalid spec"],
        &["Invalid spec", "Invalid spec.attacher"],
    );
    let attachment = (Update, Kind::VolumeAttachment);
    asked
        .fact(attachment, [("/spec/attacher", json!("a_b"))], wanted)
        .await;
    let volume = ("/spec/source", json!({"persistentVolumeName": "a_b"}));
    let wanted = by_1_36(
        &["Invalid spec"],
        &["Invalid spec", "Invalid spec.source.persistentVolumeName"],
    );
    asked.fact(attachment, [volume], wanted).await;
    let inline = json!({"inlineVolumeSpec": {
        "accessModes": ["ReadWriteOnce"], "csi": {"driver": "", "volumeHandle": "v"},
    }});
    let wanted = by_1_36(
        &[
            "Invalid spec.source.inlineVolumeSpec.csi.driver",
            "Required spec.source.inlineVolumeSpec.csi.driver",
        ],
        &["Required spec.source.inlineVolumeSpec.csi.driver"],
    );
    let attachment = (Create, Kind::VolumeAttachment);
    asked
        .fact(attachment, [("/spec/source", inline)], wanted)
        .await;
    let driver = match minor {
        ..33 => "Invalid CSINodeDriver",
        _ => "Invalid spec.drivers",
    };
    let node = (Update, Kind::CsiNode);
    asked
        .fact(node, [("/spec/drivers/0/nodeID", json!("o"))], &[driver])
        .await;
    // Its gate is on since 1.35; until then the field is dropped.
    let wanted: &[&str] = match minor {
        ..35 => &[],
        _ => &["Invalid status.attachError.errorCode"],
    };
    let status = (UpdateStatus, Kind::VolumeAttachment);
    let error = ("/status/attachError", json!({"errorCode": -1}));
    asked.fact(status, [error], wanted).await;
}

/// Checks oddities of all releases.
async fn odd(asked: &mut Asked) {
    for operation in [Create, Update] {
        let namespace = [("/metadata/namespace", json!("default"))];
        asked
            .fact((operation, Kind::StorageClass), namespace, &[])
            .await;
        let nulls = [
            ("/metadata/annotations", json!({"x": null})),
            ("/metadata/labels", json!({"x": null})),
            ("/mountOptions", json!(["ro", null])),
        ];
        asked
            .fact((operation, Kind::StorageClass), nulls, &[])
            .await;
    }
    let nulls = [("/parameters", json!({"fsType": null}))];
    asked.fact((Create, Kind::StorageClass), nulls, &[]).await;
    let nulls = [("/spec/tokenRequests", json!([null]))];
    asked.fact((Create, Kind::CsiDriver), nulls, &[]).await;

    let version = &["Invalid metadata.resourceVersion"];
    for kind in [
        Kind::CsiDriver,
        Kind::CsiNode,
        Kind::CsiStorageCapacity,
        Kind::VolumeAttachment,
    ] {
        let zero = [("/metadata/resourceVersion", json!("0"))];
        asked.fact((Update, kind), zero, version).await;
    }
    let status = (UpdateStatus, Kind::VolumeAttachment);
    asked
        .fact(
            status,
            [("/metadata/resourceVersion", Value::Null)],
            version,
        )
        .await;
    let class = (Update, Kind::StorageClass);
    asked
        .fact(class, [("/metadata/resourceVersion", json!("0"))], &[])
        .await;
    let managed = |fields: Value| {
        let managers = json!([{
            "manager": expand("m*129"), "operation": "Update", "apiVersion": "storage.k8s.io/v1",
            "fieldsType": "FieldsV1", "fieldsV1": fields,
        }]);
        [("/metadata/managedFields", managers)]
    };
    let too_long = ["TooLong metadata.managedFields[0].manager"];
    let provisioner = || managed(json!({"f:provisioner": {}}));
    asked.fact(class, provisioner(), &too_long).await;
    // The request takes the field over, so that the entry is gone.
    let class = (Create, Kind::StorageClass);
    asked.fact(class, provisioner(), &[]).await;
    let label = json!({"f:metadata": {"f:labels": {"f:unset": {}}}});
    asked.fact(class, managed(label), &too_long).await;
}

/// Quantities, and the field of a warning.
async fn values(asked: &mut Asked) {
    let capacity = (Create, Kind::CsiStorageCapacity);
    for good in [json!("1 "), json!("  1"), json!(5), json!("1e3")] {
        asked.fact(capacity, [("/capacity", good)], &[]).await;
    }
    for place in ["/capacity", "/maximumVolumeSize"] {
        asked
            .fact(capacity, [(place, json!("much"))], &["400 "])
            .await;
    }
    let label = json!({"matchLabels": {"beta.kubernetes.io/os": "linux"}});
    asked.fact(capacity, [("/nodeTopology", label)], &[]).await;
}

/// A field that the release doesn't have, a namespace too many, and keys that occur twice.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn bodies_are_read_so() {
    let server = shared().await;
    let client = server.client().unwrap();
    let post = async |validation: &str, fields: &str| {
        let body = format!(
            r#"{{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {{"name": "body", "namespace": "default"}},
            "provisioner": "a.example.com"{fields}}}"#
        );
        let path = format!("{CLASSES}&fieldValidation={validation}");
        let body = Some(body.into_bytes());
        send_as(&client, Method::POST, &path, "application/json", body)
            .await
            .unwrap()
    };
    let answer = post("Strict", "").await;
    assert!(answer.is_success(), "{:#}", answer.body);
    assert_eq!(answer.body["metadata"].get("namespace"), None);
    let answer = post("Strict", r#", "newer": 1"#).await;
    assert_eq!(answer.status, 400);
    // Half of a pair of escapes.
    let half = post("Warn", r#", "parameters": {"a": "b\ud800"}"#).await;
    assert_eq!(half.body["parameters"], json!({"a": "b\u{fffd}"}));
    // Where we take the last of two, the server merges.
    let twice = r#", "parameters": {"a": "b"}, "parameters": {"c": "d"}"#;
    let answer = post("Warn", twice).await;
    assert_eq!(answer.body["parameters"], json!({"a": "b", "c": "d"}));
    let twice = r#", "reclaimPolicy": "Retain", "reclaimPolicy": null"#;
    let answer = post("Warn", twice).await;
    assert_eq!(answer.body["reclaimPolicy"], "Delete");
    let twice = r#", "metadata": {"labels": {"a": "b"}}"#;
    let answer = post("Warn", twice).await;
    assert_eq!(answer.body["metadata"]["name"], "body");
    assert_eq!(answer.body["metadata"]["labels"], json!({"a": "b"}));
}

/// A zero with a sign is an integer, unless it has a fraction.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_negative_zero_is_an_integer() {
    let client = shared().await.client().unwrap();
    let path = "/apis/storage.k8s.io/v1/csinodes?dryRun=All";
    for (zero, is_read) in [("-0", true), ("-0.0", false)] {
        let body = format!(
            r#"{{"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {{"name": "n"}},
            "spec": {{"drivers": [{{"name": "a", "nodeID": "b", "topologyKeys": null,
            "allocatable": {{"count": {zero}}}}}]}}}}"#
        );
        let ours = strict::from_json::<CSINode>(&body);
        assert_eq!(ours.is_ok(), is_read, "{zero}");
        let body = Some(body.into_bytes());
        let answer = send_as(&client, Method::POST, path, "application/json", body);
        let answer = answer.await.unwrap();
        assert_eq!(answer.is_success(), is_read, "{:#}", answer.body);
    }
}

/// A refusal is the server's, but for the messages, which are in our own words, and the order of
/// causes.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_refusal_is_the_servers() {
    let server = shared().await;
    let client = server.client().unwrap();
    let target = Target::new(Server::of(server).await.release);
    for mut class in [
        json!({"provisioner": "", "parameters": {"": "a"}}),
        json!({"provisioner": "a", "reclaimPolicy": "Keep", "volumeBindingMode": "Late"}),
    ] {
        class["metadata"] = json!({"name": "Fast", "labels": {"a b": "c"}});
        let sent = Some(class.to_string().into_bytes());
        let theirs = send(&client, Method::POST, CLASSES, sent)
            .await
            .unwrap()
            .body;
        let mut theirs: Status = serde_json::from_value(theirs).unwrap();
        let mut class: StorageClass = serde_json::from_value(class).unwrap();
        let refused = class
            .default_and_validate(&target)
            .into_result()
            .unwrap_err();
        let mut ours = refused.to_status::<StorageClass>("Fast");
        for status in [&mut theirs, &mut ours] {
            status.message = None;
            let details = status.details.as_mut().unwrap();
            let causes = details.causes.as_mut().unwrap();
            causes.iter_mut().for_each(|cause| cause.message = None);
            causes.sort_by_key(|cause| (cause.field.clone(), cause.reason.clone()));
        }
        assert_eq!(ours, theirs);
    }
}
