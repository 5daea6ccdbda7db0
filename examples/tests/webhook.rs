//! The example `webhook`, registered with a real API server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::fs;
use std::path::Path;

use common::{Program, eventually};
use e2e::{Answer, ControlPlane, send};
use http::Method;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use kube::Client;
use kubernetes_kinds::Release;
use kubernetes_manifests::strict::from_yaml;
use kubernetes_validation::{Report, Target, Validate};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
};
use tempfile::TempDir;
use tokio::process::Command;

const API: &str = "/apis/storage.k8s.io/v1";
const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1";

/// Which objects a test's webhook gets: those with this label and value, so that the tests can share
/// a server.
const LABEL: &str = "webhook";

fn manifest(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A running webhook, and what a server needs to call it.
struct Webhook {
    program: Program,
    manifest: String,
    _folder: TempDir,
}

impl Webhook {
    async fn start(release: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca =
            CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &ca).unwrap();
        fs::write(file("webhook.crt"), certificate.pem()).unwrap();
        fs::write(file("webhook.key"), key.serialize_pem()).unwrap();

        let mut command = Command::new(env!("CARGO_BIN_EXE_webhook"));
        command.arg("--cert").arg(file("webhook.crt"));
        command.arg("--key").arg(file("webhook.key"));
        command.args(["--listen", "127.0.0.1:0", "--release", release]);
        let mut program = Program::start(&mut command);
        let rest = program.logs("listening on ").await;
        let (url, _) = rest.split_once(',').unwrap();

        let bundle = k8s_openapi::ByteString(ca.pem().into_bytes());
        let bundle = serde_json::to_value(bundle).unwrap();
        let manifest = manifest("webhook.yaml").replace("WEBHOOK_URL", url);
        Self {
            program,
            manifest: manifest.replace("CA_BUNDLE", bundle.as_str().unwrap()),
            _folder: folder,
        }
    }

    /// The configurations of the manifest for the objects of one test. A webhook that fails fails the
    /// test.
    fn configurations(
        &self,
        label: &str,
    ) -> (MutatingWebhookConfiguration, ValidatingWebhookConfiguration) {
        fn read<K: DeserializeOwned>(text: &str, label: &str) -> K {
            let read = from_yaml::<Value>(text).unwrap();
            let mut configuration = read.object;
            configuration["metadata"]["name"] = label.into();
            let webhook = &mut configuration["webhooks"][0];
            webhook["objectSelector"] = json!({"matchLabels": {LABEL: label}});
            webhook["failurePolicy"] = "Fail".into();
            let operations = &mut webhook["rules"][0]["operations"];
            operations.as_array_mut().unwrap().push("DELETE".into());
            serde_json::from_value(configuration).unwrap()
        }
        let (mutating, validating) = self.manifest.split_once("---\n").unwrap();
        (read(mutating, label), read(validating, label))
    }
}

/// Registers a webhook, and waits until the server calls it.
async fn register(client: &Client, resource: &str, configuration: Value, label: &str) {
    let path = format!("{CONFIGURATIONS}/{resource}");
    let answer = post(client, &path, &configuration).await;
    assert!(answer.is_success(), "{answer:?}");
    let name = configuration["webhooks"][0]["name"].as_str().unwrap();
    let probe = json!({
        "metadata": {"name": format!("probe-{label}"), "labels": {LABEL: label}},
        "provisioner": "csi.example.com",
        "parameters": {"password": "a"},
    });
    let path = format!("{API}/storageclasses?dryRun=All");
    eventually("the server calls the webhook", async || {
        let answer = post(client, &path, &probe).await;
        let refused = answer.body["message"].as_str().is_some_and(|m| m.contains(name));
        let defaulted = answer.body["allowVolumeExpansion"] == true;
        (refused || defaulted).then_some(())
    })
    .await;
}

async fn post(client: &Client, path: &str, object: &Value) -> Answer {
    let body = Some(object.to_string().into_bytes());
    send(client, Method::POST, path, body).await.unwrap()
}

/// An object for the webhook of a test.
fn labelled(label: &str, name: &str, more: Value) -> Value {
    let mut object = json!({"metadata": {"name": name, "labels": {LABEL: label}}});
    for (field, value) in more.as_object().unwrap() {
        match (&mut object[field], value) {
            (Value::Object(known), Value::Object(more)) => known.extend(more.clone()),
            (field, value) => *field = value.clone(),
        }
    }
    object
}

/// What the library says of a new object.
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
    assert_eq!(u64::from(answer.status.as_u16()), expected["code"].as_u64().unwrap());
}

