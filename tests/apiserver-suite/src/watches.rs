//! Watches.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::pin::Pin;

use futures::{Stream, StreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use kube::api::{
    DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use serde_json::json;

use crate::{create_all, holder, labelled, leases, version};

type Events = Pin<Box<dyn Stream<Item = Result<WatchEvent<Lease>, kube::Error>> + Send>>;

/// The next event that isn't a bookmark: its type, and the name and version of the object.
async fn next(events: &mut Events) -> Option<(&'static str, String, String)> {
    loop {
        let event = events.next().await?.unwrap();
        let (kind, lease) = match event {
            WatchEvent::Added(lease) => ("ADDED", lease),
            WatchEvent::Modified(lease) => ("MODIFIED", lease),
            WatchEvent::Deleted(lease) => ("DELETED", lease),
            WatchEvent::Bookmark(_) => continue,
            WatchEvent::Error(status) => panic!("{status:?}"),
        };
        let version = version(&lease).to_owned();
        return Some((kind, lease.metadata.name.unwrap(), version));
    }
}

#[track_caller]
fn assert_event<T: Debug>(event: Option<(&'static str, String, T)>, kind: &str, name: &str) {
    let found = event.map(|(kind, name, _)| (kind, name));
    assert_eq!(
        found.as_ref().map(|(k, n)| (*k, n.as_str())),
        Some((kind, name))
    );
}

/// Changes come in order, from the version on that the client names.
pub async fn changes(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let created = create_all(&api, &["a", "b"]).await;
    let params = WatchParams::default().timeout(60);
    let mut events: Events = Box::pin(api.watch(&params, version(&created[0])).await.unwrap());
    // History first…
    let expected = ("ADDED", "b".to_owned(), version(&created[1]).to_owned());
    assert_eq!(next(&mut events).await, Some(expected));
    // …and then what happens.
    let patch = Patch::Merge(holder("me"));
    let patched = api
        .patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    let expected = ("MODIFIED", "a".to_owned(), version(&patched).to_owned());
    assert_eq!(next(&mut events).await, Some(expected));
    api.delete("b", &DeleteParams::default()).await.unwrap();
    let (kind, name, at) = next(&mut events).await.unwrap();
    assert_eq!((kind, name.as_str()), ("DELETED", "b"));
    let now = api.list(&ListParams::default()).await.unwrap();
    let now: u64 = now.metadata.resource_version.unwrap().parse().unwrap();
    assert!(at.parse::<u64>().unwrap() <= now);
    assert!(at.parse::<u64>().unwrap() > version(&patched).parse().unwrap());
}

/// A deletion with finalizers is a modification, until the last one is gone.
pub async fn finalizers(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let mut guarded = labelled("guarded", &[]);
    guarded.metadata.finalizers = Some(vec!["example.com/one".to_owned()]);
    let created = api.create(&PostParams::default(), &guarded).await.unwrap();
    let params = WatchParams::default().timeout(60);
    let mut events: Events = Box::pin(api.watch(&params, version(&created)).await.unwrap());
    api.delete("guarded", &DeleteParams::default())
        .await
        .unwrap();
    assert_event(next(&mut events).await, "MODIFIED", "guarded");
    let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api.patch("guarded", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_event(next(&mut events).await, "DELETED", "guarded");
}

/// Objects are added and deleted as they begin and cease to match.
pub async fn selectors(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let other = labelled("other", &[("color", "blue")]);
    let other = api.create(&PostParams::default(), &other).await.unwrap();
    let params = WatchParams::default()
        .timeout(60)
        .labels("color in (red,green)");
    let mut events: Events = Box::pin(api.watch(&params, version(&other)).await.unwrap());
    let paint = async |name: &str, color: &str| {
        let patch = Patch::Merge(json!({"metadata": {"labels": {"color": color}}}));
        api.patch(name, &PatchParams::default(), &patch)
            .await
            .unwrap()
    };
    create_all(&api, &["one"]).await;
    paint("one", "red").await;
    assert_event(next(&mut events).await, "ADDED", "one");
    paint("one", "green").await;
    assert_event(next(&mut events).await, "MODIFIED", "one");
    let left = paint("one", "blue").await;
    let expected = ("DELETED", "one".to_owned(), version(&left).to_owned());
    assert_eq!(next(&mut events).await, Some(expected));
    api.delete("one", &DeleteParams::default()).await.unwrap();
    paint("other", "red").await;
    assert_event(next(&mut events).await, "ADDED", "other");
    api.delete("other", &DeleteParams::default()).await.unwrap();
    assert_event(next(&mut events).await, "DELETED", "other");
}

/// A watch without a version, or at any version, begins with the current objects.
pub async fn initial_state(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    create_all(&api, &["a", "b"]).await;
    for at in ["", "0"] {
        let params = WatchParams::default().timeout(60).fields("metadata.name=b");
        let mut events: Events = Box::pin(api.watch(&params, at).await.unwrap());
        assert_event(next(&mut events).await, "ADDED", "b");
        let patch = Patch::Merge(holder(&format!("at-{at}")));
        api.patch("b", &PatchParams::default(), &patch)
            .await
            .unwrap();
        assert_event(next(&mut events).await, "MODIFIED", "b");
    }
}

/// A list as a stream ends with a bookmark that says so.
pub async fn streaming_list(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let created = create_all(&api, &["a", "b", "c"]).await;
    let params = WatchParams::default().timeout(60).initial_events();
    let mut events: Events = Box::pin(api.watch(&params, "").await.unwrap());
    let mut found = BTreeSet::new();
    let ended_at = loop {
        match events.next().await.unwrap().unwrap() {
            WatchEvent::Added(lease) => {
                found.insert(lease.metadata.name.unwrap());
            }
            WatchEvent::Bookmark(bookmark) => {
                let annotations = &bookmark.metadata.annotations;
                if annotations
                    .get("k8s.io/initial-events-end")
                    .is_some_and(|e| e == "true")
                {
                    break bookmark.metadata.resource_version;
                }
            }
            event => panic!("{event:?}"),
        }
    };
    assert_eq!(found, ["a", "b", "c"].map(str::to_owned).into());
    let newest: u64 = version(&created[2]).parse().unwrap();
    assert!(ended_at.parse::<u64>().unwrap() >= newest);
    create_all(&api, &["d"]).await;
    assert_event(next(&mut events).await, "ADDED", "d");
}

/// The client says how long a watch lasts.
pub async fn timeouts(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let created = create_all(&api, &["a"]).await;
    let params = WatchParams::default().timeout(1);
    let mut events: Events = Box::pin(api.watch(&params, version(&created[0])).await.unwrap());
    assert_eq!(next(&mut events).await, None);
}
