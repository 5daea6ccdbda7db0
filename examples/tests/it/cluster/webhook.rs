//! The example `webhook`, registered with a real API server.

use e2e::{Answer, ControlPlane, send};
use http::Method;
use kubernetes_kinds::Release;
use kubernetes_manifests::strict::from_yaml;
use kubernetes_validation::{Report, Target, Validate};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
};

use crate::webhook::registered::{
    API, LABEL, Webhook, labelled, manifest, post, put, register, validating_first,
};

const TARGET: Target = Target::new(Release::new(1, 36));

/// The name of the webhook that validates first.
const FIRST: &str = "defaults.storage-webhook.example.com";

/// Returns the library's report of a new object.
fn report<K: Validate + DeserializeOwned>(object: &Value, target: &Target) -> Report {
    let mut object: K = serde_json::from_value(object.clone()).unwrap();
    object.default_and_validate(target)
}

/// The `Status` with which the library refuses a new object.
fn refusal<K: Validate + DeserializeOwned>(object: &Value, target: &Target) -> Value {
    let refused = report::<K>(object, target).into_result().unwrap_err();
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    serde_json::to_value(refused.to_status::<K>(name)).unwrap()
}

/// Asserts that the webhook has refused, and that the answer is otherwise that of the library.
fn assert_refused(answer: &Answer, webhook: &str, expected: &Value) {
    println!("{}", answer.body["message"]);
    let mut expected = expected.clone();
    let message = expected["message"].as_str().unwrap();
    expected["message"] =
        format!("admission webhook \"{webhook}\" denied the request: {message}").into();
    assert_eq!(answer.body, expected);
    assert_eq!(
        u64::from(answer.status.as_u16()),
        expected["code"].as_u64().unwrap()
    );
}

/// Returns a status without the messages, in which wordings differ, and with its causes in order.
fn without_messages(status: &Value) -> Value {
    let mut status = status.clone();
    let name = |cause: &Value| cause["field"].to_string() + &cause["reason"].to_string();
    let causes = status["details"]["causes"].as_array_mut().unwrap();
    causes.sort_by_key(name);
    causes
        .iter_mut()
        .for_each(|cause| cause["message"] = Value::Null);
    status["message"] = Value::Null;
    status
}

/// An object, the path to which it is sent, and the refusal by the library.
type Case = (String, Value, Value);

fn case<K: Validate + DeserializeOwned>(path: &str, name: &str, more: Value) -> Case {
    let object = labelled("refuse", name, more);
    let expected = refusal::<K>(&object, &TARGET);
    (format!("{API}/{path}"), object, expected)
}

