//! The life of objects: how they begin and end.

use std::collections::BTreeMap;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Event as CoreEvent, Namespace, Node, ObjectReference};
use k8s_openapi::api::events::v1::Event as StoredEvent;
use kube::Client;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use serde_json::{Value, json};
use storage_v1::StorageClass;

use crate::{
    ask, assert_refused, create_all, lease, lease_path, leases, message, names, object, send, uid,
    version,
};

/// Names are unique in their collection, and errors say what is missing.
pub async fn existence(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    assert_refused(api.get("one").await, 404, "NotFound");
    let expected = "leases.coordination.k8s.io \"one\" not found";
    assert_eq!(message(api.get("one").await), expected);
    create_all(&api, &["one"]).await;
    let again = api.create(&PostParams::default(), &lease("one")).await;
    assert_eq!(
        message(again),
        "leases.coordination.k8s.io \"one\" already exists"
    );
    let again = api.create(&PostParams::default(), &lease("one")).await;
    assert_refused(again, 409, "AlreadyExists");
    assert_refused(
        api.delete("two", &DeleteParams::default()).await,
        404,
        "NotFound",
    );
    let patch = Patch::Merge(json!({}));
    let missing = api.patch("two", &PatchParams::default(), &patch).await;
    assert_refused(missing, 404, "NotFound");
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/things");
    assert!(send(&client, "GET", &path, "", &json!(null)).await.is_err());
}

/// The server adds fields to a new object, and refuses invalid names.
pub async fn new_objects(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let mut prefixed = lease("");
    prefixed.metadata.name = None;
    prefixed.metadata.generate_name = Some("lease-".to_owned());
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(api.create(&PostParams::default(), &prefixed).await.unwrap());
    }
    for lease in &made {
        let suffix = lease
            .metadata
            .name
            .as_deref()
            .unwrap()
            .strip_prefix("lease-");
        let is_known = |c: char| "bcdfghjklmnpqrstvwxz2456789".contains(c);
        assert!(suffix.is_some_and(|s| s.len() == 5 && s.chars().all(is_known)));
        assert_eq!(lease.metadata.namespace.as_deref(), Some(namespace));
        let groups: Vec<usize> = uid(lease).split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12]);
        let now = k8s_openapi::jiff::Timestamp::now().as_second();
        let created = lease
            .metadata
            .creation_timestamp
            .as_ref()
            .unwrap()
            .0
            .as_second();
        assert!((now - created).abs() < 60, "{created} is not about {now}");
    }
    assert_ne!(names(&made[..1]), names(&made[1..2]));
    assert_ne!(uid(&made[0]), uid(&made[1]));
    assert!(version(&made[0]) != version(&made[1]));

    for name in ["", "Upper", "with space", "a/b"] {
        let refused = api.create(&PostParams::default(), &lease(name)).await;
        assert_refused(refused, 422, "Invalid");
    }
    let mut elsewhere = lease("elsewhere");
    elsewhere.metadata.namespace = Some(format!("{namespace}-not"));
    let refused = api.create(&PostParams::default(), &elsewhere).await;
    assert_refused(refused, 400, "BadRequest");
    // Fields that only the server sets are not taken from clients.
    let mut forged = lease("forged");
    forged.metadata.uid = Some("11111111-1111-4111-8111-111111111111".to_owned());
    forged.metadata.deletion_grace_period_seconds = Some(7);
    let created = api.create(&PostParams::default(), &forged).await.unwrap();
    assert_ne!(created.metadata.uid, forged.metadata.uid);
    assert_eq!(created.metadata.deletion_grace_period_seconds, None);
    let mut versioned = lease("versioned");
    versioned.metadata.resource_version = Some(version(&made[0]).to_owned());
    assert!(
        api.create(&PostParams::default(), &versioned)
            .await
            .is_err()
    );
}

/// A DELETE is only carried out on the object that the client has seen.
pub async fn preconditions(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let created = create_all(&api, &["one", "two"]).await;
    let with = |uid: Option<&str>, version: Option<&str>| {
        DeleteParams::default().preconditions(Preconditions {
            uid: uid.map(str::to_owned),
            resource_version: version.map(str::to_owned),
        })
    };
    let other = with(Some(uid(&created[1])), None);
    assert_refused(api.delete("one", &other).await, 409, "Conflict");
    let other = with(Some(uid(&created[0])), Some(version(&created[1])));
    assert_refused(api.delete("one", &other).await, 409, "Conflict");
    let same = with(Some(uid(&created[0])), Some(version(&created[0])));
    api.delete("one", &same).await.unwrap();
    assert_refused(api.get("one").await, 404, "NotFound");
    // An object of the same name is another object.
    let again = create_all(&api, &["one"]).await;
    assert_ne!(uid(&again[0]), uid(&created[0]));
    assert_refused(api.delete("one", &same).await, 409, "Conflict");
}

