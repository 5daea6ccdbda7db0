//! The managers of fields: `metadata.managedFields` of a request.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use k8s_openapi::serde_json::{Value, json};
use kubernetes_kinds::apply::Change;
use kubernetes_kinds::names::is_printable;

use crate::checker::to_value;
use crate::{Checker, ErrorType, Path, Strategy, Target};

/// The longest name of a field manager, and of a subresource.
const MAX_MANAGER: usize = 128;
const MAX_SUBRESOURCE: usize = 256;

/// Returns which entries a server keeps; none if it can't read one of them.
pub(crate) type Kept<'a> = &'a dyn Fn(&[ManagedFieldsEntry]) -> Vec<bool>;

/// Returns which entries a server keeps when it writes an object; none if it can't read one.
///
/// Inlined with all that it calls, so that only programs that validate contain it.
#[inline]
pub(crate) fn kept<K: Strategy>(
    object: &K,
    stored: Option<&K>,
    target: &Target,
    entries: &[ManagedFieldsEntry],
) -> Vec<bool> {
    let Some((before, after)) = sides(object, stored) else {
        return vec![true; entries.len()];
    };
    let change = Change {
        before: &before,
        after: &after,
        granular: K::GRANULAR,
        unchanged: if K::HAS_STATUS { &["status"] } else { &[] },
    };
    let kept = entries.iter().map(|entry| {
        let leaves = match &entry.fields_v1 {
            Some(fields) => change.leaves(&fields.0).ok()?,
            None => false,
        };
        Some(has_version::<K>(entry, target)? && leaves)
    });
    kept.collect::<Option<_>>().unwrap_or_default()
}

/// Returns an object before and after a write; `None` if it has no form in JSON.
#[inline]
fn sides<K: Strategy>(object: &K, stored: Option<&K>) -> Option<(Value, Value)> {
    let mut after = to_value(object)?;
    let mut before = match stored {
        Some(stored) => to_value(stored)?,
        None if K::IS_CUSTOM => json!({"apiVersion": K::API_VERSION, "kind": K::KIND}),
        // The zero value of the type in Go.
        None => to_value(&K::default())?,
    };
    if !K::IS_CUSTOM {
        as_in_go(&mut before, &mut after);
    }
    Some((before, after))
}

/// Removes what Go doesn't write, but for metadata and `spec`, which it always writes.
#[inline]
fn as_in_go(before: &mut Value, after: &mut Value) {
    let has_spec = after.get("spec").is_some();
    for object in [before, after] {
        remove_empty(object);
        let Some(fields) = object.as_object_mut() else {
            continue;
        };
        if has_spec {
            fields.entry("spec").or_insert_with(|| json!({}));
        }
        let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.retain(|_, value| value != "");
        }
    }
}

/// Removes empty lists and objects inside a value.
#[inline]
fn remove_empty(value: &mut Value) {
    let is_empty = |value: &Value| *value == json!([]) || *value == json!({});
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(remove_empty);
            fields.retain(|_, value| !is_empty(value));
        }
        Value::Array(elements) => elements.iter_mut().for_each(remove_empty),
        _ => {}
    }
}

/// Returns true if a server of the target can convert an object to the version of an entry, and
/// `None` if it fails for that, instead of dropping the entry.
///
/// By default, a server doesn't serve alpha versions and later beta versions.
#[inline]
fn has_version<K: Strategy>(entry: &ManagedFieldsEntry, target: &Target) -> Option<bool> {
    let given = entry.api_version.as_deref().unwrap_or_default();
    let (group, version) = given.split_once('/').unwrap_or(("", given));
    if given == K::API_VERSION {
        return Some(true);
    }
    if K::IS_CUSTOM || version.contains('/') {
        return None;
    }
    let mut others = K::OTHER_VERSIONS.iter();
    let is_served = others.any(|(other, lifecycle)| {
        *other == version && lifecycle.is_served_by_default(version, target.release())
    });
    Some(group == K::GROUP && is_served)
}

/// Checks the entries that a server keeps: not those of whose fields the write leaves none, or of
/// a version that the server lacks, and none at all if it can't read one of them.
pub(crate) fn check(
    entries: &[ManagedFieldsEntry],
    kept: Kept<'_>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    if entries.iter().all(is_right) || !entries.iter().all(is_readable) {
        return;
    }
    let kept = kept(entries);
    let list = at.field("managedFields");
    for (index, entry) in entries.iter().enumerate() {
        if kept.get(index) == Some(&true) {
            report(entry, &list.index(index), to);
        }
    }
}

fn is_readable(entry: &ManagedFieldsEntry) -> bool {
    matches!(entry.operation.as_deref(), Some("Apply" | "Update"))
        && entry.fields_type.as_deref() == Some("FieldsV1")
        && entry
            .api_version
            .as_deref()
            .is_some_and(|version| !version.is_empty())
}

fn is_right(entry: &ManagedFieldsEntry) -> bool {
    let (manager, subresource) = texts(entry);
    manager.len() <= MAX_MANAGER && subresource.len() <= MAX_SUBRESOURCE && is_written(manager)
}

fn report(entry: &ManagedFieldsEntry, at: &Path<'_>, to: &mut Checker<'_>) {
    let (manager, subresource) = texts(entry);
    let path = at.field("manager");
    to.max_length(path, manager, MAX_MANAGER, ErrorType::TooLong);
    if !is_written(manager) {
        let detail = "must have printable characters only, and no other space than ` `";
        to.invalid(path, "manager", manager, detail);
    }
    let path = at.field("subresource");
    to.max_length(path, subresource, MAX_SUBRESOURCE, ErrorType::TooLong);
}

fn texts(entry: &ManagedFieldsEntry) -> (&str, &str) {
    let manager = entry.manager.as_deref().unwrap_or_default();
    (manager, entry.subresource.as_deref().unwrap_or_default())
}

/// Returns true if a name has printable characters only. Nearly all names are ASCII.
fn is_written(name: &str) -> bool {
    let is_plain = name.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    is_plain || name.chars().all(is_printable)
}
