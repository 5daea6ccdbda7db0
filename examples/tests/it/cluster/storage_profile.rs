//! The example `storage_profile`, with a real API server.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use e2e::{Builder, ControlPlane, send, send_as};
use http::Method;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::api::{PostParams, ResourceExt};
use kube::core::GroupVersionKind;
use kube::runtime::wait::{await_condition, conditions};
use kube::{Client, Resource};
use serde_json::{Value, json};
use storage_v1::{CSIDriver, StorageClass, VolumeBindingMode};
use tokio::process::Command;

use crate::program::{PATIENCE, Program, eventually};

const MANAGER: &str = "example-profiles";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PROFILES: &str = "/apis/example.com/v1/storageprofiles";

/// A control plane, and the controller that works with it.
struct World {
    _server: ControlPlane,
    controller: Program,
    client: Client,
    profiles: Api<DynamicObject>,
    drivers: Api<CSIDriver>,
    classes: Api<StorageClass>,
}

impl World {
    /// Starts both, with the definition that the program prints.
    async fn start() -> Self {
        Self::start_with(ControlPlane::builder()).await
    }

    async fn start_with(builder: Builder) -> Self {
        let server = builder.start().await.unwrap();
        let client = server.client().unwrap();
        define(&client).await;
        let mut command = command();
        command.arg("run").env("KUBECONFIG", server.kubeconfig());
        let mut controller = Program::start(&mut command);
        controller
            .logs("following StorageProfiles, rules of Kubernetes 1.")
            .await;
        let kind = GroupVersionKind::gvk("example.com", "v1", "StorageProfile");
        let resource = ApiResource::from_gvk(&kind);
        Self {
            controller,
            profiles: Api::all_with(client.clone(), &resource),
            drivers: Api::all(client.clone()),
            classes: Api::all(client.clone()),
            client,
            _server: server,
        }
    }

    async fn add(&self, name: &str, spec: Value) -> DynamicObject {
        let profile = profile(name, spec);
        self.profiles
            .create(&PostParams::default(), &profile)
            .await
            .unwrap()
    }

    async fn change(&self, name: &str, spec: Value) {
        let change = Patch::Merge(json!({"spec": spec}));
        self.profiles
            .patch(name, &PatchParams::default(), &change)
            .await
            .unwrap();
    }

    /// Waits until the status is about the newest spec, and returns why it isn't ready.
    async fn refused(&self, name: &str) -> Option<String> {
        let status = eventually(name, async || {
            let profile = self.profiles.get(name).await.unwrap();
            let status = profile.data.get("status")?.clone();
            let generation = json!(profile.metadata.generation);
            (status["observedGeneration"] == generation).then_some(status)
        })
        .await;
        let message = status["message"].as_str().unwrap();
        assert_eq!(status["ready"], message.is_empty(), "{status}");
        (!message.is_empty()).then(|| message.to_owned())
    }

    /// Sends a profile that the server refuses, and returns the field and the type of each error.
    async fn refusal(&self, spec: Value) -> Vec<(String, String)> {
        let body = serde_json::to_vec(&profile("bad.example.com", spec)).unwrap();
        let answer = send(&self.client, Method::POST, PROFILES, Some(body))
            .await
            .unwrap();
        assert_eq!(answer.status, 422, "{}", answer.body);
        let causes = answer.body["details"]["causes"].as_array().unwrap();
        let text = |cause: &Value, name: &str| cause[name].as_str().unwrap().to_owned();
        causes
            .iter()
            .map(|cause| (text(cause, "field"), text(cause, "reason")))
            .collect()
    }
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_storage_profile"))
}

/// Sends the printed text to the server as it is, and waits until the kind is served.
async fn define(client: &Client) {
    let output = command()
        .arg("crd")
        .stderr(Stdio::inherit())
        .output()
        .await
        .unwrap();
    assert!(output.status.success());
    let yaml = "application/yaml";
    let created = send_as(client, Method::POST, DEFINITIONS, yaml, Some(output.stdout));
    let created = created.await.unwrap();
    assert!(
        created.is_success() && created.warnings.is_empty(),
        "{created:?}"
    );
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let is_established = conditions::is_crd_established();
    let name = "storageprofiles.example.com";
    await_condition(definitions, name, is_established)
        .await
        .unwrap();
}

fn profile(name: &str, spec: Value) -> DynamicObject {
    let profile = json!({
        "apiVersion": "example.com/v1", "kind": "StorageProfile",
        "metadata": {"name": name}, "spec": spec,
    });
    serde_json::from_value(profile).unwrap()
}

/// A good spec with other values.
fn spec(other: Value) -> Value {
    let mut spec = json!({
        "driver": {"podInfoOnMount": true},
        "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Retain",
    });
    let fields = spec.as_object_mut().unwrap();
    fields.extend(other.as_object().unwrap().clone());
    spec
}