/// An object with finalizers stays until the last one is removed.
pub async fn finalizers(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let mut guarded = lease("guarded");
    let both = vec!["example.com/one".to_owned(), "example.com/two".to_owned()];
    guarded.metadata.finalizers = Some(both);
    let created = api.create(&PostParams::default(), &guarded).await.unwrap();
    assert_eq!(created.metadata.deletion_timestamp, None);

    api.delete("guarded", &DeleteParams::default())
        .await
        .unwrap();
    let deleting = api.get("guarded").await.unwrap();
    assert!(deleting.metadata.deletion_timestamp.is_some());
    assert_eq!(deleting.metadata.deletion_grace_period_seconds, Some(0));
    assert_ne!(version(&deleting), version(&created));
    let again = create(&api, "guarded").await;
    assert_refused(again, 409, "AlreadyExists");
    // Deleting again changes nothing.
    api.delete("guarded", &DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(
        version(&api.get("guarded").await.unwrap()),
        version(&deleting)
    );

    let set = |finalizers: &[&str]| json!({"metadata": {"finalizers": finalizers}});
    let added = set(&["example.com/one", "example.com/two", "example.com/three"]);
    let params = PatchParams::default();
    let refused = api.patch("guarded", &params, &Patch::Merge(&added)).await;
    assert_refused(refused, 422, "Invalid");
    let refused = api.patch("guarded", &params, &Patch::Merge(&added)).await;
    assert!(message(refused).contains(
        "no new finalizers can be added if the object is being deleted, found new \
         finalizers []string{\"example.com/three\"}"
    ));

    // Nobody takes the mark of deletion away.
    let mut unmarked = deleting.clone();
    unmarked.metadata.deletion_timestamp = None;
    unmarked.metadata.finalizers = Some(vec!["example.com/two".to_owned()]);
    let kept = api
        .replace("guarded", &PostParams::default(), &unmarked)
        .await
        .unwrap();
    assert_eq!(
        kept.metadata.deletion_timestamp,
        deleting.metadata.deletion_timestamp
    );
    let mut last = kept.clone();
    last.metadata.finalizers = None;
    let last = api
        .replace("guarded", &PostParams::default(), &last)
        .await
        .unwrap();
    assert_eq!(last.metadata.finalizers, None);
    assert_refused(api.get("guarded").await, 404, "NotFound");
}

async fn create(api: &Api<Lease>, name: &str) -> Result<Lease, kube::Error> {
    api.create(&PostParams::default(), &lease(name)).await
}

/// The status has its own path.
pub async fn status(client: Client, namespace: &str) {
    let api: Api<Node> = Api::all(client);
    let name = format!("{namespace}-node");
    let node: Node = object(json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
    }));
    api.create(&PostParams::default(), &node).await.unwrap();
    let allocatable = |node: &Node| {
        let status = node.status.clone().unwrap_or_default();
        status
            .allocatable
            .unwrap_or_default()
            .get("example.com/disks")
            .cloned()
    };
    let params = PatchParams::default();
    let patch = json!({
        "metadata": {"labels": {"a": "b"}},
        "spec": {"unschedulable": true},
        "status": {"allocatable": {"example.com/disks": "3"}},
    });
    let node = api
        .patch_status(&name, &params, &Patch::Merge(&patch))
        .await
        .unwrap();
    assert_eq!(allocatable(&node).unwrap().0, "3");
    assert_eq!(node.spec.as_ref().and_then(|spec| spec.unschedulable), None);
    let labels = node.metadata.labels.clone().unwrap_or_default();
    assert_eq!(labels.get("a").map(String::as_str), Some("b"));

    let patch = json!({
        "spec": {"unschedulable": true},
        "status": {"allocatable": {"example.com/disks": "4"}},
    });
    let node = api
        .patch(&name, &params, &Patch::Merge(&patch))
        .await
        .unwrap();
    assert_eq!(allocatable(&node).unwrap().0, "3");
    assert_eq!(node.spec.and_then(|spec| spec.unschedulable), Some(true));
    api.delete(&name, &DeleteParams::default()).await.unwrap();
}