const TARGET: Target = Target::new(Release::new(1, 36));

/// A mutating webhook is called before the server validates, so that `/validate` there sees the
/// objects that the server would refuse itself.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_refuses_what_the_library_refuses() {
    let server = ControlPlane::shared().await.unwrap();
    let client = server.client().unwrap();
    let webhook = Webhook::start("1.36").await;
    let (mut mutating, _) = webhook.configurations("refuse");
    for own in mutating.webhooks.iter_mut().flatten() {
        let url = own.client_config.url.as_mut().unwrap();
        *url = url.replace("/default", "/validate");
    }
    let configuration = serde_json::to_value(mutating).unwrap();
    register(&client, "mutatingwebhookconfigurations", configuration, "refuse").await;

    fn case<K>(path: &str, name: &str, more: Value) -> (String, Value, Value)
    where
        K: Validate + DeserializeOwned,
    {
        let object = labelled("refuse", name, more);
        let expected = refusal::<K>(&object, &TARGET);
        (format!("{API}/{path}"), object, expected)
    }
    let long = "x".repeat(600 << 10);
    let none = json!({"attacher": "", "nodeName": "A B", "source": {}});
    let cases = [
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
    ];
    let mut causes = 0;
    for (path, object, expected) in &cases {
        for dry_run in ["", "?dryRun=All"] {
            let answer = post(&client, &format!("{path}{dry_run}"), object).await;
            assert_refused(&answer, "defaults.storage-webhook.example.com", expected);
        }
        causes += expected["details"]["causes"].as_array().unwrap().len();
    }
    println!("{} objects refused with {causes} causes", cases.len());
    assert!(causes > cases.len());

    // An update, of the object and of its status.
    let spec = json!({"attacher": "csi.example.com", "nodeName": "a",
        "source": {"persistentVolumeName": "b"}});
    let object = labelled("refuse", "moved", json!({"spec": spec}));
    let path = format!("{API}/volumeattachments");
    let stored = post(&client, &path, &object).await;
    assert!(stored.is_success(), "{stored:?}");
    let path = format!("{path}/moved");
    let mut moved = stored.body.clone();
    moved["spec"]["nodeName"] = "c".into();
    let body = Some(moved.to_string().into_bytes());
    let answer = send(&client, Method::PUT, &path, body).await.unwrap();
    let stored: VolumeAttachment = serde_json::from_value(stored.body).unwrap();
    let mut moved: VolumeAttachment = serde_json::from_value(moved).unwrap();
    let refused = moved.default_and_validate_update(&stored, &TARGET).into_result();
    let status = refused.unwrap_err().to_status::<VolumeAttachment>("moved");
    let status = serde_json::to_value(status).unwrap();
    assert_refused(&answer, "defaults.storage-webhook.example.com", &status);
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
    for rule in validating.webhooks.iter_mut().flatten().flat_map(|own| &mut own.rules) {
        for rule in rule {
            rule.api_groups.get_or_insert_default().push(String::new());
        }
    }
    for (resource, configuration) in [
        ("mutatingwebhookconfigurations", serde_json::to_value(mutating)),
        ("validatingwebhookconfigurations", serde_json::to_value(validating)),
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
    let prefix =
        "admission webhook \"rules.storage-webhook.example.com\" denied the request: ";
    assert!(message.starts_with(prefix), "{message}");
    open["parameters"].as_object_mut().unwrap().remove("adminPassword");
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
    assert_eq!(answer.warnings, ["the storage webhook has no rules for v1 ConfigMap"]);
    webhook.program.stop().await;
}

/// The rules are those of the release, not of the server: before 1.29, a driver's `podInfoOnMount`
/// was immutable.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_release_decides_which_rules_apply() {
    let server = ControlPlane::shared().await.unwrap();
    let client = server.client().unwrap();
    for (label, release, is_accepted) in
        [("older", "1.28", false), ("newer", "1.29", true)]
    {
        let webhook = Webhook::start(release).await;
        let (_, validating) = webhook.configurations(label);
        let configuration = serde_json::to_value(validating).unwrap();
        register(&client, "validatingwebhookconfigurations", configuration, label).await;
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

#[tokio::test]
async fn what_can_not_be_served_is_named() {
    for (arguments, expected) in [
        (&["--cert", "none.crt", "--key", "none.key"][..], "none.crt"),
        (&["--cert", "a", "--key", "b", "--release", "new"], "write it as 1."),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webhook"));
        let output = command.args(arguments).output().await.unwrap();
        assert!(!output.status.success());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with("error: ") && error.contains(expected), "{error}");
    }
}
