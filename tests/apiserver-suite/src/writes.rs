//! Updates, patches and server-side apply.

use kube::Client;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::{
    assert_refused, create_all, holder, labelled, lease, lease_path, leases, message, names, send,
    version,
};

const MERGE: &str = "application/merge-patch+json";

/// Checks that the second of two writers that have read the same version is refused.
pub async fn conflicts(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let post = PostParams::default();
    let created = create_all(&api, &["one"]).await.remove(0);
    let mut first = created.clone();
    first.spec = serde_json::from_value(json!({"holderIdentity": "first"})).unwrap();
    let first = api.replace("one", &post, &first).await.unwrap();
    assert_ne!(version(&first), version(&created));
    let mut second = created.clone();
    second.spec = serde_json::from_value(json!({"holderIdentity": "second"})).unwrap();
    assert_refused(api.replace("one", &post, &second).await, 409, "Conflict");
    assert_eq!(
        message(api.replace("one", &post, &second).await),
        "Operation cannot be fulfilled on leases.coordination.k8s.io \"one\": the object \
         has been modified; please apply your changes to the latest version and try again"
    );
    assert_eq!(api.get("one").await.unwrap(), first);

    let params = PatchParams::default();
    let mut stale = holder("second");
    stale["metadata"] = json!({"resourceVersion": version(&created)});
    let patch = Patch::Merge(&stale);
    assert_refused(api.patch("one", &params, &patch).await, 409, "Conflict");
    // A patch without a version is of the latest; an update of a lease must have one.
    let blind = holder("third");
    let patched = api
        .patch("one", &params, &Patch::Merge(&blind))
        .await
        .unwrap();
    let mut unversioned = patched.clone();
    unversioned.metadata.resource_version = None;
    assert_refused(
        api.replace("one", &post, &unversioned).await,
        422,
        "Invalid",
    );

    let mut other = patched.clone();
    other.metadata.uid = Some("11111111-1111-4111-8111-111111111111".to_owned());
    assert_refused(api.replace("one", &post, &other).await, 409, "Conflict");
    let other = json!({"metadata": {"uid": other.metadata.uid}});
    let refused = api.patch("one", &params, &Patch::Merge(&other)).await;
    assert_refused(refused, 422, "Invalid");
    let renamed = api.replace("one", &post, &lease("two")).await;
    assert_refused(renamed, 400, "BadRequest");
}

/// A write that changes nothing isn't a write.
pub async fn no_ops(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let created = create_all(&api, &["one"]).await.remove(0);
    let same = api
        .replace("one", &PostParams::default(), &created)
        .await
        .unwrap();
    assert_eq!(version(&same), version(&created));
    let params = PatchParams::default();
    let same = api
        .patch("one", &params, &Patch::Merge(json!({})))
        .await
        .unwrap();
    assert_eq!(version(&same), version(&created));
    let empty = json!({"metadata": {"labels": {}}});
    let same = api
        .patch("one", &params, &Patch::Merge(empty))
        .await
        .unwrap();
    assert_eq!(version(&same), version(&created));
}

/// Merge patches and JSON patches.
pub async fn patches(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let object = labelled("one", &[("a", "1"), ("b", "2")]);
    api.create(&PostParams::default(), &object).await.unwrap();
    let labels = |lease: &k8s_openapi::api::coordination::v1::Lease| {
        let labels = lease.metadata.labels.clone().unwrap_or_default();
        labels
            .into_iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect::<Vec<_>>()
    };
    let path = lease_path(namespace, "one");
    let merge = json!({"metadata": {"labels": {"a": null, "c": "3"}}});
    send(&client, "PATCH", &path, MERGE, &merge).await.unwrap();
    assert_eq!(labels(&api.get("one").await.unwrap()), ["b=2", "c=3"]);

    let kind = "application/json-patch+json";
    let patch = json!([
        {"op": "test", "path": "/metadata/labels/b", "value": "2"},
        {"op": "remove", "path": "/metadata/labels/b"},
        {"op": "add", "path": "/metadata/labels/example.com~1d", "value": "4"},
    ]);
    send(&client, "PATCH", &path, kind, &patch).await.unwrap();
    let patched = api.get("one").await.unwrap();
    assert_eq!(labels(&patched), ["c=3", "example.com/d=4"]);
    // The label that is tested is gone: all of the patch fails.
    let again = send(&client, "PATCH", &path, kind, &patch).await;
    assert_refused(again, 422, "Invalid");
    assert_eq!(api.get("one").await.unwrap(), patched);
    let broken = send(&client, "PATCH", &path, kind, &json!({"op": "add"})).await;
    assert_refused(broken, 400, "BadRequest");
}

/// Apply creates what is missing, and changes what is there.
pub async fn apply(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let mut object = lease("one");
    object.spec = serde_json::from_value(json!({"holderIdentity": "me"})).unwrap();
    let params = PatchParams::apply("suite");
    let created = api
        .patch("one", &params, &Patch::Apply(&object))
        .await
        .unwrap();
    assert_eq!(
        created.spec.and_then(|spec| spec.holder_identity).unwrap(),
        "me"
    );
    object.spec =
        serde_json::from_value(json!({"holderIdentity": "me", "leaseDurationSeconds": 5})).unwrap();
    let changed = api
        .patch("one", &params, &Patch::Apply(&object))
        .await
        .unwrap();
    assert_eq!(changed.metadata.uid, created.metadata.uid);
    assert_eq!(
        changed.spec.and_then(|spec| spec.lease_duration_seconds),
        Some(5)
    );

    let path = lease_path(namespace, "one");
    let kind = "application/apply-patch+yaml";
    let body = serde_json::to_value(&object).unwrap();
    let nobody = send(&client, "PATCH", &path, kind, &body).await;
    assert_refused(nobody, 422, "Invalid");
    let mut other = object.clone();
    other.metadata.name = Some("other".to_owned());
    other.metadata.uid = created.metadata.uid;
    let missing = api.patch("other", &params, &Patch::Apply(&other)).await;
    assert_refused(missing, 409, "Conflict");
}

/// A collection is deleted at once, except objects that a selector leaves.
pub async fn delete_collection(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    for (name, color) in [("one", "red"), ("two", "blue"), ("three", "red")] {
        let object = labelled(name, &[("color", color)]);
        api.create(&PostParams::default(), &object).await.unwrap();
    }
    let red = ListParams::default().labels("color=red");
    api.delete_collection(&DeleteParams::default(), &red)
        .await
        .unwrap();
    let left = api.list(&ListParams::default()).await.unwrap();
    assert_eq!(names(&left.items), ["two"]);
    let all = ListParams::default();
    api.delete_collection(&DeleteParams::default(), &all)
        .await
        .unwrap();
    assert_eq!(api.list(&all).await.unwrap().items, []);
}