/// The entries of `managedFields` of the controller: operation, subresource and fields.
fn owned(object: &impl ResourceExt) -> Value {
    let entries = object.managed_fields().iter();
    let own = entries.filter(|entry| entry.manager.as_deref() == Some(MANAGER));
    own.map(|own| json!([own.operation, own.subresource, own.fields_v1]))
        .collect()
}

/// An object without what the server adds to its metadata.
fn told<K: Resource + serde::Serialize>(object: &K) -> Value {
    let mut value = serde_json::to_value(object).unwrap();
    let metadata = value["metadata"].as_object_mut().unwrap();
    metadata.retain(|name, _| name == "name" || name == "ownerReferences");
    value
}

fn topologies(values: Value) -> Value {
    json!([{"matchLabelExpressions": [{"key": "zone", "values": values}]}])
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_profile_makes_a_driver_and_a_class() {
    let world = World::start().await;
    let name = "csi.example.com";
    let zones = topologies(json!(["a", "b"]));
    let made = world
        .add(name, spec(json!({"allowedTopologies": zones})))
        .await;
    assert_eq!(world.refused(name).await, None);

    // Exactly what the profile says, the server's defaults, and the profile as the owner.
    let owner = json!([{
        "apiVersion": "example.com/v1", "kind": "StorageProfile", "name": name,
        "uid": made.metadata.uid, "controller": true,
    }]);
    let class = world.classes.get(name).await.unwrap();
    let wanted = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": name, "ownerReferences": owner},
        "provisioner": name, "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Retain", "allowedTopologies": zones,
    });
    assert_eq!(told(&class), wanted);
    let fields = json!({
        "f:metadata": {"f:ownerReferences": {format!("k:{{\"uid\":{}}}", json!(made.uid())): {}}},
        "f:provisioner": {}, "f:volumeBindingMode": {}, "f:reclaimPolicy": {},
        "f:allowedTopologies": {},
    });
    assert_eq!(owned(&class), json!([["Apply", null, fields]]));
    let driver = world.drivers.get(name).await.unwrap();
    assert_eq!(told(&driver)["metadata"], wanted["metadata"]);
    assert_eq!(driver.spec.pod_info_on_mount, Some(true));
    // With the defaults of the definition, but nothing that the server doesn't have.
    let mut spec = json!({
        "f:attachRequired": {}, "f:fsGroupPolicy": {}, "f:podInfoOnMount": {},
        "f:requiresRepublish": {}, "f:seLinuxMount": {}, "f:storageCapacity": {},
        "f:volumeLifecycleModes": {"v:\"Persistent\"": {}},
    });
    let version = world.client.apiserver_version().await.unwrap();
    if version.minor.parse::<u16>().unwrap() >= 37 {
        spec["f:preventPodSchedulingIfMissing"] = json!({});
    }
    let fields = json!({"f:metadata": fields["f:metadata"], "f:spec": spec});
    assert_eq!(owned(&driver), json!([["Apply", null, fields]]));

    // Mutable fields change, and fields that are no longer set go.
    let changed = json!({
        "allowVolumeExpansion": true, "allowedTopologies": null,
        "driver": {"podInfoOnMount": false},
    });
    world.change(name, changed).await;
    assert_eq!(world.refused(name).await, None);
    let class = world.classes.get(name).await.unwrap();
    assert_eq!(
        (class.allow_volume_expansion, &class.allowed_topologies),
        (Some(true), &None)
    );
    let driver = world.drivers.get(name).await.unwrap();
    assert_eq!(driver.spec.pod_info_on_mount, Some(false));

    // An immutable field is an error in the status, until the profile changes back.
    world
        .change(name, json!({"volumeBindingMode": "Immediate"}))
        .await;
    let message = world.refused(name).await.unwrap();
    let told = "StorageClass: volumeBindingMode: Invalid value: \"Immediate\": ";
    assert!(message.starts_with(told), "{message}");
    let class = world.classes.get(name).await.unwrap();
    assert_eq!(
        class.volume_binding_mode,
        Some(VolumeBindingMode::WaitForFirstConsumer)
    );
    world
        .change(name, json!({"volumeBindingMode": "WaitForFirstConsumer"}))
        .await;
    assert_eq!(world.refused(name).await, None);

    // Changes and deletions by others are undone.
    let other = Patch::Merge(json!({"allowVolumeExpansion": false}));
    world
        .classes
        .patch(name, &PatchParams::default(), &other)
        .await
        .unwrap();
    world
        .drivers
        .delete(name, &DeleteParams::default())
        .await
        .unwrap();
    eventually("restored", async || {
        let class = world.classes.get(name).await.unwrap();
        let driver = world.drivers.get_opt(name).await.unwrap();
        (class.allow_volume_expansion == Some(true) && driver.is_some()).then_some(())
    })
    .await;
    world.controller.stop().await;
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn what_is_wrong_is_refused() {
    let world = World::start().await;
    // By the server, with the schemas.
    for (other, field, reason) in [
        (
            json!({"volumeBindingMode": "Never"}),
            "spec.volumeBindingMode",
            "FieldValueNotSupported",
        ),
        (
            json!({"reclaimPolicy": null}),
            "spec.reclaimPolicy",
            "FieldValueRequired",
        ),
        (
            json!({"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone"}]}]}),
            "spec.allowedTopologies[0].matchLabelExpressions[0].values",
            "FieldValueRequired",
        ),
        (
            json!({"driver": {"fsGroupPolicy": "Files"}}),
            "spec.driver.fsGroupPolicy",
            "FieldValueNotSupported",
        ),
        (
            json!({"driver": {"volumeLifecycleModes": ["Persistent", "Persistent"]}}),
            "spec.driver.volumeLifecycleModes[1]",
            "FieldValueDuplicate",
        ),
        (
            json!({"driver": {"attachRequired": "yes"}}),
            "spec.driver.attachRequired",
            "FieldValueTypeInvalid",
        ),
    ] {
        let refused = world.refusal(spec(other)).await;
        assert!(
            refused.contains(&(field.to_owned(), reason.to_owned())),
            "{refused:?}"
        );
    }

    // By the controller, which knows what schemas can't say.
    world
        .add(
            "recycled.example.com",
            spec(json!({"reclaimPolicy": "Recycle"})),
        )
        .await;
    let message = world.refused("recycled.example.com").await.unwrap();
    assert!(
        message.starts_with("StorageClass: reclaimPolicy: "),
        "{message}"
    );
    assert_eq!(
        world.classes.get_opt("recycled.example.com").await.unwrap(),
        None
    );
    let twice = topologies(json!(["a", "a"]));
    world
        .add(
            "twice.example.com",
            spec(json!({"allowedTopologies": twice})),
        )
        .await;
    let message = world.refused("twice.example.com").await.unwrap();
    assert!(
        message.contains("allowedTopologies[0].matchLabelExpressions[0].values[1]"),
        "{message}"
    );
    let long = format!("{}.example.com", "a".repeat(60));
    world.add(&long, spec(json!({}))).await;
    let message = world.refused(&long).await.unwrap();
    assert!(
        message.starts_with("StorageClass: provisioner: "),
        "{message}"
    );

    // A class that somebody else has made stays theirs.
    let theirs = StorageClass::new("theirs.example.com", "other.example.com");
    let theirs = world
        .classes
        .create(&PostParams::default(), &theirs)
        .await
        .unwrap();
    world.add("theirs.example.com", spec(json!({}))).await;
    let message = world.refused("theirs.example.com").await.unwrap();
    assert_eq!(
        message,
        "somebody else has a StorageClass theirs.example.com"
    );
    assert_eq!(
        world.classes.get("theirs.example.com").await.unwrap(),
        theirs
    );
    world.controller.stop().await;
}

