//! Objects that are read without `managedFields`: what a write of them keeps, and kube's caches.

use std::sync::Arc;

use conformance::kind::Wire;
use futures::{StreamExt, TryStreamExt, pin_mut};
use k8s_openapi::Metadata;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kubernetes_kinds::{Lean, WithMetadata};
use serde_json::json;
use storage_v1::{
    CSIDriver, CSINode, StorageClass, VolumeAttachment, VolumeAttributesClass, apply,
};

use super::served::{Served, entries, kind_of, named, writer};
use super::{run, run_for};

trait Object: Wire + kube::Resource<DynamicType = ()> + Metadata<Ty = ObjectMeta> {}

impl<K> Object for K where K: Wire + kube::Resource<DynamicType = ()> + Metadata<Ty = ObjectMeta> {}

/// The owners of an object's fields.
fn owners<K: Object>(object: &K) -> Vec<ManagedFieldsEntry> {
    entries(object.metadata().managed_fields.clone().unwrap())
}

/// Two objects of the same history, of which the one is replaced after reading it in full and the
/// other after lean reading, have the same fields with the same owners.
async fn replaced<K: Object>(full: Api<K>, lean: Api<Lean<K>>, make: impl Fn(&str) -> K) {
    for name in ["lean-full", "lean-lean"] {
        full.create(&writer("creator"), &make(name)).await.unwrap();
        let applied = json!({
            "apiVersion": K::api_version(&()),
            "kind": K::kind(&()),
            "metadata": {"labels": {"applied": "yes"}, "annotations": {"a": "b"}},
        });
        let params = PatchParams::apply("applier");
        full.patch(name, &params, &Patch::Apply(applied))
            .await
            .unwrap();
    }
    let change = |metadata: &mut ObjectMeta| {
        metadata
            .labels
            .get_or_insert_default()
            .insert("replaced".into(), "yes".into());
        metadata.annotations = None;
    };
    let mut object = full.get("lean-full").await.unwrap();
    assert_eq!(owners(&object).len(), 2);
    change(object.metadata_mut());
    full.replace("lean-full", &writer("replacer"), &object)
        .await
        .unwrap();

    let mut object = lean.get("lean-lean").await.unwrap();
    assert_eq!(object.metadata().managed_fields, None);
    change(object.metadata_mut());
    let written = lean
        .replace("lean-lean", &writer("replacer"), &object)
        .await
        .unwrap();
    assert_eq!(
        written.metadata().labels.as_ref().unwrap()["replaced"],
        "yes"
    );

    let one = full.get("lean-full").await.unwrap();
    let other = full.get("lean-lean").await.unwrap();
    assert_eq!(owners(&one), owners(&other));
    let managers = owners(&one).into_iter().map(|entry| entry.manager.unwrap());
    assert_eq!(Vec::from_iter(managers), ["applier", "creator", "replacer"]);
    // All but what the server gives each object.
    let rest = |mut object: K| {
        let metadata = object.metadata_mut();
        for of_server in [
            &mut metadata.name,
            &mut metadata.uid,
            &mut metadata.resource_version,
        ] {
            assert!(of_server.take().is_some());
        }
        metadata.creation_timestamp = None;
        metadata.managed_fields = None;
        object
    };
    assert_eq!(rest(one), rest(other));
    // A stale object is refused, as ever.
    let stale = lean
        .replace("lean-lean", &PostParams::default(), &object)
        .await;
    assert!(matches!(stale, Err(kube::Error::Api(status)) if status.code == 409));
    for name in ["lean-full", "lean-lean"] {
        let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        full.patch(name, &PatchParams::default(), &patch)
            .await
            .unwrap();
        full.delete(name, &Default::default()).await.unwrap();
    }
}

fn replaced_of<K: Served + Object>() {
    run_for(&[kind_of::<K>()], async |server| {
        let client = &server.client;
        let make = |name: &str| named::<K>(&server, name, "lean");
        replaced(K::api(client), Api::all(client.clone()), make).await;
    });
}

macro_rules! tests {
    ($($test:ident: $kind:ty;)*) => {$(
        #[test]
        #[ignore = "needs a control plane: run cargo xtask e2e"]
        fn $test() {
            replaced_of::<$kind>();
        }
    )*};
}

tests! {
    csi_driver: CSIDriver;
    csi_node: CSINode;
    storage_class: StorageClass;
    volume_attachment: VolumeAttachment;
    volume_attributes_class: VolumeAttributesClass;
}

