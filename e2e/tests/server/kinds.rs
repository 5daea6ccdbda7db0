//! Every kind of storage.k8s.io/v1 through kube, against a real server.

use std::fmt::Debug;

use conformance::kind::Kind;
use conformance::samples;
use futures::{Stream, StreamExt, TryStreamExt, pin_mut};
use http::Method;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::{
    Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent,
    WatchParams,
};
use kube::runtime::WatchStreamExt;
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::watcher::{self, Event, watcher};
use serde::Serialize;
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
    VolumeAttachmentStatus, VolumeAttributesClass,
};

use crate::run;

const NAMESPACE: &str = "e2e-kinds";

/// A kind that this server has.
trait Served: Kind + kube::Resource<DynamicType = ()> {
    fn api(client: &Client) -> Api<Self>;

    /// One with as many fields set as the server accepts.
    fn object() -> Self {
        Self::sample()
    }

    /// What is applied beside the metadata, and what `managedFields` then names.
    fn applied() -> (Value, Value);
}

impl Served for CSIDriver {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }

    fn applied() -> (Value, Value) {
        let requests = json!([{"audience": "vault"}]);
        (
            json!({"spec": {"attachRequired": false, "tokenRequests": requests}}),
            json!({"f:spec": {"f:attachRequired": {}, "f:tokenRequests": {}}}),
        )
    }
}

impl Served for CSINode {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }

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

impl Served for CSIStorageCapacity {
    fn api(client: &Client) -> Api<Self> {
        Api::namespaced(client.clone(), NAMESPACE)
    }

    fn applied() -> (Value, Value) {
        (
            json!({"storageClassName": "fast", "capacity": "1Gi"}),
            json!({"f:storageClassName": {}, "f:capacity": {}}),
        )
    }
}

impl Served for StorageClass {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }

    fn applied() -> (Value, Value) {
        let options = json!(["noatime"]);
        let parameters = json!({"type": "ssd"});
        (
            json!({"provisioner": "a", "mountOptions": options, "parameters": parameters}),
            json!({"f:provisioner": {}, "f:mountOptions": {}, "f:parameters": {"f:type": {}}}),
        )
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

    fn applied() -> (Value, Value) {
        let source = json!({"persistentVolumeName": "pv-1"});
        let sources = json!({"f:persistentVolumeName": {}});
        (
            json!({"spec": {"attacher": "a", "nodeName": "node-1", "source": source}}),
            json!({"f:spec": {"f:attacher": {}, "f:nodeName": {}, "f:source": sources}}),
        )
    }
}

impl Served for VolumeAttributesClass {
    fn api(client: &Client) -> Api<Self> {
        Api::all(client.clone())
    }

    fn applied() -> (Value, Value) {
        (
            json!({"driverName": "a.example.com", "parameters": {"iops": "1"}}),
            json!({"f:driverName": {}, "f:parameters": {"f:iops": {}}}),
        )
    }
}

/// A valid object of this name, with the group it belongs to as a label.
fn named<K: Served>(name: &str, group: &str) -> K {
    let mut object = K::object();
    *object.metadata_mut() = ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some([("group".to_owned(), group.to_owned())].into()),
        ..ObjectMeta::default()
    };
    object
}

fn name<K: Kind>(object: &K) -> &str {
    object.metadata().name.as_deref().unwrap()
}

/// The handle for a kind, in a namespace that is there.
async fn api<K: Served>(client: &Client) -> Api<K> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some(NAMESPACE.to_owned());
    match namespaces.create(&PostParams::default(), &namespace).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        result => drop(result.unwrap()),
    }
    K::api(client)
}

/// Deletes an object, also one that a controller would have to let go of, which isn't here.
async fn delete<K: Served>(api: &Api<K>, name: &str) {
    let deleted = api.delete(name, &DeleteParams::default()).await.unwrap();
    if deleted.left().is_some_and(|object| is_going(&object)) {
        let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        api.patch(name, &PatchParams::default(), &patch).await.unwrap();
    }
}

