//! Conversion by the server from one version to another.

use std::fmt::Debug;

use conformance::valid::Kind;
use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{Api, DeleteParams, PostParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::run_for;

type V1 = storage_v1::VolumeAttributesClass;
type V1beta1 = storage_v1beta1::VolumeAttributesClass;

/// Forgets what the server writes into the metadata.
fn forget<K: Metadata<Ty = ObjectMeta>>(mut object: K) -> K {
    let metadata = object.metadata_mut();
    metadata.creation_timestamp = None;
    // Kubernetes guards classes that are in use.
    metadata.finalizers = None;
    metadata.managed_fields = None;
    metadata.resource_version = None;
    metadata.uid = None;
    object
}

/// An object written in one version and read in another is the result of our conversion.
fn written_and_read_as_another<A, B>(name: &str, written: A)
where
    A: Metadata<Ty = ObjectMeta> + kube::Resource<DynamicType = ()> + From<B>,
    A: Clone + Debug + PartialEq + Serialize + DeserializeOwned,
    B: Metadata<Ty = ObjectMeta> + kube::Resource<DynamicType = ()> + From<A>,
    B: Clone + Debug + PartialEq + Serialize + DeserializeOwned,
{
    let kinds = [
        Kind::VolumeAttributesClass,
        Kind::VolumeAttributesClassV1beta1,
    ];
    run_for(&kinds, async |server| {
        let client = server.client;
        let (here, there) = (Api::<A>::all(client.clone()), Api::<B>::all(client));
        let created = here.create(&PostParams::default(), &written).await.unwrap();
        assert_eq!(forget(created.clone()), written);
        let read = there.get(name).await.unwrap();
        assert_eq!(forget(read.clone()), B::from(written));
        // The metadata is the same, too: it belongs to the object and not to a version of it.
        assert_eq!(read, B::from(created.clone()));
        assert_eq!(A::from(read), created);
        there.delete(name, &DeleteParams::default()).await.unwrap();
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn v1beta1_is_read_as_v1() {
    let class = V1beta1::new("from-v1beta1", "csi.example.com")
        .with_parameters([("iops", "100"), ("empty", "")]);
    written_and_read_as_another::<V1beta1, V1>("from-v1beta1", class);
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn v1_is_read_as_v1beta1() {
    let class = V1::new("from-v1", "csi.example.com").with_parameters([("iops", "100")]);
    written_and_read_as_another::<V1, V1beta1>("from-v1", class);
}
