//! Reading and writing objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::ResourceType;
use crate::collection::{Collection, Stored};
use crate::metadata;
use crate::refusal::Refusal;
use crate::target::Target;

/// The most changes of each kind that are kept unless a test says otherwise.
const HISTORY: usize = 100_000;

/// Every server makes the same names and UIDs in the same order.
const SEED: u64 = 1;

/// A change of an object in the form in which it was sent.
#[derive(Debug)]
pub(crate) enum Patch {
    Merge(Value),
    Json(json_patch::Patch),
    Apply(Value),
}

#[derive(Debug)]
pub(crate) struct Store {
    collections: Vec<Collection>,
    /// The version of the last write.
    version: u64,
    random: Rng,
}

impl Store {
    pub(crate) fn new(resources: Vec<ResourceType>) -> Self {
        let version = 1;
        let collections = resources.into_iter();
        Self {
            collections: collections
                .map(|resource| Collection::new(resource, version, HISTORY))
                .collect(),
            version,
            random: Rng::with_seed(SEED),
        }
    }

    /// Parses a path.
    pub(crate) fn resolve(&self, path: &str) -> Result<Target, Refusal> {
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (api_version, rest) = match segments.as_slice() {
            ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
            ["api", version, rest @ ..] => ((*version).to_owned(), rest),
            _ => return Err(Refusal::no_such_path()),
        };
        // A namespace is followed by a kind, or by `status`.
        let (namespace, rest) = match rest {
            ["namespaces", _, "status"] => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            rest => (None, rest),
        };
        let (plural, name, status) = match rest {
            [plural] => (plural, None, false),
            [plural, name] => (plural, Some(*name), false),
            [plural, name, "status"] => (plural, Some(*name), true),
            _ => return Err(Refusal::no_such_path()),
        };
        self.target((&api_version, plural), namespace, name, status)
    }

    /// The same for a path in parts: the version of the API and the plural of the kind,
    /// namespace, name, and whether the status is meant.
    pub(crate) fn target(
        &self,
        (api_version, plural): (&str, &str),
        namespace: Option<&str>,
        name: Option<&str>,
        status: bool,
    ) -> Result<Target, Refusal> {
        let known = self.collections.iter().enumerate().find(|(_, known)| {
            known.resource.api_version == api_version && known.resource.plural == plural
        });
        let (index, collection) = known.ok_or_else(Refusal::no_such_path)?;
        let resource = collection.resource;
        // Objects of namespaced kinds are only found in their namespaces; of others, never.
        let namespace_fits =
            resource.namespaced == namespace.is_some() || (name.is_none() && resource.namespaced);
        if !namespace_fits || (status && !resource.status) {
            return Err(Refusal::no_such_path());
        }
        Ok(Target {
            resource,
            index,
            namespace: namespace.map(str::to_owned),
            name: name.map(str::to_owned),
            status,
        })
    }

    pub(crate) fn collection(&self, target: &Target) -> Result<&Collection, Refusal> {
        self.collections
            .get(target.index)
            .ok_or_else(Refusal::no_such_path)
    }

    pub(crate) fn get(&self, target: &Target) -> Result<Arc<Stored>, Refusal> {
        let name = target.name();
        let found = self.collection(target)?.get(&target.key(name));
        found
            .cloned()
            .ok_or_else(|| Refusal::not_found(target, name))
    }

    /// All objects of a collection, in the order of their namespaces and names.
    pub(crate) fn all(&self, target: &Target) -> Result<Vec<Arc<Stored>>, Refusal> {
        let objects = self.collection(target)?.objects().iter();
        let covered = objects.filter(|(key, _)| target.covers(key));
        Ok(covered.map(|(_, object)| Arc::clone(object)).collect())
    }

    /// The resource version of the whole store.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Forgets the history of all kinds.
    pub(crate) fn compact(&mut self) {
        for collection in &mut self.collections {
            collection.compact(self.version);
        }
    }

    /// Sets how many changes of each kind are kept.
    pub(crate) fn keep(&mut self, limit: usize) {
        for collection in &mut self.collections {
            collection.keep(limit);
        }
    }

    pub(crate) fn create(
        &mut self,
        target: &Target,
        mut object: Value,
    ) -> Result<Arc<Stored>, Refusal> {
        if target.name.is_some() || target.resource.namespaced != target.namespace.is_some() {
            return Err(Refusal::method_not_allowed());
        }
        check_kind(target, &object)?;
        if target.resource.drops_status() {
            remove(&mut object, "status");
        }
        let name = metadata::complete(target, &mut object, &mut self.random)?;
        if self.collection(target)?.get(&target.key(&name)).is_some() {
            return Err(Refusal::already_exists(target, &name));
        }
        self.put(&target.named(&name), object)
    }

