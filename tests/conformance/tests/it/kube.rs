//! A real kube client against a real server: what arrives there, and what comes back.

use std::sync::Arc;
use std::time::Duration;

use conformance::facts;
use conformance::kind::Kind;
use conformance::samples;
use futures::{StreamExt, TryStreamExt, pin_mut};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{Metadata, Resource};
use kube::api::{
    Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Config};
use kubernetes_test_apiserver::{Request, ResourceType, Server};
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, FSGroupPolicy, StorageClass, VolumeAttachment,
    VolumeAttachmentStatus, VolumeAttributesClass, VolumeLifecycleMode,
};

const NAMESPACE: &str = "storage";

/// Every request of kube is for a type like this one.
trait KubeKind: Kind + kube::Resource<DynamicType = ()> {}

impl<K: Kind + kube::Resource<DynamicType = ()>> KubeKind for K {}

struct World {
    server: Server,
    client: Client,
}

impl World {
    async fn new() -> Self {
        let server = Server::start_with(facts::resources()).await.unwrap();
        let config = Config::new(server.url().parse().unwrap());
        let client = Client::try_from(config).unwrap();
        Self { server, client }
    }

    /// The only request since the last look.
    fn request(&self) -> Request {
        let requests = self.server.take_requests();
        assert_eq!(requests.len(), 1, "{requests:#?}");
        requests.into_iter().next().unwrap()
    }
}

/// Runs a test, and gives up on one that hangs.
fn run<F: Future<Output = ()>>(test: F) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(30), test)
            .await
            .expect("in time");
    });
}

/// The handle for a kind, with its collection's path from the server's table, not from the type.
trait Handle: KubeKind {
    fn api(client: &Client) -> Api<Self>;

    fn collection() -> String {
        let types = facts::resources();
        let is_known = |known: &&ResourceType| {
            (known.api_version, known.kind) == (Self::API_VERSION, Self::KIND)
        };
        let known = types.iter().find(is_known).unwrap();
        let namespace = match known.namespaced {
            true => format!("namespaces/{NAMESPACE}/"),
            false => String::new(),
        };
        let group = ["/apis", "/api"][usize::from(known.api_version == "v1")];
        format!("{group}/{}/{namespace}{}", known.api_version, known.plural)
    }
}

macro_rules! handles {
    ($($kind:ty => $make:expr;)*) => {$(
        impl Handle for $kind {
            fn api(client: &Client) -> Api<Self> {
                $make(client.clone())
            }
        }
    )*};
}

handles! {
    core_v1::PersistentVolume => Api::all;
    core_v1::PersistentVolumeClaim => |client| Api::namespaced(client, NAMESPACE);
    groupsnapshot_v1::VolumeGroupSnapshot => |client| Api::namespaced(client, NAMESPACE);
    groupsnapshot_v1::VolumeGroupSnapshotClass => Api::all;
    groupsnapshot_v1::VolumeGroupSnapshotContent => Api::all;
    snapshot_v1::VolumeSnapshot => |client| Api::namespaced(client, NAMESPACE);
    snapshot_v1::VolumeSnapshotClass => Api::all;
    snapshot_v1::VolumeSnapshotContent => Api::all;
    CSIDriver => Api::all;
    CSINode => Api::all;
    CSIStorageCapacity => |client| Api::namespaced(client, NAMESPACE);
    StorageClass => Api::all;
    VolumeAttachment => Api::all;
    VolumeAttributesClass => Api::all;
    storage_v1beta1::CSIDriver => Api::all;
    storage_v1beta1::CSIStorageCapacity => |client| Api::namespaced(client, NAMESPACE);
    storage_v1alpha1::VolumeAttachment => Api::all;
    storage_v1alpha1::csi::CSINodeInfo => Api::all;
}

fn named<K: Kind>(name: &str) -> K {
    let mut object = K::sample();
    *object.metadata_mut() = ObjectMeta {
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    };
    object
}

fn name<K: Metadata<Ty = ObjectMeta>>(object: &K) -> &str {
    object.metadata().name.as_deref().unwrap()
}

