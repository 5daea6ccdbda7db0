//! Watches: one JSON event a line, until the client leaves or its time is up.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures::stream;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::collection::{Change, Collection, Stored};
use crate::metadata;
use crate::query::Query;
use crate::refusal::Refusal;
use crate::selector::Selector;
use crate::shared::Shared;
use crate::target::Target;

/// The seconds that a watch without `timeoutSeconds` lasts; a real server takes 30 to 60 minutes.
const TIMEOUT: u64 = 1800;

/// The time between two bookmarks.
const BOOKMARKS: Duration = Duration::from_secs(60);

/// The most events that are sent at once.
const BATCH: usize = 256;

/// Starts a watch; its events are the body of the answer.
pub(crate) fn start(shared: &Arc<Shared>, target: Target, query: &Query) -> Result<Body, Refusal> {
    let selector = query.selector()?;
    let wanted = query.get("sendInitialEvents");
    match (wanted.is_some(), query.get("resourceVersionMatch")) {
        (true, Some("NotOlderThan")) | (false, None) => {}
        (true, _) => {
            let fault = "resourceVersionMatch: Forbidden: sendInitialEvents requires setting \
                         resourceVersionMatch to NotOlderThan";
            return Err(Refusal::invalid_options("ListOptions", fault));
        }
        (false, Some(_)) => {
            let fault = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden \
                         for watch unless sendInitialEvents is provided";
            return Err(Refusal::invalid_options("ListOptions", fault));
        }
    }
    // A version of zero, or none, means the current objects and the changes after them.
    let version = query
        .number::<u64>("resourceVersion")?
        .filter(|version| *version > 0);
    let timeout = query
        .number::<u64>("timeoutSeconds")?
        .filter(|seconds| *seconds > 0);
    let streams_list = query.is_true("sendInitialEvents");
    let sends_objects = streams_list || (wanted.is_none() && version.is_none());

    let store = shared.store.lock();
    let collection = store.collection(&target)?;
    let mut initial = if sends_objects {
        store.all(&target)?
    } else {
        Vec::new()
    };
    initial.retain(|object| selector.matches(object.value()));
    let since = version
        .filter(|_| !sends_objects)
        .unwrap_or(store.version());
    let expired = (since < collection.floor()).then(|| collection.floor());
    let bookmarks = query.is_true("allowWatchBookmarks");
    let now = Instant::now();
    let events = Events {
        shared: Arc::clone(shared),
        changed: collection.subscribe(),
        first: bookmarks && (initial.is_empty() || streams_list),
        ends_initial: streams_list,
        initial: initial.into_iter(),
        target,
        selector,
        since,
        bookmarks,
        expired,
        next_bookmark: now + BOOKMARKS,
        end: now + Duration::from_secs(timeout.unwrap_or(TIMEOUT)),
        over: false,
    };
    let events = stream::unfold(events, |mut events| async move {
        let text = events.next().await?;
        Some((Ok::<_, Infallible>(text), events))
    });
    Ok(Body::from_stream(events))
}

struct Events {
    shared: Arc<Shared>,
    target: Target,
    selector: Selector,
    changed: watch::Receiver<u64>,
    /// The objects that are sent before any change.
    initial: std::vec::IntoIter<Arc<Stored>>,
    /// Set if a bookmark follows them.
    first: bool,
    /// Set if that bookmark marks the end of the initial events.
    ends_initial: bool,
    /// The version up to which all has been sent.
    since: u64,
    bookmarks: bool,
    /// The oldest version that is known, if the watch asks for an older one.
    expired: Option<u64>,
    next_bookmark: Instant,
    end: Instant,
    over: bool,
}

