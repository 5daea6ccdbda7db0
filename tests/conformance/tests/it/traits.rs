//! The kinds are what kube and k8s-openapi want of a kind, and agree with k8s-openapi's own.

use std::any::TypeId;
use std::fmt::Debug;
use std::marker::PhantomData;

use conformance::kind::{Kind, Peer};
use conformance::{each_kind, each_newest_kind, facts};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::{ListableResource, Metadata, Resource};
use kube::Api;
use kube::runtime::{Controller, reflector, watcher};
use kubernetes_kinds::{Lean, StatusSubresource, WithMetadata};
use kubernetes_test_apiserver::ResourceType;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Everything that kube asks of a type anywhere, all at once.
trait ForKube:
    kube::Resource<DynamicType = ()>
    + Clone
    + DeserializeOwned
    + Serialize
    + Debug
    + Send
    + Sync
    + 'static
{
}

impl<K> ForKube for K where
    K: kube::Resource<DynamicType = ()>
        + Clone
        + DeserializeOwned
        + Serialize
        + Debug
        + Send
        + Sync
        + 'static
{
}

/// Never called: it is enough that it compiles for each kind.
#[allow(dead_code)]
fn kube_takes<K: ForKube>(client: kube::Client) {
    let api: Api<K> = Api::all(client);
    let config = watcher::Config::default;
    let (_, writer) = reflector::store::<K>();
    drop(reflector(writer, watcher(api.clone(), config())));
    drop(Controller::new(api.clone(), config()).owns(api, config()));
}

fn usable_with_kube<K: Kind + ForKube>() {
    let _: fn(kube::Client) = kube_takes::<K>;
    let _: fn(kube::Client) = kube_takes::<Lean<K>>;
    assert_eq!(K::kind(&()), <K as Resource>::KIND);
    assert_eq!(K::group(&()), <K as Resource>::GROUP);
    assert_eq!(K::version(&()), <K as Resource>::VERSION);
    assert_eq!(K::plural(&()), <K as Resource>::URL_PATH_SEGMENT);
    let object = K::sample().with_name("one");
    assert_eq!(kube::Resource::meta(&object).name.as_deref(), Some("one"));
}

/// The constants are those of the server's table, which is hand-written.
fn constants_in_table<K: Kind>()
where
    K::Scope: 'static,
    K::List: Resource,
{
    let table = facts::resources();
    let mut known = table
        .iter()
        .filter(|row| (row.api_version, row.kind) == (K::API_VERSION, K::KIND));
    let row = known.next().unwrap();
    let from_type = ResourceType {
        custom: row.custom,
        ..ResourceType::of::<K>(row.status)
    };
    assert_eq!(*row, from_type);
    assert_eq!(known.next(), None);
    assert_eq!(K::API_VERSION, joined(K::GROUP, K::VERSION));
    let list = [
        <K::List as Resource>::API_VERSION,
        <K::List as Resource>::KIND,
    ];
    assert_eq!(list, [K::API_VERSION, K::LIST_KIND]);
    assert_eq!(<K::List as Resource>::GROUP, K::GROUP);
    assert_eq!(<K::List as Resource>::VERSION, K::VERSION);
}

/// Joins a group and version as in `apiVersion`; the core group has no name.
fn joined(group: &str, version: &str) -> String {
    match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    }
}

/// Two generators read the same documents: they must find the same constants.
fn same_constants<K: Peer + kube::Resource<DynamicType = ()>>()
where
    K::Peer: kube::Resource<DynamicType = ()>,
    <K as Resource>::Scope: 'static,
    <K::Peer as Resource>::Scope: 'static,
    K::List: Resource,
{
    fn constants<T: Resource>() -> [&'static str; 5] {
        [
            T::API_VERSION,
            T::GROUP,
            T::KIND,
            T::VERSION,
            T::URL_PATH_SEGMENT,
        ]
    }
    assert_eq!(constants::<K>(), constants::<K::Peer>());
    assert_eq!(K::LIST_KIND, <K::Peer as ListableResource>::LIST_KIND);
    let scope = TypeId::of::<<K as Resource>::Scope>();
    assert_eq!(scope, TypeId::of::<<K::Peer as Resource>::Scope>());

    let path = <K as kube::Resource>::url_path;
    let peer_path = <K::Peer as kube::Resource>::url_path;
    for namespace in [None, Some("storage")] {
        // kube panics when a cluster-scoped kind is asked for in a namespace.
        let namespaced = scope == TypeId::of::<k8s_openapi::NamespaceResourceScope>();
        if namespace.is_none() || namespaced {
            assert_eq!(path(&(), namespace), peer_path(&(), namespace));
        }
    }

    let [api_version, group, _, version, _] = constants::<K>();
    assert_eq!(api_version, joined(group, version));
    let list = constants::<K::List>();
    assert_eq!(list, [api_version, group, K::LIST_KIND, version, ""]);
}

