//! A server without protobuf: `kubernetes-test-apiserver`.

use futures::{StreamExt, TryStreamExt};
use kube::api::{DeleteParams, ListParams, PostParams, WatchEvent, WatchParams};
use kube::runtime::watcher::{Config, Event};
use kubernetes_kinds::WithMetadata;
use kubernetes_protobuf::{Api, watcher};
use kubernetes_test_apiserver::Server;
use storage_v1::StorageClass;

use crate::support::class;

#[tokio::test]
async fn all_requests_work() {
    let server = Server::start().await.unwrap();
    let classes: Api<StorageClass> = Api::all(server.client());
    let params = PostParams::default();
    let created = classes.create(&params, &class("a", "")).await.unwrap();
    classes.create(&params, &class("b", "")).await.unwrap();
    let list = classes.list(&ListParams::default().limit(1)).await.unwrap();
    assert_eq!(list.items, std::slice::from_ref(&created));
    let replaced = created.clone().with_label("app", "web");
    classes.replace("a", &params, &replaced).await.unwrap();
    let error = classes.replace("a", &params, &replaced).await.unwrap_err();
    assert!(matches!(error, kube::Error::Api(status) if status.is_conflict()));

    let version = created.metadata.resource_version.unwrap();
    let params = WatchParams {
        bookmarks: false,
        ..WatchParams::default()
    };
    let events = classes.watch(&params, &version).await.unwrap();
    let events: Vec<_> = events.take(2).try_collect().await.unwrap();
    let [WatchEvent::Added(b), WatchEvent::Modified(a)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(b.metadata.name.as_deref(), Some("b"));
    assert!(a.metadata.labels.is_some());
    assert!(classes.delete("a", &DeleteParams::default()).await.is_ok());
}

#[tokio::test]
async fn the_watcher_works() {
    let server = Server::start().await.unwrap();
    server.create(&class("a", "")).unwrap();
    let classes: Api<StorageClass> = Api::all(server.client());
    let mut events = watcher(classes, Config::default()).boxed();
    let mut next = async || events.try_next().await.unwrap().unwrap();
    assert!(matches!(next().await, Event::Init));
    assert!(matches!(next().await, Event::InitApply(_)));
    assert!(matches!(next().await, Event::InitDone));
    server.create(&class("b", "")).unwrap();
    assert!(matches!(next().await, Event::Apply(b) if b.metadata.name.as_deref() == Some("b")));
}