fn is_going<K: Kind>(object: &K) -> bool {
    object.metadata().deletion_timestamp.is_some()
}

/// Whether everything that is in one value is in another, which may have more: members of
/// objects that the server has set.
fn is_in(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(name, value)| {
                whole.get(name).is_some_and(|other| is_in(value, other))
            })
        }
        (Value::Array(part), Value::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(a, b)| is_in(a, b))
        }
        _ => part == whole,
    }
}

/// What a create keeps of an object.
fn kept<K: Kind>(object: &K) -> Value {
    let mut object = serde_json::to_value(object).unwrap();
    // A status is for the subresource, or not known to this release.
    object.as_object_mut().unwrap().remove("status");
    object
}

/// An object as the server writes it.
async fn raw<K: Served>(client: &Client, object: &K) -> Value {
    let namespace = object.metadata().namespace.as_deref();
    let path = format!("{}/{}", K::url_path(&(), namespace), name(object));
    let answer = e2e::send(client, Method::GET, &path, None).await.unwrap();
    assert!(answer.is_success(), "{answer:?}");
    answer.body
}

/// Created, got, listed, replaced, patched and deleted.
fn verbs<K: Served>() {
    run(async |client| {
        let api = api::<K>(&client).await;
        let sent: K = named("verbs", "verbs");
        let created = api.create(&PostParams::default(), &sent).await.unwrap();
        let (ours, theirs) = (kept(&sent), kept(&created));
        assert!(is_in(&ours, &theirs), "sent {ours:#}\nstored {theirs:#}");
        assert!(created.metadata().uid.is_some());

        let got = api.get("verbs").await.unwrap();
        assert_eq!(got, created);
        // Reading has left nothing out, and writing adds nothing.
        assert_eq!(serde_json::to_value(&got).unwrap(), raw(&client, &got).await);
        assert_eq!(api.get_opt("verbs-missing").await.unwrap(), None);

        api.create(&PostParams::default(), &named("verbs-2", "verbs")).await.unwrap();
        let page = ListParams::default().labels("group=verbs").limit(1);
        let list = api.list(&page).await.unwrap();
        assert_eq!(list.items, [created.clone()]);
        let token = list.metadata.continue_.unwrap();
        let list = api.list(&page.continue_token(&token)).await.unwrap();
        assert_eq!(list.items.iter().map(name).collect::<Vec<_>>(), ["verbs-2"]);

        let mut changed = created.clone();
        changed.metadata_mut().annotations =
            Some([("a".to_owned(), "b".to_owned())].into());
        let replaced =
            api.replace("verbs", &PostParams::default(), &changed).await.unwrap();
        assert_eq!(replaced.metadata().annotations, changed.metadata().annotations);
        assert_eq!(kept(&replaced).get("spec"), kept(&created).get("spec"));
        let stale = api.replace("verbs", &PostParams::default(), &changed).await;
        assert!(matches!(stale, Err(kube::Error::Api(status)) if status.code == 409));

        let patch =
            Patch::Merge(json!({"metadata": {"annotations": {"a": null, "c": "d"}}}));
        let patched = api.patch("verbs", &PatchParams::default(), &patch).await.unwrap();
        let annotations = patched.metadata().annotations.as_ref().unwrap();
        assert_eq!(Vec::from_iter(annotations), [(&"c".to_owned(), &"d".to_owned())]);

        delete(&api, "verbs").await;
        assert_eq!(api.get_opt("verbs").await.unwrap(), None);
    });
}

