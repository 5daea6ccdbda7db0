//! Types for server-side apply: only what is set is sent, to kube and from there.

use std::time::Duration;

use conformance::arbitrary::check_all;
use conformance::kind::Kind;
use conformance::{each_kind, facts};
use k8s_openapi::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    LabelSelector, LabelSelectorRequirement, ManagedFieldsEntry, Time,
};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::{Client, Config};
use kubernetes_kinds::WithMetadata;
use kubernetes_kinds::apply::Apply;
use kubernetes_test_apiserver::{Request, Server};
use proptest::prelude::*;
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSIStorageCapacity, FSGroupPolicy, StorageClass, VolumeAttachment, apply,
};

/// Metadata that only the server sets, by names in JSON.
const SERVER_OWNED: [&str; 8] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Nothing but what names the object, whatever the kind.
fn nothing_set<K: Kind>() {
    let applied = K::Apply::default().with_name("one");
    let expected = json!({
        "apiVersion": K::API_VERSION, "kind": K::KIND, "metadata": {"name": "one"},
    });
    assert_eq!(json(&applied), expected);
    assert_eq!(K::Apply::API_VERSION, K::API_VERSION);
    assert_eq!(K::Apply::KIND, K::KIND);
}

/// A full object becomes one that says the same, but for what is the server's.
fn same_as_full<K: Kind>() {
    check_all(&K::arbitrary(), |mut full| {
        let metadata = full.metadata_mut();
        metadata.creation_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        metadata.deletion_grace_period_seconds = Some(0);
        metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        metadata.generation = Some(0);
        metadata.managed_fields = Some(vec![ManagedFieldsEntry::default()]);
        metadata.resource_version = Some(String::new());
        metadata.self_link = Some(String::new());
        metadata.uid = Some(String::new());
        let mut expected = json(&full);
        let metadata = expected["metadata"].as_object_mut().unwrap();
        for field in SERVER_OWNED {
            prop_assert!(metadata.remove(field).is_some(), "{}", field);
        }
        let applied = K::Apply::from(full);
        prop_assert_eq!(&json(&applied), &expected);
        // As text too, because reading from there is another way.
        let again: K::Apply = serde_json::from_str(&expected.to_string()).unwrap();
        prop_assert_eq!(again, applied);
        Ok(())
    });
}

mod nothing {
    conformance::each_kind!(super::nothing_set);
}

mod full {
    use super::each_kind;
    each_kind!(super::same_as_full);
}

#[test]
fn a_namespaced_kind_takes_its_namespace() {
    let capacity = apply::CSIStorageCapacity::new("one", "storage");
    let expected = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
        "metadata": {"name": "one", "namespace": "storage"},
    });
    assert_eq!(json(&capacity), expected);
}

/// Zero, false and empty are said, absent is not; required fields of the full types too.
#[test]
fn what_is_set_is_sent() {
    let spec = apply::CSIDriverSpec::new()
        .with_attach_required(false)
        .with_node_allocatable_update_period_seconds(0)
        .with_token_requests([
            apply::TokenRequest::new(),
            apply::TokenRequest::new().with_audience(""),
        ])
        .with_volume_lifecycle_modes(Vec::<&str>::new());
    let driver = apply::CSIDriver::new("csi.example.com").with_spec(spec);
    let expected = json!({
        "attachRequired": false,
        "nodeAllocatableUpdatePeriodSeconds": 0,
        "tokenRequests": [{}, {"audience": ""}],
        "volumeLifecycleModes": [],
    });
    assert_eq!(json(&driver)["spec"], expected);

    let class = apply::StorageClass::new("fast").with_parameters(Vec::<(&str, &str)>::new());
    assert_eq!(json(&class)["parameters"], json!({}));
    assert_eq!(json(&class).as_object().unwrap().len(), 4);

    let node = apply::CSINode::new("node-1").with_spec(apply::CSINodeSpec::new());
    assert_eq!(json(&node)["spec"], json!({}));
}

/// Checks what the documentation says about types of other crates.
#[test]
fn required_fields_of_other_crates_are_always_sent() {
    let selector = LabelSelector {
        match_expressions: Some(vec![LabelSelectorRequirement::default()]),
        ..LabelSelector::default()
    };
    let capacity = apply::CSIStorageCapacity::new("one", "storage").with_node_topology(selector);
    let expected = json!({"matchExpressions": [{"key": "", "operator": ""}]});
    assert_eq!(json(&capacity)["nodeTopology"], expected);
}

#[test]
fn another_kind_is_not_read() {
    let text = r#"{"apiVersion": "storage.k8s.io/v1", "kind": "CSINode"}"#;
    let error = serde_json::from_str::<apply::CSIDriver>(text).unwrap_err();
    assert!(error.to_string().contains("kind is \"CSINode\""), "{error}");
}

struct World {
    server: Server,
    client: Client,
}

