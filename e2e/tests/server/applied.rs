//! Server-side apply: what a manager owns is what it has set, and no more.

use std::fmt::Debug;

use conformance::kind::Kind;
use kube::api::{Api, Patch, PatchParams};
use serde::Serialize;
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
    VolumeAttributesClass,
};

use crate::run;
use crate::served::{Served, api, delete, is_in};

/// A kind with an example of what is applied.
trait Applied: Served {
    /// What is set beside the metadata, and what `managedFields` then names.
    fn applied() -> (Value, Value);
}

impl Applied for CSIDriver {
    fn applied() -> (Value, Value) {
        let requests = json!([{"audience": "vault"}]);
        (
            json!({"spec": {"attachRequired": false, "tokenRequests": requests}}),
            json!({"f:spec": {"f:attachRequired": {}, "f:tokenRequests": {}}}),
        )
    }
}

impl Applied for CSINode {
    fn applied() -> (Value, Value) {
        let driver =
            json!({"name": "a.example.com", "nodeID": "i-1", "topologyKeys": ["zone"]});
        let fields =
            json!({".": {}, "f:name": {}, "f:nodeID": {}, "f:topologyKeys": {}});
        (
            json!({"spec": {"drivers": [driver]}}),
            json!({"f:spec": {"f:drivers": {r#"k:{"name":"a.example.com"}"#: fields}}}),
        )
    }
}

impl Applied for CSIStorageCapacity {
    fn applied() -> (Value, Value) {
        (
            json!({"storageClassName": "fast", "capacity": "1Gi"}),
            json!({"f:storageClassName": {}, "f:capacity": {}}),
        )
    }
}

impl Applied for StorageClass {
    fn applied() -> (Value, Value) {
        let options = json!(["noatime"]);
        let parameters = json!({"type": "ssd"});
        (
            json!({"provisioner": "a", "mountOptions": options, "parameters": parameters}),
            json!({"f:provisioner": {}, "f:mountOptions": {}, "f:parameters": {"f:type": {}}}),
        )
    }
}

impl Applied for VolumeAttachment {
    fn applied() -> (Value, Value) {
        let source = json!({"persistentVolumeName": "pv-1"});
        let sources = json!({"f:persistentVolumeName": {}});
        (
            json!({"spec": {"attacher": "a", "nodeName": "node-1", "source": source}}),
            json!({"f:spec": {"f:attacher": {}, "f:nodeName": {}, "f:source": sources}}),
        )
    }
}

impl Applied for VolumeAttributesClass {
    fn applied() -> (Value, Value) {
        (
            json!({"driverName": "a.example.com", "parameters": {"iops": "1"}}),
            json!({"f:driverName": {}, "f:parameters": {"f:iops": {}}}),
        )
    }
}

/// Applies an object under a manager's name.
async fn apply<K: Served>(
    api: &Api<K>,
    name: &str,
    manager: &str,
    object: &(impl Serialize + Debug),
) -> K {
    api.patch(name, &PatchParams::apply(manager), &Patch::Apply(object)).await.unwrap()
}

/// The fields that a manager has applied.
pub(crate) fn owned<K: Kind>(object: &K, manager: &str) -> Value {
    let entries = object.metadata().managed_fields.as_deref().unwrap_or_default();
    let mut found =
        entries.iter().filter(|entry| entry.manager.as_deref() == Some(manager));
    let entry = found.next().unwrap();
    assert_eq!(found.next(), None);
    assert_eq!(entry.operation.as_deref(), Some("Apply"));
    assert_eq!(entry.api_version.as_deref(), Some(K::API_VERSION));
    entry.fields_v1.as_ref().unwrap().0.clone()
}

/// The object to apply: what is given, with its type and metadata.
pub(crate) fn patch<K: Kind>(name: &str, label: &str, rest: &Value) -> Value {
    let mut object = rest.clone();
    object["apiVersion"] = K::API_VERSION.into();
    object["kind"] = K::KIND.into();
    object["metadata"] = json!({"name": name, "labels": {label: "applied"}});
    object
}

/// `managedFields` name exactly what was set, for each manager.
fn managed_fields<K: Applied>() {
    run(async |client| {
        let api = api::<K>(&client).await;
        let (object, mut fields) = K::applied();
        let first = patch::<K>("applied", "first", &object);
        let result = apply(&api, "applied", "e2e-first", &first).await;
        assert!(is_in(&object, &serde_json::to_value(&result).unwrap()), "{result:#?}");
        fields["f:metadata"] = json!({"f:labels": {"f:first": {}}});
        assert_eq!(owned(&result, "e2e-first"), fields);

        let second = patch::<K>("applied", "second", &json!({}));
        let result = apply(&api, "applied", "e2e-second", &second).await;
        let own = json!({"f:metadata": {"f:labels": {"f:second": {}}}});
        assert_eq!(owned(&result, "e2e-second"), own);
        assert_eq!(owned(&result, "e2e-first"), fields);
        // What its only manager doesn't say any more goes.
        let less = patch::<K>("applied", "third", &object);
        let result = apply(&api, "applied", "e2e-first", &less).await;
        let labels = result.metadata().labels.as_ref().unwrap();
        assert_eq!(Vec::from_iter(labels.keys()), ["second", "third"]);
        delete(&api, "applied").await;
    });
}

each_kind! { managed_fields }