impl Events {
    /// The next events, one a line, or nothing at the end.
    async fn next(&mut self) -> Option<String> {
        loop {
            self.shared.awake().await;
            if self.over {
                return None;
            }
            let text = self.ready();
            if !text.is_empty() {
                return Some(text);
            }
            tokio::select! {
                changed = self.changed.changed() => self.over = changed.is_err(),
                () = tokio::time::sleep_until(self.next_bookmark), if self.bookmarks => {
                    return Some(self.up_to_date());
                }
                () = tokio::time::sleep_until(self.end) => {
                    let last = self.bookmarks.then(|| self.up_to_date());
                    self.over = true;
                    return last;
                }
            }
        }
    }

    /// The changes that are left, and a bookmark.
    fn up_to_date(&mut self) -> String {
        let mut text = String::new();
        self.collect(&mut text);
        if !self.over {
            text.push_str(&self.bookmark(false));
        }
        text
    }

    /// Returns the events that can be sent at once.
    fn ready(&mut self) -> String {
        if let Some(oldest) = self.expired {
            return self.gone(oldest);
        }
        let mut text = String::new();
        for object in self.initial.by_ref().take(BATCH) {
            event("ADDED", &object, &self.target, &mut text);
        }
        if text.is_empty() && std::mem::take(&mut self.first) {
            return self.bookmark(self.ends_initial);
        }
        if text.is_empty() {
            self.collect(&mut text);
        }
        text
    }

    fn collect(&mut self, text: &mut String) {
        let shared = Arc::clone(&self.shared);
        let store = shared.store.lock();
        let Ok(collection) = store.collection(&self.target) else {
            return;
        };
        if collection.has_lost(self.since) {
            *text = self.gone(collection.floor());
            return;
        }
        self.since = self.write_changes(collection, store.version(), text);
    }

    /// Appends a batch of changes, and returns the version up to which all are in.
    fn write_changes(&self, collection: &Collection, version: u64, text: &mut String) -> u64 {
        let mut written = 0;
        for change in collection.since(self.since) {
            if self.target.covers(&change.key) {
                written += usize::from(self.write_change(change, text));
            }
            if written == BATCH {
                return change.version;
            }
        }
        version.max(self.since)
    }

    /// An object that begins or ceases to match the selector is added or deleted.
    fn write_change(&self, change: &Change, text: &mut String) -> bool {
        let matches = |object: &Stored| self.selector.matches(object.value());
        let before = change.old.as_deref().filter(|old| matches(old));
        let after = !change.deleted && matches(&change.object);
        match (before, after) {
            (None, false) => return false,
            (None, true) => event("ADDED", &change.object, &self.target, text),
            (Some(_), true) => event("MODIFIED", &change.object, &self.target, text),
            (Some(_), false) if change.deleted => {
                event("DELETED", &change.object, &self.target, text);
            }
            (Some(old), false) => {
                let mut last = old.value().clone();
                // The metadata of a stored object is always an object.
                let _ = metadata::set_version(&mut last, change.version);
                event("DELETED", &Stored::new(last), &self.target, text);
            }
        }
        true
    }

    /// The last event of a watch from a version that is no longer known.
    fn gone(&mut self, oldest: u64) -> String {
        self.over = true;
        let status = Refusal::too_old(self.since, oldest).into_status();
        format!("{}\n", json!({"type": "ERROR", "object": status}))
    }

    /// A bookmark is an object of the watched kind with nothing but its version, and, as Go
    /// writes it, a time that is null.
    fn bookmark(&mut self, ends_initial: bool) -> String {
        self.next_bookmark = Instant::now() + BOOKMARKS;
        let mut metadata = json!({
            "resourceVersion": self.since.to_string(),
            "creationTimestamp": null,
        });
        if ends_initial {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let object: Value = json!({
            "kind": self.target.resource.kind,
            "apiVersion": self.target.resource.api_version,
            "metadata": metadata,
        });
        format!("{}\n", json!({"type": "BOOKMARK", "object": object}))
    }
}

fn event(name: &str, object: &Stored, target: &Target, text: &mut String) {
    for part in ["{\"type\":\"", name, "\",\"object\":"] {
        text.push_str(part);
    }
    object.write(&target.resource, text);
    text.push_str("}\n");
}
