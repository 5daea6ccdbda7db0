//! The objects of one kind and their history.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio::sync::watch;

use crate::ResourceType;

/// Namespace and name.
pub(crate) type Key = (String, String);

/// An object as it is stored. Its text is made once, for all lists and watches.
#[derive(Debug)]
pub(crate) struct Stored {
    value: Value,
    item: OnceLock<String>,
}

impl Stored {
    pub(crate) fn new(value: Value) -> Arc<Self> {
        Arc::new(Self {
            value,
            item: OnceLock::new(),
        })
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The JSON without `apiVersion` and `kind`: Go's typed lists omit them, since the list has
    /// the kind of its items.
    pub(crate) fn item(&self) -> &str {
        self.item
            .get_or_init(|| serde_json::to_string(&Item(&self.value)).unwrap_or_default())
    }

    /// Appends the whole object as JSON. The fields of an item are not empty, since each
    /// object has metadata.
    pub(crate) fn write(&self, resource: &ResourceType, text: &mut String) {
        let fields = self.item().strip_prefix('{').unwrap_or_default();
        for part in [
            "{\"apiVersion\":\"",
            resource.api_version,
            "\",\"kind\":\"",
            resource.kind,
            "\",",
            fields,
        ] {
            text.push_str(part);
        }
    }
}

struct Item<'a>(&'a Value);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.0.as_object().into_iter().flatten();
        serializer
            .collect_map(fields.filter(|(field, _)| *field != "apiVersion" && *field != "kind"))
    }
}

/// One write, with the object before and after it.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) version: u64,
    pub(crate) key: Key,
    pub(crate) old: Option<Arc<Stored>>,
    /// The object with its new version; if it was deleted, as it was last.
    pub(crate) object: Arc<Stored>,
    pub(crate) deleted: bool,
}

/// The objects of one kind.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) resource: ResourceType,
    objects: BTreeMap<Key, Arc<Stored>>,
    /// The changes in the order of their versions.
    changes: VecDeque<Change>,
    /// The most changes that are kept.
    limit: usize,
    /// The oldest version whose objects are known.
    floor: u64,
    /// The version of the newest change that is no longer kept.
    lost: u64,
    changed: watch::Sender<u64>,
}

impl Collection {
    pub(crate) fn new(resource: ResourceType, version: u64, limit: usize) -> Self {
        Self {
            resource,
            objects: BTreeMap::new(),
            changes: VecDeque::new(),
            limit,
            floor: version,
            lost: version,
            changed: watch::Sender::new(version),
        }
    }

    pub(crate) fn objects(&self) -> &BTreeMap<Key, Arc<Stored>> {
        &self.objects
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Arc<Stored>> {
        self.objects.get(key)
    }

    /// The oldest version from which a list or watch may start.
    pub(crate) fn floor(&self) -> u64 {
        self.floor
    }

    /// Returns true if a watch that has got all changes up to `version` has missed one.
    pub(crate) fn has_lost(&self, version: u64) -> bool {
        self.lost > version
    }

    /// Notifies of the versions of changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The changes after `version`.
    pub(crate) fn since(&self, version: u64) -> impl DoubleEndedIterator<Item = &Change> {
        let first = self
            .changes
            .partition_point(|change| change.version <= version);
        self.changes.range(first..)
    }

    /// The objects as they were at `version`, or `None` if that is no longer known.
    pub(crate) fn at(&self, version: u64) -> Option<Cow<'_, BTreeMap<Key, Arc<Stored>>>> {
        if version < self.floor {
            return None;
        }
        if self.since(version).next().is_none() {
            return Some(Cow::Borrowed(&self.objects));
        }
        let mut objects = self.objects.clone();
        for change in self.since(version).rev() {
            match &change.old {
                Some(old) => objects.insert(change.key.clone(), Arc::clone(old)),
                None => objects.remove(&change.key),
            };
        }
        Some(Cow::Owned(objects))
    }

    /// Stores an object, and notifies watches.
    pub(crate) fn put(&mut self, version: u64, key: Key, object: Arc<Stored>) {
        let old = self.objects.insert(key.clone(), Arc::clone(&object));
        self.record(Change {
            version,
            key,
            old,
            object,
            deleted: false,
        });
    }

    /// Removes an object, which is given as it was last, and notifies watches.
    pub(crate) fn remove(&mut self, version: u64, key: Key, object: Arc<Stored>) {
        let old = self.objects.remove(&key);
        self.record(Change {
            version,
            key,
            old,
            object,
            deleted: true,
        });
    }

    /// Sets how many changes are kept.
    pub(crate) fn keep(&mut self, limit: usize) {
        self.limit = limit;
        self.trim();
    }

    /// Forgets all changes, as of `version`.
    pub(crate) fn compact(&mut self, version: u64) {
        if let Some(last) = self.changes.back() {
            self.lost = last.version;
        }
        self.changes.clear();
        self.floor = version;
    }

    fn record(&mut self, change: Change) {
        let version = change.version;
        self.changes.push_back(change);
        self.trim();
        self.changed.send_replace(version);
    }

    fn trim(&mut self) {
        while self.changes.len() > self.limit
            && let Some(change) = self.changes.pop_front()
        {
            self.lost = change.version;
            self.floor = change.version;
        }
    }
}