/// Objects that break rules of their kind.
fn cases() -> Vec<Case> {
    let long = "x".repeat(600 << 10);
    let none = json!({"attacher": "", "nodeName": "A B", "source": {}});
    vec![
        case::<StorageClass>("storageclasses", "Fast", json!({"provisioner": ""})),
        case::<StorageClass>(
            "storageclasses",
            "fast",
            json!({
                "provisioner": "a b", "reclaimPolicy": "Keep", "volumeBindingMode": "Late",
                "parameters": {"": "a"}, "metadata": {"finalizers": ["a b"]},
            }),
        ),
        case::<StorageClass>(
            "storageclasses",
            "fast",
            json!({"provisioner": "a", "parameters": {"a": long}}),
        ),
        case::<CSIDriver>(
            "csidrivers",
            "A_B",
            json!({"spec": {
                "fsGroupPolicy": "Maybe", "volumeLifecycleModes": ["Late"],
                "tokenRequests": [{"audience": "a"}, {"audience": "a", "expirationSeconds": 1}],
            }}),
        ),
        case::<VolumeAttachment>("volumeattachments", "a", json!({"spec": none})),
        case::<VolumeAttributesClass>(
            "volumeattributesclasses",
            "a",
            json!({"driverName": "a b", "parameters": {}}),
        ),
        case::<CSIStorageCapacity>(
            "namespaces/default/csistoragecapacities",
            "a",
            json!({"storageClassName": "A B", "capacity": "-1", "metadata": {"namespace": "default"}}),
        ),
    ]
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_refuses_what_the_library_refuses() {
    let server = ControlPlane::shared().await.unwrap();
    let client = server.client().unwrap();
    let webhook = validating_first(&client, "refuse").await;

    let cases = cases();
    let mut causes = 0;
    for (path, object, expected) in &cases {
        for dry_run in ["", "?dryRun=All"] {
            let answer = post(&client, &format!("{path}{dry_run}"), object).await;
            assert_refused(&answer, FIRST, expected);
        }
        causes += expected["details"]["causes"].as_array().unwrap().len();
        // Without the label, the server refuses it itself, for the same reasons.
        let mut object = object.clone();
        object["metadata"].as_object_mut().unwrap().remove("labels");
        let answer = post(&client, path, &object).await;
        assert_eq!(without_messages(&answer.body), without_messages(expected));
    }
    println!("{} objects refused with {causes} causes", cases.len());
    assert!(causes > cases.len());
    webhook.program.stop().await;
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_refuses_updates_as_the_library_does() {
    let server = ControlPlane::shared().await.unwrap();
    let client = server.client().unwrap();
    let webhook = validating_first(&client, "update").await;
    let source = json!({"persistentVolumeName": "b"});
    let spec = json!({"attacher": "csi.example.com", "nodeName": "a", "source": source});
    let object = labelled("update", "moved", json!({"spec": spec}));
    let path = format!("{API}/volumeattachments");
    let created = post(&client, &path, &object).await;
    assert!(created.is_success(), "{created:?}");
    let stored: VolumeAttachment = serde_json::from_value(created.body.clone()).unwrap();
    let path = format!("{path}/moved");

    let mut moved = created.body.clone();
    moved["spec"]["nodeName"] = "c".into();
    let answer = put(&client, &path, &moved).await;
    let mut moved: VolumeAttachment = serde_json::from_value(moved).unwrap();
    let refused = moved
        .default_and_validate_update(&stored, &TARGET)
        .into_result();
    let expected = refused.unwrap_err().to_status::<VolumeAttachment>("moved");
    assert_refused(&answer, FIRST, &serde_json::to_value(expected).unwrap());

    let mut long = created.body.clone();
    let metadata = json!({"a": "x".repeat(300 << 10)});
    long["status"] = json!({"attached": true, "attachmentMetadata": metadata});
    let answer = put(&client, &format!("{path}/status"), &long).await;
    let mut long: VolumeAttachment = serde_json::from_value(long).unwrap();
    let refused = long
        .default_and_validate_status(&stored, &TARGET)
        .into_result();
    let expected = refused.unwrap_err().to_status::<VolumeAttachment>("moved");
    assert_refused(&answer, FIRST, &serde_json::to_value(expected).unwrap());

    let mut attached = created.body;
    attached["status"] = json!({"attached": true});
    let answer = put(&client, &format!("{path}/status"), &attached).await;
    assert_eq!(answer.body["status"], json!({"attached": true}));
    let gone = send(&client, Method::DELETE, &path, None).await.unwrap();
    assert!(gone.is_success(), "{gone:?}");
    webhook.program.stop().await;
}

/// A validating webhook sees what the server accepts: it adds the policy, and the warnings.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn defaults_policy_and_warnings_arrive() {
    let server = ControlPlane::shared().await.unwrap();
    let client = server.client().unwrap();
    let webhook = Webhook::start("1.36").await;
    let (mutating, mut validating) = webhook.configurations("arrive");
    // A group of which the webhook knows nothing.
    for rule in validating
        .webhooks
        .iter_mut()
        .flatten()
        .flat_map(|own| &mut own.rules)
    {
        for rule in rule {
            rule.api_groups.get_or_insert_default().push(String::new());
        }
    }
    for (resource, configuration) in [
        (
            "mutatingwebhookconfigurations",
            serde_json::to_value(mutating),
        ),
        (
            "validatingwebhookconfigurations",
            serde_json::to_value(validating),
        ),
    ] {
        register(&client, resource, configuration.unwrap(), "arrive").await;
    }
    let classes = format!("{API}/storageclasses");
    let class = |name: &str, more: Value| {
        let mut class = labelled("arrive", name, more);
        class["provisioner"] = "csi.example.com".into();
        class
    };

    let answer = post(&client, &classes, &class("grows", json!({}))).await;
    assert!(answer.is_success(), "{answer:?}");
    assert_eq!(answer.body["allowVolumeExpansion"], true);
    assert_eq!(answer.warnings, [""; 0]);
    let fixed = class("fixed", json!({"allowVolumeExpansion": false}));
    assert_eq!(
        post(&client, &classes, &fixed).await.body["allowVolumeExpansion"],
        false
    );

    let mut open = from_yaml::<Value>(&manifest("class.yaml")).unwrap().object;
    open["metadata"]["labels"] = json!({LABEL: "arrive"});
    let answer = post(&client, &classes, &open).await;
    let causes = json!([{
        "field": "parameters[adminPassword]",
        "message": "Forbidden: keep it in a Secret, and name the Secret here",
        "reason": "FieldValueForbidden",
    }]);
    assert_eq!(answer.body["details"]["causes"], causes);
    let message = answer.body["message"].as_str().unwrap();
    let prefix = "admission webhook \"rules.storage-webhook.example.com\" denied the request: ";
    assert!(message.starts_with(prefix), "{message}");
    open["parameters"]
        .as_object_mut()
        .unwrap()
        .remove("adminPassword");
    let answer = post(&client, &classes, &open).await;
    assert_eq!(answer.body["allowVolumeExpansion"], true, "{answer:?}");

    let topologies = json!([{"matchLabelExpressions": [
        {"key": "failure-domain.beta.kubernetes.io/zone", "values": ["a"]},
    ]}]);
    let old = class("old", json!({"allowedTopologies": topologies}));
    let ours = report::<StorageClass>(&old, &TARGET).warnings;
    let answer = post(&client, &classes, &old).await;
    println!("{:#?}", answer.warnings);
    assert_eq!(ours.len(), 1);
    assert!(answer.warnings.contains(&ours[0].to_string()));

    let map = labelled("arrive", "map", json!({}));
    let answer = post(&client, "/api/v1/namespaces/default/configmaps", &map).await;
    assert!(answer.is_success(), "{answer:?}");
    assert_eq!(
        answer.warnings,
        ["the storage webhook has no rules for v1 ConfigMap"]
    );
    webhook.program.stop().await;
}

/// The rules are those of the release, not of the server: before 1.29, a driver's `podInfoOnMount`
/// was immutable.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_release_decides_which_rules_apply() {
    let server = ControlPlane::shared().await.unwrap();
    let client = server.client().unwrap();
    for (label, release, is_accepted) in [("older", "1.28", false), ("newer", "1.29", true)] {
        let webhook = Webhook::start(release).await;
        let (_, validating) = webhook.configurations(label);
        let configuration = serde_json::to_value(validating).unwrap();
        register(
            &client,
            "validatingwebhookconfigurations",
            configuration,
            label,
        )
        .await;
        let name = format!("{label}.example.com");
        let driver = labelled(label, &name, json!({"spec": {"podInfoOnMount": true}}));
        let path = format!("{API}/csidrivers");
        let mut driver = post(&client, &path, &driver).await.body;
        driver["spec"]["podInfoOnMount"] = false.into();
        let body = Some(driver.to_string().into_bytes());
        let path = format!("{path}/{name}");
        let answer = send(&client, Method::PUT, &path, body).await.unwrap();
        assert_eq!(answer.is_success(), is_accepted, "{release}: {answer:?}");
        if !is_accepted {
            let causes = answer.body["details"]["causes"].as_array().unwrap();
            let fields: Vec<_> = causes.iter().map(|cause| &cause["field"]).collect();
            assert_eq!(fields, ["spec.podInfoOnMount"]);
        }
        webhook.program.stop().await;
    }
}