/// The kinds of a provisioner are stored as they are sent, with the fields that a server adds.
pub async fn volumes(client: Client, namespace: &str) {
    let params = PostParams::default();
    let classes: Api<StorageClass> = Api::all(client.clone());
    let class = StorageClass::new(format!("{namespace}-class"), "example.com/none");
    let created = classes.create(&params, &class).await.unwrap();
    assert_eq!(created.provisioner, class.provisioner);

    let claims: Api<PersistentVolumeClaim> = Api::namespaced(client.clone(), namespace);
    let claim: PersistentVolumeClaim = object(json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "claim"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": format!("{namespace}-class"),
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }));
    let claim = claims.create(&params, &claim).await.unwrap();

    let volumes: Api<PersistentVolume> = Api::all(client);
    let name = format!("pvc-{}", claim.metadata.uid.as_deref().unwrap());
    let volume: PersistentVolume = object(json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": "claim",
                "namespace": namespace, "uid": claim.metadata.uid,
                "resourceVersion": claim.metadata.resource_version,
            },
            "hostPath": {"path": "/tmp/none"},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": format!("{namespace}-class"),
        },
        "status": {"phase": "Failed"},
    }));
    let created = volumes.create(&params, &volume).await.unwrap();
    let (sent, stored) = (volume.spec.unwrap(), created.spec.unwrap());
    assert_eq!(stored.claim_ref, sent.claim_ref);
    assert_eq!(stored.capacity, sent.capacity);
    let status = created.status.and_then(|status| status.phase);
    assert_ne!(
        status,
        Some("Failed".into()),
        "a status in a create is ignored"
    );

    let unguarded = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    let params = PatchParams::default();
    let delete = DeleteParams::default();
    volumes.delete(&name, &delete).await.unwrap();
    // A real server adds finalizers, which only its controllers remove.
    let _ = volumes.patch(&name, &params, &unguarded).await;
    assert_refused(volumes.get(&name).await, 404, "NotFound");
    claims.delete("claim", &delete).await.unwrap();
    let _ = claims.patch("claim", &params, &unguarded).await;
    assert_refused(claims.get("claim").await, 404, "NotFound");
    classes
        .delete(&format!("{namespace}-class"), &delete)
        .await
        .unwrap();
}

/// Events as kube records them: the second becomes a series of the first.
pub async fn events(client: Client, namespace: &str) {
    let reporter = Reporter {
        controller: "example.com/suite".to_owned(),
        instance: Some("suite".to_owned()),
    };
    let recorder = Recorder::new(client.clone(), reporter);
    let regarding = ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("PersistentVolumeClaim".to_owned()),
        name: Some("claim".to_owned()),
        namespace: Some(namespace.to_owned()),
        uid: Some("11111111-1111-4111-8111-111111111111".to_owned()),
        ..ObjectReference::default()
    };
    let event = Event {
        type_: EventType::Warning,
        reason: "ProvisioningFailed".to_owned(),
        note: Some("no space".to_owned()),
        action: "Provision".to_owned(),
        secondary: None,
    };
    recorder.publish(&event, &regarding).await.unwrap();
    recorder.publish(&event, &regarding).await.unwrap();
    let api: Api<StoredEvent> = Api::namespaced(client, namespace);
    let found = api.list(&ListParams::default()).await.unwrap();
    let reasons: BTreeMap<_, _> = found
        .iter()
        .map(|event| {
            (
                event.reason.as_deref(),
                event.series.as_ref().map(|s| s.count),
            )
        })
        .collect();
    assert_eq!(found.items.len(), 1, "{reasons:?}");
    assert_eq!(reasons, [(Some("ProvisioningFailed"), Some(2))].into());
    assert_eq!(found.items[0].regarding.as_ref(), Some(&regarding));
}