impl World {
    /// The only request since the last look, which must have been one to apply.
    fn applied(&self) -> Request {
        let requests = self.server.take_requests();
        assert_eq!(requests.len(), 1, "{requests:#?}");
        let request = requests.into_iter().next().unwrap();
        assert_eq!(request.method, "PATCH");
        assert_eq!(request.content_type, "application/apply-patch+yaml");
        assert!(
            request.query.contains("fieldManager=me"),
            "{}",
            request.query
        );
        request
    }
}

fn with_world<F: Future<Output = ()>>(test: impl FnOnce(World) -> F) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let server = Server::start_with(facts::resources()).await.unwrap();
        let config = Config::new(server.url().parse().unwrap());
        let client = Client::try_from(config).unwrap();
        let world = World { server, client };
        tokio::time::timeout(Duration::from_secs(30), test(world))
            .await
            .expect("in time");
    });
}

#[test]
fn kube_sends_what_is_set_and_nothing_else() {
    with_world(|world| async move {
        let api: Api<CSIDriver> = Api::all(world.client.clone());
        let driver = apply::CSIDriver::new("csi.example.com")
            .with_label("app", "storage")
            .with_spec(apply::CSIDriverSpec::new().with_fs_group_policy(FSGroupPolicy::File));
        let params = PatchParams::apply("me");
        let created = api
            .patch("csi.example.com", &params, &Patch::Apply(&driver))
            .await
            .unwrap();
        assert_eq!(created.spec.fs_group_policy, Some(FSGroupPolicy::File));
        let request = world.applied();
        assert_eq!(
            request.path,
            "/apis/storage.k8s.io/v1/csidrivers/csi.example.com"
        );
        let expected = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver",
            "metadata": {"name": "csi.example.com", "labels": {"app": "storage"}},
            "spec": {"fsGroupPolicy": "File"},
        });
        assert_eq!(request.body.unwrap(), expected);

        // A class without its provisioner, which the full type would send as "".
        let api: Api<StorageClass> = Api::all(world.client.clone());
        let class = apply::StorageClass::new("fast").with_allow_volume_expansion(true);
        let forced = params.force();
        api.patch("fast", &forced, &Patch::Apply(&class))
            .await
            .unwrap();
        let request = world.applied();
        assert!(request.query.contains("force=true"), "{}", request.query);
        let expected = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {"name": "fast"}, "allowVolumeExpansion": true,
        });
        assert_eq!(request.body.unwrap(), expected);

        let api: Api<CSIStorageCapacity> = Api::namespaced(world.client.clone(), "storage");
        let capacity = apply::CSIStorageCapacity::new("one", "storage");
        api.patch("one", &PatchParams::apply("me"), &Patch::Apply(&capacity))
            .await
            .unwrap();
        let path = "/apis/storage.k8s.io/v1/namespaces/storage/csistoragecapacities/one";
        assert_eq!(world.applied().path, path);
    });
}

#[test]
fn kube_applies_a_status() {
    with_world(|world| async move {
        let api: Api<VolumeAttachment> = Api::all(world.client.clone());
        let object = conformance::samples::volume_attachment().with_name("one");
        api.create(&PostParams::default(), &object).await.unwrap();
        world.server.take_requests();

        let status = apply::VolumeAttachmentStatus::new().with_attached(false);
        let attachment = apply::VolumeAttachment::new("one").with_status(status);
        let params = PatchParams::apply("me");
        let patch = Patch::Apply(&attachment);
        let patched = api.patch_status("one", &params, &patch).await.unwrap();
        assert_eq!(patched.spec, object.spec);
        let request = world.applied();
        assert_eq!(
            request.path,
            "/apis/storage.k8s.io/v1/volumeattachments/one/status"
        );
        let expected = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
            "metadata": {"name": "one"}, "status": {"attached": false},
        });
        assert_eq!(request.body.unwrap(), expected);
    });
}

/// Code for any kind can apply it.
async fn apply_any<A>(api: &Api<A::Kind>, object: &A) -> A::Kind
where
    A: Apply + std::fmt::Debug,
{
    let name = object.metadata().name.as_deref().unwrap();
    api.patch(name, &PatchParams::apply("me"), &Patch::Apply(object))
        .await
        .unwrap()
}

#[test]
fn code_for_any_kind_applies_full_objects() {
    with_world(|world| async move {
        let api: Api<StorageClass> = Api::all(world.client.clone());
        let class = StorageClass::new("fast", "csi.example.com");
        let created = apply_any(&api, &apply::StorageClass::from(class)).await;
        assert_eq!(
            world.applied().body.unwrap()["provisioner"],
            "csi.example.com"
        );
        // An object that was read is applied without the server's part of it.
        apply_any(&api, &apply::StorageClass::from(created)).await;
        let body = world.applied().body.unwrap();
        assert_eq!(body["metadata"], json!({"name": "fast"}));
    });
}
