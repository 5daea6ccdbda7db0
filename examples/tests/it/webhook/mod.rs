//! The example `webhook` without an API server.

pub(crate) mod registered;

use serde_json::{Value, json};
use tokio::process::Command;

use registered::{Webhook, post};

/// Sends the requests that a server would send.
#[tokio::test]
async fn requests_are_answered() {
    let webhook = Webhook::start("1.36").await;
    let client = webhook.client();
    let review = |kind: &str, object: Value| {
        let kind = json!({"group": "storage.k8s.io", "version": "v1", "kind": kind});
        let resource = json!({"group": "storage.k8s.io", "version": "v1", "resource": "a"});
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "a", "kind": kind, "resource": resource, "operation": "CREATE",
            "userInfo": {}, "object": object,
        }})
    };
    let class = json!({"metadata": {"name": "a"}, "provisioner": "a"});
    let answer = post(&client, "/default", &review("StorageClass", class.clone())).await;
    let patch: Vec<u8> = serde_json::from_value(answer.body["response"]["patch"].clone()).unwrap();
    let patch: Value = serde_json::from_slice(&patch).unwrap();
    let added = json!([
        {"op": "add", "path": "/allowVolumeExpansion", "value": true},
        {"op": "add", "path": "/reclaimPolicy", "value": "Delete"},
        {"op": "add", "path": "/volumeBindingMode", "value": "Immediate"},
    ]);
    assert_eq!(patch, added);

    let answer = post(&client, "/validate", &review("StorageClass", class)).await;
    let accepted = json!({"uid": "a", "allowed": true, "status": {}});
    assert_eq!(answer.body["response"], accepted);
    let answer = post(&client, "/validate", &review("Volume", json!({}))).await;
    let warnings = json!(["the storage webhook has no rules for storage.k8s.io/v1 Volume"]);
    assert_eq!(answer.body["response"]["warnings"], warnings);
    for other in [json!({}), json!([]), review("CSINode", json!({"spec": 1}))] {
        assert_eq!(
            post(&client, "/validate", &other).await.status,
            400,
            "{other}"
        );
    }
    webhook.program.stop().await;
}

#[tokio::test]
async fn what_can_not_be_served_is_named() {
    for (arguments, expected) in [
        (&["--cert", "none.crt", "--key", "none.key"][..], "none.crt"),
        (
            &["--cert", "a", "--key", "b", "--release", "new"],
            "write it as 1.",
        ),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webhook"));
        let output = command.args(arguments).output().await.unwrap();
        assert!(!output.status.success());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.starts_with("error: ") && error.contains(expected),
            "{error}"
        );
    }
}
