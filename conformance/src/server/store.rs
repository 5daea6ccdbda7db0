//! The objects and their history.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::ResourceType;
use super::answer::Refusal;

/// What a path means.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) resource: ResourceType,
    /// `None` for cluster-scoped kinds, and for requests across all namespaces.
    pub(super) namespace: Option<String>,
    /// `None` for the collection.
    pub(super) name: Option<String>,
    /// Whether the path ends in `/status`.
    pub(super) status: bool,
}

impl Target {
    fn key(&self, name: &str) -> Key {
        Key {
            api_version: self.resource.api_version,
            plural: self.resource.plural,
            namespace: self.namespace.clone().unwrap_or_default(),
            name: name.to_owned(),
        }
    }

    /// Whether a request for this collection is one for the object at `key`, too.
    fn covers(&self, key: &Key) -> bool {
        key.api_version == self.resource.api_version
            && key.plural == self.resource.plural
            && self
                .namespace
                .as_ref()
                .is_none_or(|namespace| *namespace == key.namespace)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    api_version: &'static str,
    plural: &'static str,
    namespace: String,
    name: String,
}

/// One change, with the object as it was left.
#[derive(Clone, Debug)]
struct Change {
    version: u64,
    event: &'static str,
    key: Key,
    object: Value,
}

#[derive(Debug)]
pub(super) struct Store {
    resources: Vec<ResourceType>,
    objects: BTreeMap<Key, Value>,
    history: Vec<Change>,
    version: watch::Sender<u64>,
}

impl Store {
    pub(super) fn new(resources: Vec<ResourceType>) -> Self {
        Self {
            resources,
            objects: BTreeMap::new(),
            history: Vec::new(),
            version: watch::Sender::new(1),
        }
    }

    /// Finds out what `path` means.
    pub(super) fn resolve(&self, path: &str) -> Result<Target, Refusal> {
        let not_found = || Refusal::not_found(path);
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (api_version, rest) = match segments.as_slice() {
            ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
            ["api", version, rest @ ..] => ((*version).to_owned(), rest),
            _ => return Err(not_found()),
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => {
                (Some((*namespace).to_owned()), rest)
            }
            rest => (None, rest),
        };
        let (plural, name, status) = match rest {
            [plural] => (plural, None, false),
            [plural, name] => (plural, Some((*name).to_owned()), false),
            [plural, name, "status"] => (plural, Some((*name).to_owned()), true),
            _ => return Err(not_found()),
        };
        let resource = self
            .resources
            .iter()
            .find(|known| known.api_version == api_version && known.plural == *plural)
            .ok_or_else(not_found)?
            .clone();
        // Objects of namespaced kinds are only found in their namespaces; of others, never.
        let namespace_fits = resource.namespaced == namespace.is_some()
            || (name.is_none() && resource.namespaced);
        if !namespace_fits || (status && !resource.status) {
            return Err(not_found());
        }
        Ok(Target {
            resource,
            namespace,
            name,
            status,
        })
    }

    pub(super) fn at(&self, path: &str) -> Option<&Value> {
        let target = self.resolve(path).ok()?;
        self.objects.get(&target.key(target.name.as_deref()?))
    }

    pub(super) fn get(&self, target: &Target) -> Result<&Value, Refusal> {
        let name = target.name.as_deref().unwrap_or_default();
        let found = self.objects.get(&target.key(name));
        found.ok_or_else(|| Refusal::not_found(name))
    }

    /// All objects of a collection, in the order of their names.
    pub(super) fn list(&self, target: &Target) -> Vec<&Value> {
        let objects = self.objects.iter().filter(|(key, _)| target.covers(key));
        objects.map(|(_, object)| object).collect()
    }

    /// The resource version of the whole store.
    pub(super) fn version(&self) -> u64 {
        *self.version.borrow()
    }

    /// Notifies of new resource versions.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The events of a collection since `version`.
    pub(super) fn since(
        &self,
        target: &Target,
        version: u64,
    ) -> impl Iterator<Item = Value> {
        self.history
            .iter()
            .filter(move |change| change.version > version && target.covers(&change.key))
            .map(|change| json!({"type": change.event, "object": change.object}))
    }

    pub(super) fn create(
        &mut self,
        target: &Target,
        mut object: Value,
    ) -> Result<Value, Refusal> {
        check(target, &object)?;
        if target.name.is_some()
            || target.resource.namespaced != target.namespace.is_some()
        {
            return Err(Refusal::method_not_allowed("creating"));
        }
        let version = self.version() + 1;
        if target.resource.status {
            remove(&mut object, "status");
        }
        let metadata = metadata(&mut object)?;
        if !metadata.contains_key("name")
            && let Some(prefix) = metadata.get("generateName").and_then(Value::as_str)
        {
            let name = format!("{prefix}{version}");
            metadata.insert("name".to_owned(), name.into());
        }
        let name = match metadata.get("name").and_then(Value::as_str) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => return Err(Refusal::bad_request("name or generateName is required")),
        };
        let key = target.key(&name);
        if self.objects.contains_key(&key) {
            return Err(Refusal::already_exists(&name));
        }
        if let Some(namespace) = &target.namespace {
            metadata.insert("namespace".to_owned(), namespace.clone().into());
        }
        metadata.insert("uid".to_owned(), format!("uid-{version}").into());
        metadata.insert("creationTimestamp".to_owned(), "2024-01-01T00:00:00Z".into());
        self.commit("ADDED", key, object)
    }