/// Returns an object without the metadata that the server sets.
fn contents<K: Kind>(object: &K) -> Value {
    let mut object = serde_json::to_value(object).unwrap();
    object.as_object_mut().unwrap().remove("metadata");
    object.as_object_mut().unwrap().remove("status");
    object
}

fn assert_written<K: Resource>(request: &Request, method: &str, path: &str) {
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        (method, path)
    );
    assert_eq!(request.content_type, "application/json");
    let body = request.body.as_ref().unwrap();
    assert_eq!(body["apiVersion"], K::API_VERSION);
    assert_eq!(body["kind"], K::KIND);
}

/// Create, get, list, replace and delete.
fn verbs<K: Handle>() {
    run(async {
        let world = World::new().await;
        let api = K::api(&world.client);
        let collection = K::collection();
        let path = format!("{collection}/one");

        let object: K = named("one");
        let created = api.create(&PostParams::default(), &object).await.unwrap();
        assert_written::<K>(&world.request(), "POST", &collection);
        assert_eq!(contents(&created), contents(&object));
        let stored = world.server.stored(&path).unwrap();
        let uid = created.metadata().uid.as_deref().unwrap();
        assert_eq!(stored["metadata"]["uid"], uid);

        let got = api.get("one").await.unwrap();
        let request = world.request();
        assert_eq!(
            (request.method.as_str(), request.path),
            ("GET", path.clone())
        );
        assert_eq!(got, created);
        let missing = api.get_opt("two").await.unwrap();
        assert_eq!(missing, None);
        world.request();

        let list = api.list(&ListParams::default().limit(10)).await.unwrap();
        let request = world.request();
        assert_eq!(request.path, collection);
        assert!(request.query.contains("limit=10"), "{}", request.query);
        assert_eq!(list.items.as_slice(), std::slice::from_ref(&created));

        let mut changed = created.clone();
        changed.metadata_mut().labels = Some([("a".to_owned(), "b".to_owned())].into());
        let replaced = api
            .replace("one", &PostParams::default(), &changed)
            .await
            .unwrap();
        assert_written::<K>(&world.request(), "PUT", &path);
        assert_eq!(replaced.metadata().labels, changed.metadata().labels);
        // The version that was read goes back with the write, so a stale one is noticed.
        let stale = api.replace("one", &PostParams::default(), &created).await;
        assert!(matches!(stale, Err(kube::Error::Api(status)) if status.code == 409));
        world.request();

        let patch = json!({"metadata": {"labels": {"a": "c"}}});
        let patched = api
            .patch("one", &PatchParams::default(), &Patch::Merge(&patch))
            .await
            .unwrap();
        let request = world.request();
        assert_eq!(request.content_type, "application/merge-patch+json");
        assert_eq!((request.method.as_str(), &request.path), ("PATCH", &path));
        assert_eq!(contents(&patched), contents(&created));

        let deleted = api.delete("one", &DeleteParams::default()).await.unwrap();
        assert_eq!(name(&deleted.left().unwrap()), "one");
        let request = world.request();
        assert_eq!((request.method.as_str(), &request.path), ("DELETE", &path));
        assert_eq!(world.server.stored(&path), None);
    });
}

/// A plain watch: changes as events, in order.
fn watch<K: Handle>() {
    run(async {
        let world = World::new().await;
        let api = K::api(&world.client);
        let first = api
            .create(&PostParams::default(), &named("one"))
            .await
            .unwrap();
        let version = first.metadata().resource_version.clone().unwrap();
        world.server.take_requests();

        let events = api
            .watch(&WatchParams::default().timeout(20), &version)
            .await
            .unwrap();
        pin_mut!(events);
        let request = world.request();
        assert_eq!(request.path, K::collection());
        let expected = format!("resourceVersion={version}");
        for part in ["watch=true", "allowWatchBookmarks=true", expected.as_str()] {
            assert!(request.query.contains(part), "{}", request.query);
        }
        let event = events.try_next().await.unwrap().unwrap();
        assert!(matches!(event, WatchEvent::Bookmark(_)), "{event:?}");

        let second = api
            .create(&PostParams::default(), &named("two"))
            .await
            .unwrap();
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Added(object) => assert_eq!(object, second),
            event => panic!("{event:?}"),
        }
        // A write that changes nothing isn't an event.
        let mut first = first;
        first.metadata_mut().labels = Some([("a".to_owned(), "b".to_owned())].into());
        let replaced = api
            .replace("one", &PostParams::default(), &first)
            .await
            .unwrap();
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Modified(object) => assert_eq!(object, replaced),
            event => panic!("{event:?}"),
        }
        api.delete("two", &DeleteParams::default()).await.unwrap();
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Deleted(object) => assert_eq!(name(&object), "two"),
            event => panic!("{event:?}"),
        }
    });
}

