//! Contents of requests, and reading of answers.

use either::Either;
use kube::api::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams};
use kubernetes_kinds::protobuf::{from_slice, to_vec};
use kubernetes_protobuf::Api;
use serde_json::json;
use storage_v1::{StorageClass, VolumeAttachment};

use crate::support::{JSON, PROTOBUF, answer, class, envelope, list, server, status};

#[tokio::test]
async fn objects_are_got_in_protobuf() {
    let body = to_vec(&class("fast", "7"));
    let (client, log) = server([
        answer(200, PROTOBUF, body.clone()),
        answer(200, "Application/vnd.kubernetes.protobuf; q=1", body),
    ]);
    let classes: Api<StorageClass> = Api::all(client);
    assert_eq!(classes.get("fast").await.unwrap(), class("fast", "7"));
    let version = GetParams::default();
    classes.get_with("fast", &version).await.unwrap();
    let sent = log.take();
    assert_eq!(sent[0].uri, "/apis/storage.k8s.io/v1/storageclasses/fast");
    assert_eq!(
        sent[0].header("accept"),
        "application/vnd.kubernetes.protobuf, application/json"
    );
    assert_eq!(sent[0].header("content-type"), "");
}

#[tokio::test]
async fn pages_are_listed() {
    let (client, log) = server([
        answer(200, PROTOBUF, list(&[class("a", "1")], "9", "next")),
        answer(200, PROTOBUF, list(&[class("b", "2")], "9", "")),
    ]);
    let classes: Api<StorageClass> = Api::all(client);
    let mut params = ListParams::default().limit(1).labels("app=web");
    let page = classes.list(&params).await.unwrap();
    assert_eq!(page.items, [class("a", "1")]);
    assert_eq!(page.types.kind, "StorageClassList");
    assert_eq!(page.types.api_version, "storage.k8s.io/v1");
    assert_eq!(page.metadata.resource_version.as_deref(), Some("9"));
    params = params.continue_token(page.metadata.continue_.as_deref().unwrap());
    assert_eq!(classes.list(&params).await.unwrap().items.len(), 1);
    let sent = log.take();
    let path = "/apis/storage.k8s.io/v1/storageclasses?";
    assert_eq!(
        sent[0].uri,
        format!("{path}&labelSelector=app%3Dweb&limit=1")
    );
    assert!(sent[1].uri.ends_with("&limit=1&continue=next"));
}

#[tokio::test]
async fn objects_are_sent_in_protobuf() {
    let stored = to_vec(&class("fast", "8"));
    let (client, log) = server([
        answer(201, PROTOBUF, stored.clone()),
        answer(200, PROTOBUF, stored),
    ]);
    let classes: Api<StorageClass> = Api::all(client);
    let params = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let created = classes.create(&params, &class("fast", "")).await.unwrap();
    assert_eq!(created, class("fast", "8"));
    classes
        .replace("fast", &PostParams::default(), &created)
        .await
        .unwrap();
    let sent = log.take();
    assert!(sent[0].uri.ends_with("/storageclasses?&dryRun=All"));
    for (sent, version) in sent.iter().zip(["", "8"]) {
        assert_eq!(sent.header("content-type"), PROTOBUF);
        let class_sent: StorageClass = from_slice(&sent.body).unwrap();
        assert_eq!(class_sent, class("fast", version));
    }
}