/// A plain watch, from the version of an object on.
fn watch<K: Served>() {
    run(async |client| {
        let api = api::<K>(&client).await;
        let first: K = named("watch", "watch");
        let first = api.create(&PostParams::default(), &first).await.unwrap();
        let version = first.metadata().resource_version.clone().unwrap();
        let params = WatchParams::default().labels("group=watch").timeout(20);
        let events = api.watch(&params, &version).await.unwrap();
        let counts = |event: &WatchEvent<K>| match event {
            WatchEvent::Bookmark(_) => false,
            WatchEvent::Modified(object) => !is_going(object),
            _ => true,
        };
        let events = events.try_filter(|event| futures::future::ready(counts(event)));
        pin_mut!(events);

        let second: K = named("watch-2", "watch");
        let second = api.create(&PostParams::default(), &second).await.unwrap();
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Added(object) => assert_eq!(object, second),
            event => panic!("{event:?}"),
        }
        delete(&api, "watch").await;
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Deleted(object) => assert_eq!(name(&object), "watch"),
            event => panic!("{event:?}"),
        }
    });
}

/// The next event that a watcher has about one object, as a word and the object.
async fn next<K: Served>(
    events: &mut (impl Stream<Item = watcher::Result<Event<K>>> + Unpin),
) -> (&'static str, K) {
    loop {
        match events.try_next().await.unwrap().unwrap() {
            Event::Init | Event::InitDone => {}
            Event::Apply(object) if is_going(&object) => {}
            Event::InitApply(object) => return ("there", object),
            Event::Apply(object) => return ("applied", object),
            Event::Delete(object) => return ("deleted", object),
        }
    }
}

/// A watcher tells what is there and what changes.
fn follow<K: Served>(config: watcher::Config, group: &str) {
    run(async |client| {
        let api = api::<K>(&client).await;
        let sent: K = named(group, group);
        let first = api.create(&PostParams::default(), &sent).await.unwrap();
        let config = config.labels(&format!("group={group}"));
        let mut events = watcher(api.clone(), config).boxed();
        assert_eq!(next(&mut events).await, ("there", first.clone()));

        let other = format!("{group}-2");
        let sent: K = named(&other, group);
        let second = api.create(&PostParams::default(), &sent).await.unwrap();
        assert_eq!(next(&mut events).await, ("applied", second));
        let mut changed = first;
        changed.metadata_mut().annotations =
            Some([("a".to_owned(), "b".to_owned())].into());
        let changed =
            api.replace(group, &PostParams::default(), &changed).await.unwrap();
        assert_eq!(next(&mut events).await, ("applied", changed));
        delete(&api, &other).await;
        let (what, object) = next(&mut events).await;
        assert_eq!((what, name(&object)), ("deleted", other.as_str()));
    });
}

fn follow_pages<K: Served>() {
    follow::<K>(watcher::Config::default().page_size(1), "pages");
}

fn follow_stream<K: Served>() {
    follow::<K>(watcher::Config::default().streaming_lists(), "stream");
}