/// A watcher fills a reflector's store, from pages or from a stream, and follows changes.
fn reflect<K: Handle>(config: watcher::Config) {
    run(async {
        let world = World::new().await;
        let api = K::api(&world.client);
        for name in ["one", "three", "two"] {
            api.create(&PostParams::default(), &named(name))
                .await
                .unwrap();
        }
        let (reader, writer) = reflector::store::<K>();
        let stream = watcher(api.clone(), config)
            .reflect(writer)
            .touched_objects();
        pin_mut!(stream);
        for _ in 0..3 {
            stream.try_next().await.unwrap().unwrap();
        }
        api.create(&PostParams::default(), &named("four"))
            .await
            .unwrap();
        let touched = stream.try_next().await.unwrap().unwrap();
        assert_eq!(name(&touched), "four");
        let mut names: Vec<String> = reader
            .state()
            .iter()
            .map(|object| name(&**object).to_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["four", "one", "three", "two"]);

        let found = reader.get(&ObjectRef::from_obj(&touched)).unwrap();
        assert_eq!(contents(&*found), contents(&K::sample()));
    });
}

fn reflect_pages<K: Handle>() {
    reflect::<K>(watcher::Config::default().page_size(2));
}

fn reflect_stream<K: Handle>() {
    reflect::<K>(watcher::Config::default().streaming_lists());
}

/// A controller reconciles what it finds.
fn control<K: Handle>() {
    run(async {
        let world = World::new().await;
        let api = K::api(&world.client);
        api.create(&PostParams::default(), &named("one"))
            .await
            .unwrap();
        let reconciled = Controller::new(api, watcher::Config::default()).run(
            |object: Arc<K>, _: Arc<()>| async move {
                assert_eq!(contents(&*object), contents(&K::sample()));
                Ok::<_, std::convert::Infallible>(Action::await_change())
            },
            |_, _, _| Action::await_change(),
            Arc::new(()),
        );
        pin_mut!(reconciled);
        let (found, _) = reconciled.next().await.unwrap().unwrap();
        assert_eq!(found.name, "one");
    });
}

/// The status goes to its own path, and only the status is taken there.
async fn patch_status<K: Handle>(status: Value) -> K {
    let world = World::new().await;
    let api = K::api(&world.client);
    let created = api
        .create(&PostParams::default(), &named("one"))
        .await
        .unwrap();
    let stored = world
        .server
        .stored(&format!("{}/one", K::collection()))
        .unwrap();
    assert_eq!(
        stored.get("status"),
        None,
        "a status in a create is ignored"
    );
    world.server.take_requests();

    let patch = json!({"status": status});
    let params = PatchParams::default();
    let patched = api
        .patch_status("one", &params, &Patch::Merge(&patch))
        .await
        .unwrap();
    let request = world.request();
    assert_eq!(request.method, "PATCH");
    assert_eq!(request.path, format!("{}/one/status", K::collection()));
    assert_eq!(request.content_type, "application/merge-patch+json");
    assert_eq!(request.body.unwrap(), patch);
    assert_eq!(contents(&patched), contents(&created));

    let replaced = api
        .replace_status("one", &PostParams::default(), &patched)
        .await
        .unwrap();
    assert_written::<K>(
        &world.request(),
        "PUT",
        &format!("{}/one/status", K::collection()),
    );
    let stored = world
        .server
        .stored(&format!("{}/one", K::collection()))
        .unwrap();
    assert_eq!(stored["status"], status);
    replaced
}

mod all_verbs {
    conformance::each_newest_kind!(super::verbs);