/// Names have the format of their kind. Events of the core group are named after their object, and
/// may have longer names than objects of other kinds.
pub async fn names_of_kinds(client: Client, namespace: &str) {
    let events: Api<CoreEvent> = Api::namespaced(client.clone(), namespace);
    let params = PostParams::default();
    let about = "a".repeat(253);
    let event = |name: &str| -> CoreEvent {
        object(json!({
            "metadata": {"name": name},
            "involvedObject": {"kind": "Pod", "namespace": namespace, "name": about},
        }))
    };
    let long = format!("{about}.{:x}", 1_700_000_000_000_000_000_u64);
    for name in [long.as_str(), "Upper_case"] {
        let created = events.create(&params, &event(name)).await.unwrap();
        assert_eq!(created.metadata.name.as_deref(), Some(name));
        let patch = Patch::Merge(json!({"count": 2}));
        let patched = events.patch(name, &PatchParams::default(), &patch).await;
        assert_eq!(patched.unwrap().count, Some(2));
        let again = events.create(&params, &event(name)).await;
        assert_refused(again, 409, "AlreadyExists");
    }
    for name in ["", ".", "..", "a/b", "a%b"] {
        let refused = events.create(&params, &event(name)).await;
        assert_refused(refused, 422, "Invalid");
    }
    // The newer group has the usual names.
    let stored: Api<StoredEvent> = Api::namespaced(client.clone(), namespace);
    let event = |name: &str| -> StoredEvent {
        object(json!({
            "metadata": {"name": name}, "eventTime": "2026-01-01T00:00:00.000000Z",
            "regarding": {"kind": "Pod", "namespace": namespace, "name": about},
            "action": "Run", "reason": "Ran", "type": "Normal",
            "reportingController": "example.com/suite", "reportingInstance": "suite",
        }))
    };
    for name in [long.as_str(), "Upper_case"] {
        let refused = stored.create(&params, &event(name)).await;
        assert_refused(refused, 422, "Invalid");
    }
    stored.create(&params, &event(&about)).await.unwrap();
    let namespaces: Api<Namespace> = Api::all(client);
    let dotted: Namespace = object(json!({"metadata": {"name": format!("{namespace}.a")}}));
    assert_refused(namespaces.create(&params, &dotted).await, 422, "Invalid");
}

/// Requests that no server carries out.
pub async fn bad_requests(client: Client, namespace: &str) {
    let path = lease_path(namespace, "one");
    let collection = path.trim_end_matches("/one");
    let body = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "one"},
    });
    let plain = send(&client, "POST", collection, "text/plain", &body).await;
    assert_refused(plain, 415, "UnsupportedMediaType");
    let plain = send(&client, "PATCH", &path, "application/json", &body).await;
    assert_refused(plain, 415, "UnsupportedMediaType");
    let other = send(&client, "POST", &path, "application/json", &body).await;
    assert_refused(other, 405, "MethodNotAllowed");
    let mut of_another_kind = body.clone();
    of_another_kind["kind"] = "Pod".into();
    let wrong = send(
        &client,
        "POST",
        collection,
        "application/json",
        &of_another_kind,
    )
    .await;
    assert_refused(wrong, 400, "BadRequest");
    let everywhere = "/apis/coordination.k8s.io/v1/leases";
    let nowhere = send(
        &client,
        "DELETE",
        everywhere,
        "application/json",
        &json!({}),
    )
    .await;
    assert_refused(nowhere, 405, "MethodNotAllowed");
}

/// Formats of requests and answers.
pub async fn formats(client: Client, namespace: &str) {
    let path = lease_path(namespace, "one");
    let collection = path.trim_end_matches("/one");
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "one"},
    });
    let with_parameter = "application/json; charset=utf-8";
    send(&client, "POST", collection, with_parameter, &lease)
        .await
        .unwrap();
    for accept in [
        "application/json",
        "application/x-unknown, application/json",
        "application/x-unknown,application/json;q=0.5",
        "text/plain, */*;q=0.1",
    ] {
        let (code, format, body) = ask(&client, &path, accept).await.unwrap();
        assert_eq!(
            (code, format.as_str()),
            (200, "application/json"),
            "{accept}"
        );
        let lease: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(lease["metadata"]["name"], "one");
    }
    let watch = format!("{collection}?watch=true");
    // Only "*/*" is a range.
    for (path, accept) in [
        (path.as_str(), "application/x-unknown"),
        (&path, "application/*"),
        (collection, "application/x-unknown"),
        (&watch, "application/x-unknown"),
    ] {
        let (code, format, body) = ask(&client, path, accept).await.unwrap();
        assert_eq!((code, format.as_str()), (406, "application/json"), "{path}");
        let status: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(status["reason"], "NotAcceptable");
    }
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
    for (method, path) in [
        ("PUT", path.as_str()),
        ("DELETE", &path),
        ("DELETE", collection),
    ] {
        let refused = send(&client, method, path, "application/x-unknown", &options).await;
        assert_refused(refused, 415, "UnsupportedMediaType");
    }
    leases(&client, namespace).get("one").await.unwrap();
}