/// The generated list is what k8s-openapi asks of a list, for generic code over metadata.
fn list_has_metadata<K: Kind>() {
    fn metadata<T: Metadata<Ty = ListMeta>>(list: &T) -> &ListMeta {
        list.metadata()
    }
    let list: K::List = [K::sample(), K::default()].into_iter().collect();
    assert_eq!(metadata(&list), &ListMeta::default());
    let items: Vec<K> = list.into_iter().collect();
    assert_eq!(items, [K::sample(), K::default()]);
}

fn metadata_is_reachable<K: Kind>() {
    let mut object = K::default();
    assert_eq!(object.metadata(), &ObjectMeta::default());
    *object.metadata_mut() = K::sample().metadata().clone();
    assert_eq!(object.metadata(), K::sample().metadata());
}

mod kube_traits {
    use super::*;
    each_kind!(super::usable_with_kube);
}

mod table {
    use super::*;
    each_kind!(super::constants_in_table);
}

mod constants {
    use super::*;
    each_newest_kind!(super::same_constants);
}

mod lists {
    use super::*;
    each_kind!(super::list_has_metadata);
}

mod metadata {
    use super::*;
    each_kind!(super::metadata_is_reachable);
}

/// Returns at run time whether a type has a status subresource: where its bound holds, the
/// inherent constant hides that of the trait.
struct Probe<K>(PhantomData<K>);

trait Otherwise {
    const STATUS: bool = false;
}

impl<K> Otherwise for Probe<K> {}

impl<K: StatusSubresource> Probe<K> {
    const STATUS: bool = true;
}

/// Older versions had none that are served any more, and Kubernetes' documents of their last
/// releases have none.
#[test]
fn status_subresources() {
    macro_rules! found {
        ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
            [$((<$kind as Resource>::API_VERSION, <$kind as Resource>::KIND,
                Probe::<$kind>::STATUS)),*]
        };
    }
    let found = storage_all::for_each_kind!(found);
    let table = facts::resources();
    assert_eq!(table.len(), found.len());
    for (api_version, kind, status) in found {
        let row = |row: &&ResourceType| (row.api_version, row.kind) == (api_version, kind);
        let row = table.iter().find(row).unwrap();
        assert_eq!(row.status, status, "{api_version} {kind}");
    }
    let with = table.iter().filter(|row| row.status).map(|row| row.kind);
    let wanted = [
        "CSINode",
        "VolumeAttachment",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "VolumeSnapshot",
        "VolumeSnapshotContent",
        "VolumeGroupSnapshot",
        "VolumeGroupSnapshotContent",
    ];
    assert_eq!(with.collect::<Vec<_>>(), wanted);
}

#[test]
fn status_is_reachable() {
    fn take<K: Kind + StatusSubresource>() -> (bool, bool) {
        let mut object = K::sample();
        let before = object.status().is_some();
        *object.status_mut() = None;
        (before, object.status().is_some())
    }
    assert_eq!(take::<storage_v1::CSINode>(), (true, false));
    assert_eq!(take::<storage_v1::VolumeAttachment>(), (true, false));
}

/// Inline volumes are rare and large: they must not make every attachment large.
#[test]
fn attachments_are_small() {
    let ours = size_of::<storage_v1::VolumeAttachment>();
    let peer = size_of::<k8s_openapi::api::storage::v1::VolumeAttachment>();
    assert!(ours * 3 < peer, "{ours} bytes against {peer}");
}
