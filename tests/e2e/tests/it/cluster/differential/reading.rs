//! What is read: numbers, depth, times and forms of YAML, by a server and by us.

use e2e::send_as;
use http::Method;
use kubernetes_kinds::quantity;
use kubernetes_manifests::strict;
use storage_v1::{CSIStorageCapacity, StorageClass};

use super::facts::CLASSES;
use super::shared;

/// A quantity can be a number, of which a server keeps the text, even if no float is as large.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn numbers_are_quantities() {
    let server = shared().await;
    let client = server.client().unwrap();
    let path = "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities?dryRun=All";
    let long = "123456789012345678901234567890";
    for (number, theirs) in [
        ("5", "5"),
        ("1e3", "1e3"),
        ("5E1", "50"),
        ("1.50", "1500m"),
        ("9007199254740993.0", "9007199254740993"),
        ("18446744073709551616", "18446744073709551616"),
        (long, long),
        ("1e400", "10e399"),
        ("1e-400", "1e-9"),
    ] {
        let body = format!(
            r#"{{"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
            "metadata": {{"name": "n"}}, "storageClassName": "a", "capacity": {number}}}"#
        );
        let sent = Some(body.clone().into_bytes());
        let answer = send_as(&client, Method::POST, path, "application/json", sent);
        let answer = answer.await.unwrap();
        assert_eq!(answer.body["capacity"], theirs, "{:#}", answer.body);
        let ours = strict::from_json::<CSIStorageCapacity>(&body).unwrap();
        let ours = ours.object.capacity.unwrap();
        assert_eq!(quantity::canonical(&ours.0).unwrap(), theirs);
    }
}

/// An unknown field is skipped, or reported, however deep it is, up to a server's limit.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn unknown_fields_may_be_deep() {
    let server = shared().await;
    let client = server.client().unwrap();
    for (depth, is_read) in [(126, true), (200, true), (9_999, true), (10_000, false)] {
        let body = format!(
            r#"{{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {{"name": "a"}}, "provisioner": "a.example.com", "x": {}1{}}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        );
        for format in ["json", "yaml"] {
            let content = format!("application/{format}");
            let sent = Some(body.clone().into_bytes());
            let answer = send_as(&client, Method::POST, CLASSES, &content, sent);
            let answer = answer.await.unwrap();
            assert_eq!(answer.is_success(), is_read, "{depth} {format}");
            let ours = match format {
                "json" => strict::from_json::<StorageClass>(&body),
                _ => strict::from_yaml::<StorageClass>(&body),
            };
            assert_eq!(ours.is_ok(), is_read, "{depth} {format}");
            assert!(ours.is_err() || ours.unwrap().errors.len() == 1);
        }
    }
}

/// Bodies of YAML, and times: accepted and refused as by us, and read as the same.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn yaml_and_times_are_read_so() {
    let server = shared().await;
    let client = server.client().unwrap();
    let with = |metadata: &str, fields: &str| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nprovisioner: a.example.com\n\
             metadata: {{name: body{metadata}}}\n{fields}\n"
        )
    };
    let class = |fields: &str| with("", fields);
    let timed = |time: &str| with(&format!(", creationTimestamp: \"{time}\""), "");
    let managed = |time: &str| with(&format!(", managedFields: [{{time: \"{time}\"}}]"), "");
    let mut bodies = vec![
        (class("allowVolumeExpansion: tRue"), false),
        (class("allowVolumeExpansion: yes"), true),
        (class("parameters: {a: \"\\/\"}"), false),
        (class("parameters: {a: 1__0}"), false),
        (
            class("parameters: {yes: 'no', 0x10: !tag b, ~x: !!str 5}"),
            true,
        ),
        (class("parameters: {a: \"b\nc\", d: e}"), true),
        (class("parameters:\n  a: \"b\nc\"\n  d: 'e\n\nf'"), true),
        (class("parameters: {a: b, <<: {a: c}}"), true),
        (class("parameters: {a: !!timestamp 2001-1-02}"), true),
        (
            class("parameters: {a: !!timestamp '2001-1-1  1:02:03.5'}"),
            true,
        ),
        (
            class("parameters: {a: !!timestamp '2001-12-14t1:2:3,5-24:60'}"),
            true,
        ),
        (
            class("parameters: {a: !!timestamp 2001-1-1t01:02:03z}"),
            false,
        ),
        (class("parameters: {a: !!timestamp 2001-02-29}"), false),
        (class("parameters: {a: !!timestamp 5}"), false),
        (class("parameters: {a: b, a: c}"), true),
        (format!("%YAML 1.2\n---\n{}", class("")), false),
        (format!("%YAML 1.1\n---\n{}", class("")), true),
    ];
    let times = [
        ("2026-01-02T03:04:05Z", true),
        ("2026-01-02t03:04:05Z", false),
        ("2026-01-02T03:04:05z", false),
        ("2026-01-02 03:04:05Z", false),
        ("2026-01-02T03:04:60Z", false),
        ("2026-01-02T03:04:05", false),
        ("2026-01-02T03:04Z", false),
        ("20260102T030405Z", false),
        ("2026-02-30T03:04:05Z", false),
        ("2026-01-02T24:00:00Z", false),
        ("2026-01-02T03:04:05.123456789012Z", true),
        ("2026-01-02T03:04:05,5+01:00", true),
        ("2026-01-02T03:04:05.Z", false),
        ("2026-01-02T03:04:05+0100", false),
        ("2026-01-02T03:04:05-24:00", true),
        ("2026-01-02T03:04:05+25:00", false),
        ("2026-01-02T03:04:05+01:61", false),
        ("2026-01-02T3:04:05Z", true),
        ("0000-01-01T00:00:00Z", true),
        ("9999-12-30T21:59:59Z", true),
        ("9999-12-31T23:59:59Z", true),
        ("9999-12-31T23:59:59-12:00", true),
        ("9999-12-32T00:00:00Z", false),
        ("12026-01-02T03:04:05Z", false),
        ("", false),
    ];
    bodies.extend(times.map(|(time, wanted)| (timed(time), wanted)));
    bodies.extend(times.map(|(time, wanted)| (managed(time), wanted)));
    for (body, wanted) in bodies {
        let sent = Some(body.clone().into_bytes());
        let answer = send_as(&client, Method::POST, CLASSES, "application/yaml", sent);
        let answer = answer.await.unwrap();
        assert_eq!(answer.is_success(), wanted, "{body}{:#}", answer.body);
        let ours = strict::from_yaml::<StorageClass>(&body).map(|read| read.object);
        assert_eq!(ours.is_ok(), wanted, "{body}{ours:?}");
        if let Ok(ours) = ours {
            let theirs: StorageClass = serde_json::from_value(answer.body).unwrap();
            assert_eq!(ours.parameters, theirs.parameters, "{body}");
        }
    }
}
