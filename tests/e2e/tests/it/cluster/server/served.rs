//! The kinds that the server has, and objects of them that it accepts.

use conformance::kind::Kind;
use conformance::valid;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use kube::Client;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
};

use crate::cluster::discovery::Server;

pub(crate) const NAMESPACE: &str = "e2e-kinds";

/// A kind that this server has.
pub(crate) trait Served: Kind + kube::Resource<DynamicType = ()> {
    fn api(client: &Client) -> Api<Self>;

    /// One with as many fields set as the server accepts.
    fn object() -> Self {
        Self::sample()
    }
}

impl Served for CSIDriver {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }
}

impl Served for CSINode {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }
}

impl Served for CSIStorageCapacity {
    fn api(client: &Client) -> Api<Self> {
        Api::namespaced(client.clone(), NAMESPACE)
    }
}

impl Served for StorageClass {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }
}

impl Served for VolumeAttachment {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }

    fn object() -> Self {
        let mut object = Self::sample();
        // A source has one member.
        object.spec.source.persistent_volume_name = None;
        object
    }
}

impl Served for VolumeAttributesClass {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }
}

/// The kind as the tests list it.
pub(crate) fn kind_of<K: Served>() -> valid::Kind {
    let mut kinds = valid::Kind::ALL.into_iter();
    let is_it = |kind: &valid::Kind| (kind.api_version(), kind.name()) == (K::API_VERSION, K::KIND);
    kinds.find(is_it).unwrap()
}

/// A valid object of this name, with the group it belongs to as a label, and all fields that the
/// server has.
pub(crate) fn named<K: Served>(server: &Server, name: &str, group: &str) -> K {
    let mut object = serde_json::to_value(K::object()).unwrap();
    server.cut_down(kind_of::<K>(), &mut object);
    let mut object: K = serde_json::from_value(object).unwrap();
    *object.metadata_mut() = ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some([("group".to_owned(), group.to_owned())].into()),
        ..ObjectMeta::default()
    };
    object
}

pub(crate) fn name<K: Kind>(object: &K) -> &str {
    object.metadata().name.as_deref().unwrap()
}

/// The handle for a kind, in a namespace that is there.
pub(crate) async fn api<K: Served>(client: &Client) -> Api<K> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some(NAMESPACE.to_owned());
    match namespaces.create(&PostParams::default(), &namespace).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        result => drop(result.unwrap()),
    }
    K::api(client)
}

/// Writes under the name of a field manager.
pub(crate) fn writer(manager: &str) -> PostParams {
    PostParams {
        field_manager: Some(manager.to_owned()),
        ..PostParams::default()
    }
}

/// Returns the entries of `managedFields` in the order of their managers, without when each was
/// written: in seconds, by which a server sorts.
pub(crate) fn entries(mut entries: Vec<ManagedFieldsEntry>) -> Vec<ManagedFieldsEntry> {
    for entry in &mut entries {
        assert!(entry.time.take().is_some());
    }
    entries.sort_by_key(|entry| format!("{:?}", (&entry.manager, &entry.subresource)));
    entries
}

/// Deletes an object, also one that a controller would have to let go of, which isn't here.
pub(crate) async fn delete<K: Served>(api: &Api<K>, name: &str) {
    let deleted = api.delete(name, &DeleteParams::default()).await.unwrap();
    if deleted.left().is_some_and(|object| is_going(&object)) {
        let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        api.patch(name, &PatchParams::default(), &patch)
            .await
            .unwrap();
    }
}

pub(crate) fn is_going<K: Kind>(object: &K) -> bool {
    object.metadata().deletion_timestamp.is_some()
}

/// Returns true if everything that is in one value is in another, which may have more: members of
/// objects that the server has set.
pub(crate) fn is_in(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|other| is_in(value, other))),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(a, b)| is_in(a, b))
        }
        _ => part == whole,
    }
}