    /// Replaces an object, or its status.
    pub(crate) fn replace(&mut self, target: &Target, sent: Value) -> Result<Arc<Stored>, Refusal> {
        check_kind(target, &sent)?;
        let old = self.get(target)?;
        check_names(target, &sent)?;
        let (uid, found) = (
            metadata::text(&sent, "uid"),
            metadata::text(old.value(), "uid"),
        );
        if !uid.is_empty() && uid != found {
            let why = format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {found}"
            );
            return Err(Refusal::conflict(target, target.name(), &why));
        }
        if metadata::version(&sent).is_none() && target.resource.needs_version() {
            let fault = "Invalid value: 0: must be specified for an update";
            let fault = ("metadata.resourceVersion", fault);
            let reason = "FieldValueInvalid";
            return Err(Refusal::invalid(target, target.name(), reason, fault));
        }
        self.update(target, &old, sent)
    }

    pub(crate) fn patch(&mut self, target: &Target, patch: Patch) -> Result<Arc<Stored>, Refusal> {
        if let Patch::Apply(object) = patch {
            return self.apply(target, object);
        }
        let old = self.get(target)?;
        let mut new = old.value().clone();
        match patch {
            Patch::Merge(patch) | Patch::Apply(patch) => {
                json_patch::merge(&mut new, &patch);
            }
            Patch::Json(patch) => {
                json_patch::patch(&mut new, &patch).map_err(|error| {
                    Refusal::new(422, "Invalid", format!("the patch fails: {error}"))
                })?;
            }
        }
        check_kind(target, &new)?;
        check_names(target, &new)?;
        let uid = metadata::text(&new, "uid");
        if uid != metadata::text(old.value(), "uid") {
            let fault = format!("Invalid value: \"{uid}\": field is immutable");
            let fault = ("metadata.uid", fault.as_str());
            let reason = "FieldValueInvalid";
            return Err(Refusal::invalid(target, target.name(), reason, fault));
        }
        self.update(target, &old, new)
    }

    /// Applies an object: creates it if it is absent, and sets the fields that are sent.
    fn apply(&mut self, target: &Target, object: Value) -> Result<Arc<Stored>, Refusal> {
        check_kind(target, &object)?;
        if object.pointer("/metadata/managedFields").is_some() {
            return Err(Refusal::bad_request("metadata.managedFields must be nil"));
        }
        check_names(target, &object)?;
        if target.status || self.get(target).is_ok() {
            return self.patch(target, Patch::Merge(object));
        }
        let uid = metadata::text(&object, "uid");
        if !uid.is_empty() {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing \
                 object was found"
            );
            return Err(Refusal::conflict(target, target.name(), &why));
        }
        self.create(&target.collection(), object)
    }

    /// Deletes an object, or begins to, if it has finalizers.
    pub(crate) fn delete(
        &mut self,
        target: &Target,
        options: Option<&Value>,
    ) -> Result<Arc<Stored>, Refusal> {
        let old = self.get(target)?;
        check_preconditions(target, old.value(), options)?;
        if metadata::finalizers(old.value()).next().is_none() {
            return self.remove(target, &old);
        }
        if metadata::is_deleting(old.value()) {
            return Ok(old);
        }
        let mut object = old.value().clone();
        metadata::mark_deleted(&mut object)?;
        self.put(target, object)
    }

    /// Changes an object as a controller of the server may, its status included.
    pub(crate) fn modify(
        &mut self,
        target: &Target,
        change: impl FnOnce(&mut Value),
    ) -> Result<Arc<Stored>, Refusal> {
        let old = self.get(target)?;
        let mut object = old.value().clone();
        change(&mut object);
        self.settle(target, &old, object)
    }

    /// Stores the part of `sent` that this path is for, if it is based on what is there.
    fn update(
        &mut self,
        target: &Target,
        old: &Arc<Stored>,
        sent: Value,
    ) -> Result<Arc<Stored>, Refusal> {
        let base = metadata::version(&sent);
        if base.is_some() && base != metadata::version(old.value()) {
            return Err(Refusal::stale(target, target.name()));
        }
        let new = if target.status {
            // Only the status is taken from a write to the subresource; kinds of the core
            // group also take the metadata…
            let mut new = old.value().clone();
            copy(&sent, &mut new, "status");
            if target.resource.group().is_empty() {
                copy(&sent, &mut new, "metadata");
            }
            new
        } else {
            let mut new = sent;
            if target.resource.status {
                // …and anything but the status from a write to the object.
                copy(old.value(), &mut new, "status");
            }
            new
        };
        self.settle(target, old, new)
    }

    fn settle(
        &mut self,
        target: &Target,
        old: &Arc<Stored>,
        mut new: Value,
    ) -> Result<Arc<Stored>, Refusal> {
        metadata::carry_over(target, old.value(), &mut new)?;
        if new == *old.value() {
            return Ok(Arc::clone(old));
        }
        let finished = metadata::finalizers(&new).next().is_none();
        if metadata::is_deleting(&new) && finished {
            // The last finalizer is gone. As on a real server, watches get the object as it
            // was before, and the client gets what it sent.
            self.remove(target, old)?;
            return Ok(Stored::new(new));
        }
        self.put(target, new)
    }

    fn put(&mut self, target: &Target, mut object: Value) -> Result<Arc<Stored>, Refusal> {
        let version = self.version + 1;
        metadata::set_version(&mut object, version)?;
        let object = Stored::new(object);
        let key = target.key(target.name());
        self.collection_mut(target)?
            .put(version, key, Arc::clone(&object));
        self.version = version;
        Ok(object)
    }

    fn remove(&mut self, target: &Target, old: &Stored) -> Result<Arc<Stored>, Refusal> {
        let version = self.version + 1;
        let mut last = old.value().clone();
        metadata::set_version(&mut last, version)?;
        let last = Stored::new(last);
        let key = target.key(target.name());
        self.collection_mut(target)?
            .remove(version, key, Arc::clone(&last));
        self.version = version;
        Ok(last)
    }

    fn collection_mut(&mut self, target: &Target) -> Result<&mut Collection, Refusal> {
        self.collections
            .get_mut(target.index)
            .ok_or_else(Refusal::no_such_path)
    }
}