#[tokio::test]
async fn statuses_have_their_path() {
    let attachment = VolumeAttachment::default();
    let body = to_vec(&attachment);
    let answers = [(); 3].map(|()| answer(200, PROTOBUF, body.clone()));
    let (client, log) = server(answers);
    let attachments: Api<VolumeAttachment> = Api::all(client);
    attachments.get_status("a").await.unwrap();
    attachments
        .replace_status("a", &PostParams::default(), &attachment)
        .await
        .unwrap();
    let patch = Patch::Merge(json!({"status": {"attached": true}}));
    attachments
        .patch_status("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    let sent = log.take();
    let path = "/apis/storage.k8s.io/v1/volumeattachments/a/status";
    assert_eq!(sent[0].uri, path);
    assert_eq!(sent[1].uri, format!("{path}?"));
    assert_eq!(sent[1].header("content-type"), PROTOBUF);
    assert_eq!(
        sent[2].header("content-type"),
        "application/merge-patch+json"
    );
    assert!(sent[2].header("accept").starts_with(PROTOBUF));
}

#[tokio::test]
async fn deletions_return_objects_or_statuses() {
    let done = envelope("v1", "Status", &[]);
    let (client, log) = server([
        answer(200, PROTOBUF, to_vec(&class("fast", "7"))),
        answer(200, PROTOBUF, done),
        answer(200, JSON, r#"{"kind": "Status", "status": "Success"}"#),
        answer(200, PROTOBUF, list(&[class("a", "1")], "9", "")),
    ]);
    let classes: Api<StorageClass> = Api::all(client);
    let params = DeleteParams::background();
    let deleted = classes.delete("fast", &params).await.unwrap();
    assert_eq!(deleted.left().unwrap(), class("fast", "7"));
    assert!(matches!(
        classes.delete("fast", &params).await.unwrap(),
        Either::Right(_)
    ));
    let deleted = classes.delete("fast", &params).await.unwrap();
    assert!(deleted.right().unwrap().is_success());
    let list = ListParams::default();
    let deleted = classes.delete_collection(&params, &list).await.unwrap();
    assert_eq!(deleted.left().unwrap().items.len(), 1);
    let sent = log.take();
    assert_eq!(sent[0].header("content-type"), JSON);
    let options: serde_json::Value = serde_json::from_slice(&sent[0].body).unwrap();
    assert_eq!(options["propagationPolicy"], "Background");
}

#[tokio::test]
async fn servers_without_protobuf_get_json() {
    let stored = serde_json::to_vec(&class("fast", "8")).unwrap();
    for code in [406, 415] {
        let (client, log) = server([
            answer(
                code,
                JSON,
                status(code.into(), "UnsupportedMediaType", "no"),
            ),
            answer(201, JSON, stored.clone()),
            answer(code, "text/plain", "no"),
            answer(200, JSON, stored.clone()),
        ]);
        let classes: Api<StorageClass> = Api::all(client);
        let created = classes
            .create(&PostParams::default(), &class("fast", ""))
            .await
            .unwrap();
        assert_eq!(created, class("fast", "8"));
        assert_eq!(classes.get("fast").await.unwrap(), created);
        let sent = log.take();
        assert_eq!(sent[1].header("content-type"), JSON);
        assert_eq!(sent[1].header("accept"), JSON);
        assert_eq!(sent[1].method, sent[0].method);
        let in_json: StorageClass = serde_json::from_slice(&sent[1].body).unwrap();
        assert_eq!(in_json, class("fast", ""));
        assert_eq!(sent[3].header("accept"), JSON);
    }
}

#[test]
fn scopes_are_those_of_kube() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let (client, _) = server([]);
    let api: Api<core_v1::PersistentVolumeClaim> = Api::default_namespaced(client.clone());
    assert_eq!(api.namespace(), Some("default"));
    let api = api.constrain("other");
    let path = "/api/v1/namespaces/other/persistentvolumeclaims";
    assert_eq!(api.resource_url(), path);
    assert_eq!(api.as_kube().resource_url(), path);
    let api = api.unconstrain();
    assert_eq!(api.resource_url(), "/api/v1/persistentvolumeclaims");
    assert_eq!(api.constrain_default().namespace(), Some("default"));
    let api = Api::<core_v1::PersistentVolumeClaim>::namespaced(client, "a");
    assert_eq!(Api::from(api.as_kube().clone()).namespace(), Some("a"));
}