    /// Replaces an object, or its status.
    pub(super) fn replace(
        &mut self,
        target: &Target,
        object: Value,
    ) -> Result<Value, Refusal> {
        check(target, &object)?;
        let old = self.get(target)?.clone();
        let name = target.name.clone().unwrap_or_default();
        let version = object.pointer("/metadata/resourceVersion");
        if version.is_some_and(|version| {
            Some(version) != old.pointer("/metadata/resourceVersion")
        }) {
            return Err(Refusal::conflict(&name));
        }
        if object.pointer("/metadata/name").and_then(Value::as_str) != Some(&name) {
            return Err(Refusal::bad_request("the name does not match the path"));
        }
        let mut new = if target.status {
            // Only the status is taken from a write to the subresource…
            let mut new = old.clone();
            copy(&object, &mut new, "status");
            new
        } else {
            let mut new = object;
            if target.resource.status {
                // …and anything but the status from a write to the object.
                copy(&old, &mut new, "status");
            }
            new
        };
        let fixed = metadata(&mut new)?;
        for field in ["uid", "creationTimestamp", "namespace"] {
            if let Some(value) = old.pointer(&format!("/metadata/{field}")) {
                fixed.insert(field.to_owned(), value.clone());
            }
        }
        self.commit("MODIFIED", target.key(&name), new)
    }

    pub(super) fn merge_patch(
        &mut self,
        target: &Target,
        patch: &Value,
    ) -> Result<Value, Refusal> {
        let mut object = self.get(target)?.clone();
        merge(&mut object, patch);
        self.replace(target, object)
    }

    /// Creates what is not there, and sets what is sent.
    pub(super) fn apply(
        &mut self,
        target: &Target,
        object: Value,
    ) -> Result<Value, Refusal> {
        check(target, &object)?;
        if object.pointer("/metadata/managedFields").is_some() {
            return Err(Refusal::bad_request("metadata.managedFields must be nil"));
        }
        let name = object.pointer("/metadata/name").and_then(Value::as_str);
        if name != target.name.as_deref() {
            return Err(Refusal::bad_request("the name does not match the path"));
        }
        if target.status || self.get(target).is_ok() {
            return self.merge_patch(target, &object);
        }
        let collection = Target {
            name: None,
            ..target.clone()
        };
        self.create(&collection, object)
    }

    pub(super) fn delete(&mut self, target: &Target) -> Result<Value, Refusal> {
        let object = self.get(target)?.clone();
        let key = target.key(target.name.as_deref().unwrap_or_default());
        self.objects.remove(&key);
        self.commit("DELETED", key, object)
    }

    /// Sets the object's new version, and notifies watches.
    fn commit(
        &mut self,
        event: &'static str,
        key: Key,
        mut object: Value,
    ) -> Result<Value, Refusal> {
        let version = self.version() + 1;
        let fields = metadata(&mut object)?;
        fields.insert("resourceVersion".to_owned(), version.to_string().into());
        if event != "DELETED" {
            self.objects.insert(key.clone(), object.clone());
        }
        self.history.push(Change {
            version,
            event,
            key,
            object: object.clone(),
        });
        self.version.send_replace(version);
        Ok(object)
    }
}

/// A real server demands both, and clients that leave them out fail there.
fn check(target: &Target, object: &Value) -> Result<(), Refusal> {
    for (field, expected) in
        [("apiVersion", target.resource.api_version), ("kind", target.resource.kind)]
    {
        if object.get(field).and_then(Value::as_str) != Some(expected) {
            return Err(Refusal::bad_request(format!("{field} is not {expected}")));
        }
    }
    Ok(())
}

fn metadata(object: &mut Value) -> Result<&mut Map<String, Value>, Refusal> {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    metadata.ok_or_else(|| Refusal::bad_request("metadata is not an object"))
}

fn remove(object: &mut Value, field: &str) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove(field);
    }
}

/// Makes `field` of `to` what it is in `from`, or removes it.
fn copy(from: &Value, to: &mut Value, field: &str) {
    match (from.get(field), to.as_object_mut()) {
        (Some(value), Some(fields)) => {
            fields.insert(field.to_owned(), value.clone());
        }
        _ => remove(to, field),
    }
}

/// RFC 7386.
fn merge(value: &mut Value, patch: &Value) {
    let Some(changes) = patch.as_object() else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = json!({});
    }
    if let Some(fields) = value.as_object_mut() {
        for (field, change) in changes {
            if change.is_null() {
                fields.remove(field);
            } else {
                merge(fields.entry(field).or_insert(Value::Null), change);
            }
        }
    }
}