/// The manifest that README.md shows. What is made goes with the profile.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_manifest_is_followed() {
    let collector = ControlPlane::builder().controllers(["garbage-collector-controller"]);
    let world = World::start_with(collector).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests/profile.yaml");
    let body = Some(fs::read(path).unwrap());
    let created = send_as(
        &world.client,
        Method::POST,
        PROFILES,
        "application/yaml",
        body,
    );
    assert!(created.await.unwrap().is_success());
    assert_eq!(world.refused("csi.example.com").await, None);
    let name = "csi.example.com";
    assert!(world.classes.get_opt(name).await.unwrap().is_some());
    world
        .profiles
        .delete(name, &DeleteParams::default())
        .await
        .unwrap();
    let begun = Instant::now();
    // The collector looks for new kinds twice a minute.
    let is_gone = async {
        while world.classes.get_opt(name).await.unwrap().is_some()
            || world.drivers.get_opt(name).await.unwrap().is_some()
        {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(3 * PATIENCE, is_gone)
        .await
        .expect("deleted with the profile");
    println!("gone after {:?}", begun.elapsed());
    world.controller.stop().await;
}

/// The kind has to be there before its controller.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn without_the_definition_it_says_so() {
    let server = ControlPlane::start().await.unwrap();
    let mut command = command();
    command.arg("run").env("KUBECONFIG", server.kubeconfig());
    let output = command.output().await.unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("can't list StorageProfiles, see the command crd"),
        "{error}"
    );
}