    // One of each older version, and one in namespaces: the paths are all that differs.
    conformance::each! { super::verbs =>
        v1beta1_csi_driver: storage_v1beta1::CSIDriver;
        v1beta1_csi_storage_capacity: storage_v1beta1::CSIStorageCapacity;
        v1alpha1_volume_attachment: storage_v1alpha1::VolumeAttachment;
        csi_v1alpha1_csi_node_info: storage_v1alpha1::csi::CSINodeInfo;
    }
}

mod plain_watch {
    conformance::each_newest_kind!(super::watch);
}

mod paged_reflector {
    conformance::each_newest_kind!(super::reflect_pages);
}

mod streaming_reflector {
    conformance::each_newest_kind!(super::reflect_stream);
}

mod controller {
    conformance::each_newest_kind!(super::control);
}

#[test]
fn status_of_volume_attachment() {
    run(async {
        let status = VolumeAttachmentStatus::new(false)
            .with_attachment_metadata([("devicePath", "/dev/xvdb")]);
        let patch = serde_json::to_value(&status).unwrap();
        assert_eq!(patch["attached"], false);
        let attachment: VolumeAttachment = patch_status(patch).await;
        assert_eq!(attachment.status, Some(status));
    });
}

#[test]
fn status_of_csi_node() {
    run(async {
        let status = samples::csi_node().status.unwrap();
        let patch = serde_json::to_value(&status).unwrap();
        let node: CSINode = patch_status(patch).await;
        assert_eq!(node.status, Some(status));
    });
}

/// One value from a newer server must not make the rest of a list unreadable.
#[test]
fn unknown_enum_values_do_not_break_lists() {
    run(async {
        let world = World::new().await;
        let collection = CSIDriver::collection();
        for (name, policy) in [("known", "File"), ("newer", "FromTheFuture")] {
            let object = json!({
                "apiVersion": "storage.k8s.io/v1",
                "kind": "CSIDriver",
                "metadata": {"name": name},
                "spec": {
                    "fsGroupPolicy": policy,
                    "volumeLifecycleModes": ["Persistent", "Eternal"],
                    "fieldFromTheFuture": {"a": [1]},
                },
            });
            world.server.insert(&collection, object).unwrap();
        }
        let api: Api<CSIDriver> = Api::all(world.client.clone());
        let list = api.list(&ListParams::default()).await.unwrap();
        let policies: Vec<_> = list
            .iter()
            .map(|driver| driver.spec.fs_group_policy.clone().unwrap())
            .collect();
        assert_eq!(
            policies,
            [FSGroupPolicy::File, FSGroupPolicy::from("FromTheFuture")]
        );
        world.server.take_requests();

        let newer = &list.items[1];
        api.replace("newer", &PostParams::default(), newer)
            .await
            .unwrap();
        let spec = world.request().body.unwrap()["spec"].clone();
        assert_eq!(spec["fsGroupPolicy"], "FromTheFuture");
        assert_eq!(
            spec["volumeLifecycleModes"],
            json!(["Persistent", "Eternal"])
        );
        let modes = newer.spec.volume_lifecycle_modes.as_ref().unwrap();
        assert_eq!(modes[0], VolumeLifecycleMode::Persistent);
    });
}

/// A namespaced kind is listed in one namespace or across all of them.
#[test]
fn all_namespaces() {
    run(async {
        let world = World::new().await;
        let everywhere: Api<CSIStorageCapacity> = Api::all(world.client.clone());
        assert_eq!(
            everywhere.list(&ListParams::default()).await.unwrap().items,
            []
        );
        let request = world.request();
        assert_eq!(request.path, "/apis/storage.k8s.io/v1/csistoragecapacities");

        for namespace in ["a", "b"] {
            let api: Api<CSIStorageCapacity> = Api::namespaced(world.client.clone(), namespace);
            api.create(&PostParams::default(), &named("same"))
                .await
                .unwrap();
        }
        let found = everywhere.list(&ListParams::default()).await.unwrap();
        let namespaces: Vec<_> = found
            .iter()
            .map(|item| item.metadata.namespace.as_deref().unwrap())
            .collect();
        assert_eq!(namespaces, ["a", "b"]);
    });
}