/// A reflector's store has what the server has.
fn reflect<K: Served>() {
    run(async |client| {
        let api = api::<K>(&client).await;
        for name in ["reflect", "reflect-2"] {
            let sent: K = named(name, "reflect");
            api.create(&PostParams::default(), &sent).await.unwrap();
        }
        let (reader, writer) = reflector::store::<K>();
        let config = watcher::Config::default().labels("group=reflect");
        let stream = watcher(api.clone(), config).reflect(writer);
        pin_mut!(stream);
        let names = || {
            let state = reader.state();
            let mut names: Vec<_> =
                state.iter().map(|o| name(&**o).to_owned()).collect();
            names.sort();
            names
        };
        while names() != ["reflect", "reflect-2"] {
            stream.try_next().await.unwrap().unwrap();
        }
        delete(&api, "reflect").await;
        let sent: K = named("reflect-3", "reflect");
        let last = api.create(&PostParams::default(), &sent).await.unwrap();
        while names() != ["reflect-2", "reflect-3"] {
            stream.try_next().await.unwrap().unwrap();
        }
        assert_eq!(*reader.get(&ObjectRef::from_obj(&last)).unwrap(), last);
    });
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
fn owned<K: Kind>(object: &K, manager: &str) -> Value {
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
fn patch<K: Kind>(name: &str, label: &str, rest: &Value) -> Value {
    let mut object = rest.clone();
    object["apiVersion"] = K::API_VERSION.into();
    object["kind"] = K::KIND.into();
    object["metadata"] = json!({"name": name, "labels": {label: "applied"}});
    object
}

/// `managedFields` name exactly what was set, for each manager.
fn applied<K: Served>() {
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

/// Makes a test of every kind for each function.
macro_rules! each_kind {
    ($($check:ident)*) => {$(
        mod $check {
            each_kind! { super::$check =>
                csi_driver: CSIDriver;
                csi_node: CSINode;
                csi_storage_capacity: CSIStorageCapacity;
                storage_class: StorageClass;
                volume_attachment: VolumeAttachment;
                volume_attributes_class: VolumeAttributesClass;
            }
        }
    )*};
    ($check:path => $($test:ident: $kind:ident;)*) => {$(
        #[test]
        #[ignore = "needs a control plane: run cargo xtask e2e"]
        fn $test() {
            use $check as check;
            check::<storage_v1::$kind>();
        }
    )*};
}

each_kind! { verbs watch follow_pages follow_stream reflect applied }

/// The status goes to its own path, is left alone elsewhere, and belongs to who applies it.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn status_of_volume_attachment() {
    run(async |client| {
        let api = VolumeAttachment::api(&client);
        let sent: VolumeAttachment = named("status", "status");
        let created = api.create(&PostParams::default(), &sent).await.unwrap();
        assert_eq!(created.status, Some(VolumeAttachmentStatus::new(false)));

        let status = samples::volume_attachment().status.unwrap();
        let change = Patch::Merge(json!({"status": status}));
        let patched =
            api.patch_status("status", &PatchParams::default(), &change).await.unwrap();
        assert_eq!(patched.status.as_ref(), Some(&status));
        let mut replacing = patched.clone();
        replacing.status = Some(VolumeAttachmentStatus::new(true));
        let params = PostParams::default();
        let replaced = api.replace_status("status", &params, &replacing).await.unwrap();
        assert_eq!(replaced.status, replacing.status);

        let status =
            json!({"status": {"attached": false, "attachmentMetadata": {"a": "b"}}});
        let own = patch::<VolumeAttachment>("status", "status", &status);
        let params = PatchParams::apply("e2e-status").force();
        let applied =
            api.patch_status("status", &params, &Patch::Apply(&own)).await.unwrap();
        let wanted =
            VolumeAttachmentStatus::new(false).with_attachment_metadata([("a", "b")]);
        assert_eq!(applied.status, Some(wanted));
        let fields = json!({"f:attached": {}, "f:attachmentMetadata": {"f:a": {}}});
        assert_eq!(owned(&applied, "e2e-status")["f:status"], fields);
        delete(&api, "status").await;
    });
}

/// CSINode has a status since 1.37; earlier servers have no such path.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn status_of_csi_node() {
    run(async |client| {
        let version = client.apiserver_version().await.unwrap();
        let minor: u32 = version.minor.trim_end_matches('+').parse().unwrap();
        let api = CSINode::api(&client);
        let sent: CSINode = named("status", "status");
        api.create(&PostParams::default(), &sent).await.unwrap();
        let status = samples::csi_node().status.unwrap();
        let change = Patch::Merge(json!({"status": status}));
        let patched = api.patch_status("status", &PatchParams::default(), &change).await;
        match patched {
            Ok(patched) => assert_eq!(patched.status, Some(status)),
            Err(kube::Error::Api(said)) => {
                assert_eq!((said.code, minor < 37), (404, true))
            }
            Err(error) => panic!("{error}"),
        }
        delete(&api, "status").await;
    });
}
