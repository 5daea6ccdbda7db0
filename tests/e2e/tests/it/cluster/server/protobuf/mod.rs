//! The API and the watcher in protobuf, compared with those of kube in JSON.

mod bookmarks;
mod compression;
mod controllers;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use core_v1::PersistentVolumeClaim;
use e2e::ControlPlane;
use either::Either;
use futures::{Stream, StreamExt};
use http::header::CONTENT_TYPE;
use http::{Request, Uri};
use kube::Client;
use kube::api::{
    DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::client::Body;
use kube::core::Status;
use kube::runtime::watcher::{self, Config, Event};
use kubernetes_kinds::{Lean, WithMetadata};
use kubernetes_protobuf::Api;
use serde_json::json;
use storage_v1::{StorageClass, VolumeAttachment};
use tower::service_fn;

use super::run;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// A client that changes requests, and the formats of its answers.
struct Observed {
    client: Client,
    formats: Arc<Mutex<Vec<String>>>,
}

impl Observed {
    fn new(client: Client, change: impl Fn(&mut Request<Body>) + Send + Sync + 'static) -> Self {
        let formats = Arc::new(Mutex::new(Vec::new()));
        let (seen, change) = (formats.clone(), Arc::new(change));
        let service = service_fn(move |mut request: Request<Body>| {
            let (client, seen) = (client.clone(), seen.clone());
            change(&mut request);
            async move {
                let answer = client.send(request).await?;
                let format = answer.headers().get(CONTENT_TYPE);
                let format = format.map_or("", |format| format.to_str().unwrap());
                seen.lock().unwrap().push(format.to_owned());
                Ok::<_, kube::Error>(answer)
            }
        });
        let client = Client::new(service, "default");
        Self { client, formats }
    }

    /// Asserts that there were answers, and all of them in protobuf.
    fn assert_protobuf(&self) {
        let formats = std::mem::take(&mut *self.formats.lock().unwrap());
        assert!(!formats.is_empty());
        let is_other = |format: &String| !format.starts_with(PROTOBUF);
        assert!(!formats.iter().any(is_other), "{formats:?}");
    }
}

fn class(name: &str) -> StorageClass {
    StorageClass::new(name, "csi.example.com")
        .with_label("test", "protobuf")
        .with_annotation("text", "\u{fc}\n\"")
}

fn status<T: std::fmt::Debug>(result: kube::Result<T>) -> Status {
    match result {
        Err(kube::Error::Api(status)) => *status,
        other => panic!("no error of the server: {other:?}"),
    }
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn objects_are_those_of_json() {
    run(async |server| {
        let observed = Observed::new(server.client.clone(), |_| {});
        let classes: Api<StorageClass> = Api::all(observed.client.clone());
        let in_json: kube::Api<StorageClass> = kube::Api::all(server.client.clone());
        let params = PostParams::default();

        let created = classes.create(&params, &class("pb-a")).await.unwrap();
        assert_eq!(in_json.get("pb-a").await.unwrap(), created);
        assert_eq!(classes.get("pb-a").await.unwrap(), created);
        let lean: Api<Lean<StorageClass>> = Api::all(observed.client.clone());
        assert_eq!(lean.get("pb-a").await.unwrap(), Lean::from(created.clone()));

        let changed = created.clone().with_label("changed", "yes");
        let replaced = classes.replace("pb-a", &params, &changed).await.unwrap();
        assert_eq!(in_json.get("pb-a").await.unwrap(), replaced);
        let patch = Patch::Merge(json!({"metadata": {"labels": {"changed": "twice"}}}));
        let patched = classes.patch("pb-a", &PatchParams::default(), &patch).await;
        assert_eq!(patched.unwrap(), in_json.get("pb-a").await.unwrap());

        let deleted = classes.delete("pb-a", &DeleteParams::default()).await;
        let Either::Left(deleted) = deleted.unwrap() else {
            panic!("classes are returned");
        };
        assert_eq!(deleted.metadata.name.as_deref(), Some("pb-a"));
        assert!(classes.get_opt("pb-a").await.unwrap().is_none());
        observed.assert_protobuf();
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn statuses_are_replaced() {
    run(async |server| {
        let observed = Observed::new(server.client.clone(), |_| {});
        let attachments: Api<VolumeAttachment> = Api::all(observed.client.clone());
        let attachment: VolumeAttachment = serde_json::from_value(json!({
            "metadata": {"name": "pb-status"},
            "spec": {
                "attacher": "csi.example.com",
                "nodeName": "node",
                "source": {"persistentVolumeName": "volume"},
            },
        }))
        .unwrap();
        let params = PostParams::default();
        let mut created = attachments.create(&params, &attachment).await.unwrap();
        let status = created.status.get_or_insert_default();
        status.attached = true;
        let replaced = attachments.replace_status("pb-status", &params, &created);
        let replaced = replaced.await.unwrap();
        assert!(replaced.status.as_ref().unwrap().attached);
        assert_eq!(attachments.get_status("pb-status").await.unwrap(), replaced);
        let in_json = attachments.as_kube().get("pb-status").await.unwrap();
        assert_eq!(in_json, replaced);

        let claims: Api<PersistentVolumeClaim> = Api::default_namespaced(observed.client.clone());
        let claim: PersistentVolumeClaim = serde_json::from_value(json!({
            "metadata": {"name": "pb-claim"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }))
        .unwrap();
        let created = claims.create(&params, &claim).await.unwrap();
        assert_eq!(claims.as_kube().get("pb-claim").await.unwrap(), created);
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn errors_are_those_of_json() {
    run(async |server| {
        let observed = Observed::new(server.client.clone(), |_| {});
        let classes: Api<StorageClass> = Api::all(observed.client.clone());
        let in_json: kube::Api<StorageClass> = kube::Api::all(server.client.clone());
        let params = PostParams::default();
        let found = status(classes.get("pb-none").await);
        assert!(found.is_not_found());
        assert_eq!(found, status(in_json.get("pb-none").await));

        let invalid = StorageClass::new("pb-invalid", "");
        let found = status(classes.create(&params, &invalid).await);
        assert!(found.is_invalid());
        assert!(!found.details.as_ref().unwrap().causes.is_empty());
        assert_eq!(found, status(in_json.create(&params, &invalid).await));

        let created = classes.create(&params, &class("pb-errors")).await.unwrap();
        let changed = created.clone().with_label("changed", "yes");
        classes
            .replace("pb-errors", &params, &changed)
            .await
            .unwrap();
        let found = status(classes.replace("pb-errors", &params, &created).await);
        assert!(found.is_conflict());
        assert_eq!(
            found,
            status(in_json.replace("pb-errors", &params, &created).await)
        );
        let found = status(classes.create(&params, &class("pb-errors")).await);
        assert!(found.is_already_exists());
        observed.assert_protobuf();
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn pages_are_those_of_json() {
    run(async |server| {
        let observed = Observed::new(server.client.clone(), |_| {});
        let classes: Api<StorageClass> = Api::all(observed.client.clone());
        let in_json: kube::Api<StorageClass> = kube::Api::all(server.client.clone());
        for index in 0..5 {
            let class = class(&format!("pb-page-{index}")).with_label("page", "yes");
            classes
                .create(&PostParams::default(), &class)
                .await
                .unwrap();
        }
        let mut params = ListParams::default().labels("page=yes").limit(2);
        let mut sizes = Vec::new();
        loop {
            let page = classes.list(&params).await.unwrap();
            let expected = in_json.list(&params).await.unwrap();
            assert_eq!(page.items, expected.items);
            assert_eq!(page.types, expected.types);
            let remaining = page.metadata.remaining_item_count;
            assert_eq!(remaining, expected.metadata.remaining_item_count);
            sizes.push(page.items.len());
            match page.metadata.continue_ {
                Some(token) if !token.is_empty() => params = params.continue_token(&token),
                _ => break,
            }
        }
        assert_eq!(sizes, [2, 2, 1]);
        observed.assert_protobuf();
    });
}

/// The next events, in full.
async fn next(
    events: &mut (impl Stream<Item = watcher::Result<Event<StorageClass>>> + Unpin),
    count: usize,
) -> Vec<String> {
    let events = events.take(count).map(|event| format!("{event:?}"));
    events.collect().await
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn events_are_those_of_json() {
    run(async |server| {
        let observed = Observed::new(server.client.clone(), |_| {});
        let classes: Api<StorageClass> = Api::all(observed.client.clone());
        let config = Config::default().labels("watched=yes");
        for (name, config) in [
            ("pb-list", config.clone().page_size(1)),
            ("pb-stream", config.streaming_lists()),
        ] {
            let params = PostParams::default();
            let make =
                |suffix: &str| class(&format!("{name}-{suffix}")).with_label("watched", "yes");
            let a = classes.create(&params, &make("a")).await.unwrap();
            classes.create(&params, &make("b")).await.unwrap();
            let in_json = kube::runtime::watcher(classes.as_kube().clone(), config.clone());
            let mut in_json = in_json.boxed();
            let mut events = kubernetes_protobuf::watcher(classes.clone(), config).boxed();
            let initial = next(&mut events, 4).await;
            assert!(initial[0].contains("Init") && initial[3].contains("InitDone"));
            assert_eq!(initial, next(&mut in_json, 4).await);

            let a = a.with_label("changed", "yes");
            classes
                .replace(&format!("{name}-a"), &params, &a)
                .await
                .unwrap();
            classes.create(&params, &make("c")).await.unwrap();
            for suffix in ["a", "b", "c"] {
                let name = format!("{name}-{suffix}");
                classes
                    .delete(&name, &DeleteParams::default())
                    .await
                    .unwrap();
            }
            let later = next(&mut events, 5).await;
            assert!(later[4].contains("Delete"), "{later:?}");
            assert_eq!(later, next(&mut in_json, 5).await);
        }
    });
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn compacted_versions_are_errors_and_the_watcher_begins_anew() {
    // The cache of watches would have older versions than etcd.
    let server = ControlPlane::builder()
        .apiserver_flag("--etcd-compaction-interval=1s")
        .apiserver_flag("--watch-cache-sizes=storageclasses.storage.k8s.io#0")
        .start()
        .await
        .unwrap();
    let old = Arc::new(Mutex::new(String::new()));
    let version = old.clone();
    // Watches that continue a list begin at the old version, if there is one.
    let observed = Observed::new(server.client().unwrap(), move |request| {
        let uri = request.uri().to_string();
        let version = version.lock().unwrap();
        if let Some((before, _)) = uri.split_once("&resourceVersion=")
            && !version.is_empty()
        {
            let uri: Uri = format!("{before}&resourceVersion={version}")
                .parse()
                .unwrap();
            *request.uri_mut() = uri;
        }
    });
    let classes: Api<StorageClass> = Api::all(observed.client.clone());
    let params = PostParams::default();
    for name in ["a", "b"] {
        classes.create(&params, &class(name)).await.unwrap();
    }
    let page = classes.list(&ListParams::default().limit(1)).await.unwrap();
    let rest = page.metadata.continue_.as_deref().unwrap();
    let rest = ListParams::default().limit(1).continue_token(rest);
    let first = page.items[0].metadata.resource_version.clone().unwrap();
    let mut rounds = 0..60;
    let error = loop {
        let round = rounds.next().expect("the versions expire");
        let class = class(&format!("c{round}"));
        classes.create(&params, &class).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        if let Err(error) = classes.list(&rest).await {
            break error;
        }
    };
    let expired = status(Err::<(), _>(error));
    assert_eq!((expired.code, expired.reason.as_str()), (410, "Expired"));

    let events = classes.watch(&WatchParams::default(), &first).await;
    let events: Vec<_> = events.unwrap().take(1).collect().await;
    let [Ok(WatchEvent::Error(expired))] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!((expired.code, expired.reason.as_str()), (410, "Expired"));

    old.lock().unwrap().clone_from(&first);
    let config = Config::default().labels("none=here");
    let mut events = kubernetes_protobuf::watcher(classes.clone(), config).boxed();
    let events = next(&mut events, 5).await;
    assert_eq!(events[..2], ["Ok(Init)", "Ok(InitDone)"]);
    assert!(events[2].contains("WatchError"), "{events:?}");
    assert_eq!(events[3..], ["Ok(Init)", "Ok(InitDone)"]);
    observed.assert_protobuf();
}
