//! Watches: one JSON event a line, until the client leaves or its time is up.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::answer::Refusal;
use super::store::{Store, Target};
use super::{Shared, lock};

/// How long a watch without `timeoutSeconds` lasts; a real server takes 30 to 60 minutes.
const TIMEOUT: u64 = 1800;

/// Starts a watch; its events are the body of the answer.
pub(super) fn start(
    shared: &Arc<Shared>,
    target: &Target,
    query: &BTreeMap<String, String>,
) -> Result<Body, Refusal> {
    let number = |name: &str| match query.get(name).map(|value| value.parse::<u64>()) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(_)) => Err(Refusal::bad_request(format!("{name} is not a number"))),
    };
    let flag = |name: &str| query.get(name).is_some_and(|value| value == "true");
    // A version of zero, or none, means: whatever there is now, and then the changes.
    let since = number("resourceVersion")?.filter(|version| *version > 0);
    let timeout = number("timeoutSeconds")?.unwrap_or(TIMEOUT);
    let bookmarks = flag("allowWatchBookmarks");
    let initial = flag("sendInitialEvents");

    let store = lock(&shared.store);
    let version = store.version();
    let mut first = VecDeque::new();
    let since = match since.filter(|_| !initial) {
        Some(since) => since,
        None => {
            let objects = store.list(target).into_iter();
            first.extend(
                objects.map(|object| json!({"type": "ADDED", "object": object})),
            );
            version
        }
    };
    if bookmarks && (first.is_empty() || initial) {
        first.push_back(bookmark(target, version.min(since), initial));
    }
    let (sender, receiver) = mpsc::channel(16);
    let events = Events {
        shared: Arc::clone(shared),
        target: target.clone(),
        since,
        changed: store.subscribe(),
    };
    let end = Instant::now() + Duration::from_secs(timeout);
    tokio::spawn(async move {
        // Both the end of the time and the departure of the client just end the body.
        let _ = tokio::time::timeout_at(end, events.send(first, sender)).await;
    });
    Ok(Body::from_stream(ReceiverStream::new(receiver).map(Ok::<_, Infallible>)))
}

struct Events {
    shared: Arc<Shared>,
    target: Target,
    since: u64,
    changed: watch::Receiver<u64>,
}

impl Events {
    async fn send(mut self, mut ready: VecDeque<Value>, sender: mpsc::Sender<String>) {
        loop {
            while let Some(event) = ready.pop_front() {
                if sender.send(format!("{event}\n")).await.is_err() {
                    return;
                }
            }
            self.collect(&lock(&Arc::clone(&self.shared).store), &mut ready);
            if ready.is_empty() {
                tokio::select! {
                    () = sender.closed() => return,
                    changed = self.changed.changed() => if changed.is_err() { return },
                }
            }
        }
    }

    fn collect(&mut self, store: &Store, ready: &mut VecDeque<Value>) {
        ready.extend(store.since(&self.target, self.since));
        self.since = store.version().max(self.since);
    }
}

/// A bookmark is an object of the watched kind with nothing but its version, and, as Go
/// writes it, a time that is null.
fn bookmark(target: &Target, version: u64, ends_initial_events: bool) -> Value {
    let mut bookmark = json!({
        "type": "BOOKMARK",
        "object": {
            "kind": target.resource.kind,
            "apiVersion": target.resource.api_version,
            "metadata": {
                "resourceVersion": version.to_string(),
                "creationTimestamp": null,
            },
        },
    });
    if ends_initial_events {
        bookmark["object"]["metadata"]["annotations"] =
            json!({"k8s.io/initial-events-end": "true"});
    }
    bookmark
}
