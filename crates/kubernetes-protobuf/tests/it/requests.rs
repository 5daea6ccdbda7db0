//! Contents of requests, and reading of answers.

use core_v1::PersistentVolumeClaim;
use either::Either;
use futures::StreamExt;
use kube::api::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::watcher::{Config, Event};
use kubernetes_kinds::protobuf::{from_slice, to_vec};
use kubernetes_protobuf::{Api, watcher};
use serde_json::json;
use storage_v1::{StorageClass, VolumeAttachment};

use crate::support::{JSON, Log, PROTOBUF, Sent, answer, class, envelope, list, server, status};

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
    for (code, content_type) in [(406, JSON), (415, JSON), (406, "text/plain")] {
        let refusal = status(code.into(), "UnsupportedMediaType", "no");
        let (client, log) = server([
            answer(code, content_type, refusal),
            answer(201, JSON, stored.clone()),
        ]);
        let classes: Api<StorageClass> = Api::all(client);
        let created = classes
            .create(&PostParams::default(), &class("fast", ""))
            .await
            .unwrap();
        assert_eq!(created, class("fast", "8"));
        let sent = log.take();
        assert_eq!(sent[1].header("content-type"), JSON);
        assert_eq!(sent[1].header("accept"), JSON);
        assert_eq!(sent[1].method, sent[0].method);
        assert_eq!(sent[1].uri, sent[0].uri);
        let in_json: StorageClass = serde_json::from_slice(&sent[1].body).unwrap();
        assert_eq!(in_json, class("fast", ""));
    }
}

/// The formats that the requests since the last call accept, and those of their bodies.
fn formats(log: &Log) -> Vec<(bool, bool)> {
    let sent = log.take();
    let is_protobuf = |sent: &Sent, name| sent.header(name).starts_with(PROTOBUF);
    let of = |sent| {
        (
            is_protobuf(sent, "accept"),
            is_protobuf(sent, "content-type"),
        )
    };
    sent.iter().map(of).collect()
}

#[tokio::test]
async fn a_server_refuses_protobuf_once() {
    let claim = PersistentVolumeClaim::new("data");
    let stored = serde_json::to_vec(&claim).unwrap();
    let list = json!({"metadata": {"resourceVersion": "9"}, "items": []}).to_string();
    let (client, log) = server([
        answer(415, JSON, status(415, "UnsupportedMediaType", "no")),
        answer(201, JSON, stored.clone()),
        answer(201, JSON, stored.clone()),
        answer(200, JSON, stored.clone()),
        answer(200, JSON, list),
        answer(410, JSON, status(410, "Expired", "too old")),
    ]);
    let claims: Api<PersistentVolumeClaim> = Api::all(client);
    // Before the server is known.
    let others = [claims.clone(), claims.clone().constrain("b")];
    let params = PostParams::default();
    let in_a = claims.constrain("a");
    in_a.create(&params, &claim).await.unwrap();
    assert_eq!(formats(&log), [(true, true), (false, false)]);
    in_a.create(&params, &claim).await.unwrap();
    let [all, in_b] = others;
    in_b.get("data").await.unwrap();
    let events: Vec<_> = watcher(all, Config::default()).take(3).collect().await;
    assert!(matches!(
        events.as_slice(),
        [Ok(_), Ok(Event::InitDone), Err(_)]
    ));
    assert_eq!(formats(&log), [(false, false); 4]);
}

#[tokio::test]
async fn a_watcher_tells_its_api_that_a_server_has_no_protobuf() {
    let list = json!({"metadata": {"resourceVersion": "9"}, "items": []}).to_string();
    let (client, log) = server([
        answer(406, JSON, status(406, "NotAcceptable", "no")),
        answer(200, JSON, list.clone()),
        answer(200, JSON, list),
    ]);
    let classes: Api<StorageClass> = Api::all(client);
    let events = watcher(classes.clone(), Config::default()).take(2);
    assert_eq!(events.collect::<Vec<_>>().await.len(), 2);
    classes.list(&ListParams::default()).await.unwrap();
    let expected = [(true, false), (false, false), (false, false)];
    assert_eq!(formats(&log), expected);
}

#[tokio::test]
async fn other_refusals_are_not_remembered() {
    let stored = to_vec(&class("fast", "8"));
    let (client, log) = server([
        answer(
            415,
            JSON,
            status(415, "UnsupportedMediaType", "no such patch"),
        ),
        answer(
            415,
            JSON,
            status(415, "UnsupportedMediaType", "no such patch"),
        ),
        answer(503, JSON, status(503, "ServiceUnavailable", "not now")),
        answer(200, PROTOBUF, stored),
    ]);
    let classes: Api<StorageClass> = Api::all(client);
    let patch = Patch::Strategic(json!({}));
    let params = PatchParams::default();
    let error = classes.patch("fast", &params, &patch).await.unwrap_err();
    assert!(matches!(error, kube::Error::Api(status) if status.code == 415));
    assert!(classes.get("fast").await.is_err());
    classes.get("fast").await.unwrap();
    let expected = [true, false, true, true];
    let accepted: Vec<_> = formats(&log)
        .into_iter()
        .map(|(accept, _)| accept)
        .collect();
    assert_eq!(accepted, expected);
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