/// Kinds of k8s-openapi, one of them in a namespace.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn foreign_kinds() {
    run(async |server| {
        let client = server.client;
        let node = |name: &str| Node::default().with_name(name).with_label("a", "b");
        replaced(
            Api::<Node>::all(client.clone()),
            Api::all(client.clone()),
            node,
        )
        .await;
        let map = |name: &str| ConfigMap::default().with_name(name).with_label("a", "b");
        let full = Api::<ConfigMap>::default_namespaced(client.clone());
        replaced(full, Api::default_namespaced(client.clone()), map).await;
    });
}

/// A status that is replaced so keeps the owners of the object, and the other way round.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn status() {
    run(async |server| {
        let full = VolumeAttachment::api(&server.client);
        let lean: Api<Lean<VolumeAttachment>> = Api::all(server.client.clone());
        let sent: VolumeAttachment = named(&server, "lean-status", "lean-status");
        full.create(&writer("creator"), &sent).await.unwrap();
        let mut object = lean.get("lean-status").await.unwrap();
        object.status.get_or_insert_default().attached = true;
        let params = writer("attacher");
        let mut object = lean
            .replace_status("lean-status", &params, &object)
            .await
            .unwrap();
        let before = owners(&full.get("lean-status").await.unwrap());
        let managers = before
            .iter()
            .map(|e| (e.manager.as_deref(), e.subresource.as_deref()));
        let expected = [(Some("attacher"), Some("status")), (Some("creator"), None)];
        assert_eq!(Vec::from_iter(managers), expected);

        object.metadata_mut().labels = None;
        lean.replace("lean-status", &writer("creator"), &object)
            .await
            .unwrap();
        let after = owners(&full.get("lean-status").await.unwrap());
        assert_eq!(after[0], before[0]);
        assert_ne!(after[1], before[1]);

        // The owners of a lean object's fields are not known.
        let object = lean.get("lean-status").await.unwrap();
        let extracted = apply::VolumeAttachment::extract(&object, "creator");
        let message = extracted.unwrap_err().to_string();
        assert!(
            message.starts_with("metadata.managedFields: is absent"),
            "{message}"
        );
        super::served::delete(&full, "lean-status").await;
    });
}

/// Lists, a reflector and a controller have what the server has.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn caches() {
    run(async |server| {
        let full = CSINode::api(&server.client);
        let lean: Api<Lean<CSINode>> = Api::all(server.client.clone());
        for name in ["lean-1", "lean-2"] {
            let sent: CSINode = named(&server, name, "lean-cache");
            full.create(&PostParams::default(), &sent).await.unwrap();
        }
        let expected = async || {
            let params = ListParams::default().labels("group=lean-cache");
            full.list(&params)
                .await
                .unwrap()
                .items
                .into_iter()
                .map(Lean::from)
        };
        let params = ListParams::default().labels("group=lean-cache");
        let listed = lean.list(&params).await.unwrap().items;
        assert_eq!(listed, Vec::from_iter(expected().await));

        for (config, is_streamed) in [
            (watcher::Config::default().page_size(1), false),
            (watcher::Config::default().streaming_lists(), true),
        ] {
            let (reader, writer) = reflector::store::<Lean<CSINode>>();
            let config = config.labels("group=lean-cache");
            let stream = watcher(lean.clone(), config).reflect(writer);
            pin_mut!(stream);
            let state = || {
                let mut state: Vec<_> = reader.state().iter().map(|o| (**o).clone()).collect();
                state.sort_by_key(|object| object.metadata.name.clone());
                state
            };
            let wanted = Vec::from_iter(expected().await);
            // A list that is streamed comes from the server's cache, which may be behind.
            while state().len() < 2 || is_streamed && state() != wanted {
                stream.try_next().await.unwrap().unwrap();
            }
            assert_eq!(state(), wanted);
            let change = Patch::Merge(json!({"metadata": {"annotations": {"a": "b"}}}));
            full.patch("lean-2", &PatchParams::default(), &change)
                .await
                .unwrap();
            let wanted = Vec::from_iter(expected().await);
            while state() != wanted {
                stream.try_next().await.unwrap().unwrap();
            }
            let change = Patch::Merge(json!({"metadata": {"annotations": null}}));
            full.patch("lean-2", &PatchParams::default(), &change)
                .await
                .unwrap();
        }

        let config = watcher::Config::default().labels("group=lean-cache");
        let reconciled = Controller::new(lean.clone(), config).run(
            |object: Arc<Lean<CSINode>>, _: Arc<()>| async move {
                assert_eq!(object.metadata.managed_fields, None);
                assert!(!object.spec.drivers.is_empty());
                Ok::<_, std::convert::Infallible>(Action::await_change())
            },
            |_, _, _| Action::await_change(),
            Arc::new(()),
        );
        pin_mut!(reconciled);
        for _ in 0..2 {
            reconciled.next().await.unwrap().unwrap();
        }
        for name in ["lean-1", "lean-2"] {
            super::served::delete(&full, name).await;
        }
    });
}
