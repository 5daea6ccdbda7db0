//! A running webhook, and its registration with a server.

use std::fs;
use std::path::Path;

use e2e::{Answer, send};
use http::Method;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use kube::{Client, Config};
use kubernetes_manifests::strict::from_yaml;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::program::{Program, eventually};

pub(crate) const API: &str = "/apis/storage.k8s.io/v1";
const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1";

/// The label of the objects that a test's webhook gets; each test has its own value, so that the
/// tests can share a server.
pub(crate) const LABEL: &str = "webhook";

pub(crate) fn manifest(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A running webhook, and what a server needs to call it.
pub(crate) struct Webhook {
    pub(crate) program: Program,
    manifest: String,
    config: Config,
    _folder: TempDir,
}

impl Webhook {
    pub(crate) async fn start(release: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
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
        let mut config = Config::new(url.parse().unwrap());
        config.root_cert = Some(vec![ca.der().to_vec()]);

        let bundle = k8s_openapi::ByteString(ca.pem().into_bytes());
        let bundle = serde_json::to_value(bundle).unwrap();
        let manifest = manifest("webhook.yaml").replace("WEBHOOK_URL", url);
        Self {
            program,
            manifest: manifest.replace("CA_BUNDLE", bundle.as_str().unwrap()),
            config,
            _folder: folder,
        }
    }

    /// A client of the webhook itself.
    pub(crate) fn client(&self) -> Client {
        Client::try_from(self.config.clone()).unwrap()
    }

    /// The configurations of the manifest for the objects of one test. A webhook that fails fails
    /// the test.
    pub(crate) fn configurations(
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
            webhook["rules"][0]["resources"] = json!(["*", "*/status"]);
            serde_json::from_value(configuration).unwrap()
        }
        let (mutating, validating) = self.manifest.split_once("---\n").unwrap();
        (read(mutating, label), read(validating, label))
    }
}

/// Registers a webhook, and waits until the server calls it.
pub(crate) async fn register(client: &Client, resource: &str, configuration: Value, label: &str) {
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
        let refused = answer.body["message"]
            .as_str()
            .is_some_and(|m| m.contains(name));
        let defaulted = answer.body["allowVolumeExpansion"] == true;
        (refused || defaulted).then_some(())
    })
    .await;
}

pub(crate) async fn post(client: &Client, path: &str, object: &Value) -> Answer {
    let body = Some(object.to_string().into_bytes());
    send(client, Method::POST, path, body).await.unwrap()
}

/// An object for the webhook of a test.
pub(crate) fn labelled(label: &str, name: &str, more: Value) -> Value {
    let mut object = json!({"metadata": {"name": name, "labels": {LABEL: label}}});
    for (field, value) in more.as_object().unwrap() {
        match (&mut object[field], value) {
            (Value::Object(known), Value::Object(more)) => known.extend(more.clone()),
            (field, value) => *field = value.clone(),
        }
    }
    object
}

/// Replaces an object.
pub(crate) async fn put(client: &Client, path: &str, object: &Value) -> Answer {
    let body = Some(object.to_string().into_bytes());
    send(client, Method::PUT, path, body).await.unwrap()
}

/// Starts a webhook whose `/validate` the server calls as a mutating webhook: before it validates,
/// so that the webhook gets objects that the server would refuse itself.
pub(crate) async fn validating_first(client: &Client, label: &str) -> Webhook {
    let webhook = Webhook::start("1.36").await;
    let (mut mutating, _) = webhook.configurations(label);
    for own in mutating.webhooks.iter_mut().flatten() {
        let url = own.client_config.url.as_mut().unwrap();
        *url = url.replace("/default", "/validate");
    }
    let configuration = serde_json::to_value(mutating).unwrap();
    register(
        client,
        "mutatingwebhookconfigurations",
        configuration,
        label,
    )
    .await;
    webhook
}