/// A real server demands both of some kinds, and clients that leave them out fail there.
fn check_kind(target: &Target, object: &Value) -> Result<(), Refusal> {
    for (field, expected) in [
        ("apiVersion", target.resource.api_version),
        ("kind", target.resource.kind),
    ] {
        if object.get(field).and_then(Value::as_str) != Some(expected) {
            return Err(Refusal::bad_request(format!("{field} is not {expected}")));
        }
    }
    Ok(())
}

/// The object that was sent is the one of the path.
fn check_names(target: &Target, object: &Value) -> Result<(), Refusal> {
    let name = metadata::text(object, "name");
    if name != target.name() {
        return Err(Refusal::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            target.name()
        )));
    }
    let namespace = metadata::text(object, "namespace");
    let expected = target.namespace.as_deref().unwrap_or(namespace);
    if !namespace.is_empty() && namespace != expected {
        return Err(Refusal::bad_request(format!(
            "the namespace of the object ({namespace}) does not match the namespace on the \
             URL ({expected})"
        )));
    }
    Ok(())
}

fn check_preconditions(
    target: &Target,
    object: &Value,
    options: Option<&Value>,
) -> Result<(), Refusal> {
    let wanted: BTreeMap<&str, &str> = options
        .and_then(|options| options.get("preconditions"))
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(field, value)| Some((field.as_str(), value.as_str()?)))
        .collect();
    let found = metadata::text(object, "uid");
    if let Some(uid) = wanted.get("uid").filter(|uid| **uid != found) {
        let why = format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({found}). \
             The object might have been deleted and then recreated"
        );
        return Err(Refusal::conflict(target, target.name(), &why));
    }
    let found = metadata::text(object, "resourceVersion");
    if let Some(version) = wanted.get("resourceVersion").filter(|one| **one != found) {
        let why = format!(
            "the ResourceVersion in the precondition ({version}) does not match the \
             ResourceVersion in record ({found}). The object might have been modified"
        );
        return Err(Refusal::conflict(target, target.name(), &why));
    }
    Ok(())
}

/// The answer to a DELETE, for kinds that don't return the object.
pub(crate) fn deleted(target: &Target, object: &Value) -> Value {
    let mut details = json!({
        "name": target.name(),
        "kind": target.resource.plural,
        "uid": metadata::text(object, "uid"),
    });
    if !target.resource.group().is_empty() {
        details["group"] = target.resource.group().into();
    }
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    })
}

fn remove(object: &mut Value, field: &str) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove(field);
    }
}

/// Copies `field` from `from` to `to`, or removes it.
fn copy(from: &Value, to: &mut Value, field: &str) {
    match (from.get(field), to.as_object_mut()) {
        (Some(value), Some(fields)) => {
            fields.insert(field.to_owned(), value.clone());
        }
        _ => remove(to, field),
    }
}
