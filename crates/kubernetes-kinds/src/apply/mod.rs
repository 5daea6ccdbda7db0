//! Server-side apply: types that serialize only the fields that are set, and extraction of the
//! fields that a field manager has applied.
//!
//! Each generated kind has an apply type, in the module `apply` of its crate, in which every
//! field is absent unless set. The field manager owns the fields that it sends with
//! `Patch::Apply`. The server removes fields that the manager owned before and no longer sends,
//! unless others own them too. Only an empty list whose elements can have different owners is
//! owned by nobody, in a server of Kubernetes 1.37.
//!
//! [`extract`] returns the fields that a manager has applied, as the `Extract` functions of
//! Kubernetes' Go client do, so that a program can change some of them and apply them again.
//! Code that is generic over kinds uses the trait [`Apply`].
//!
//! ```
//! use kubernetes_kinds::apply::{Apply, ExtractError, extract};
//!
//! /// Returns the fields that `field_manager` has applied, with one more label.
//! fn labelled<A: Apply>(live: &A::Kind, field_manager: &str) -> Result<A, ExtractError> {
//!     let mut applied: A = extract(live, field_manager, None)?;
//!     let labels = applied.metadata_mut().labels.get_or_insert_default();
//!     labels.insert("example.com/seen".to_owned(), "true".to_owned());
//!     Ok(applied)
//! }
//! ```

mod change;
mod error;
mod fields;
mod live;

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::{self, Map, Value};
use k8s_openapi::{Metadata, Resource};

use crate::{FieldPath, Kind, wire};

pub use change::Change;
pub use error::ExtractError;

use fields::Owned;

/// A type for applying a kind: every field is absent unless set.
///
/// The generated crates implement this; it is not meant to be hand-written. Conversion from the
/// full type sets all fields that the object has, required ones included, and leaves out the
/// metadata that the server sets (see [`metadata`]).
pub trait Apply:
    wire::Object
    + Resource
    + Metadata<Ty = ObjectMeta>
    + From<Self::Kind>
    + Serialize
    + DeserializeOwned
{
    /// The full type, as the server returns it.
    type Kind: Kind + Clone + Debug + Serialize + DeserializeOwned;
}

/// Returns the metadata without the fields that only the server sets: `creationTimestamp`,
/// `deletionGracePeriodSeconds`, `deletionTimestamp`, `generation`, `managedFields`,
/// `resourceVersion`, `selfLink` and `uid`.
///
/// The server rejects to apply `managedFields`, and treats a `resourceVersion` or `uid` as a
/// precondition.
#[must_use]
#[inline]
pub fn metadata(metadata: ObjectMeta) -> ObjectMeta {
    ObjectMeta {
        creation_timestamp: None,
        deletion_grace_period_seconds: None,
        deletion_timestamp: None,
        generation: None,
        managed_fields: None,
        resource_version: None,
        self_link: None,
        uid: None,
        ..metadata
    }
}

/// Returns the fields of a live object that a field manager has applied and still owns.
///
/// The entry of `metadata.managedFields` with this manager, the operation `Apply` and this
/// subresource (`None` for the object itself) lists these fields. The result has them in the
/// order of the live object, with `apiVersion`, `kind`, and the object's name and namespace.
/// Elements of lists that are identified by keys have these keys. Fields that the live object
/// doesn't have are left out, and so are empty strings, lists and maps that the server doesn't
/// write. Without such an entry, no other field is set.
///
/// `live` must be as the server returned it, with its `managedFields`.
///
/// # Errors
///
/// * [`ExtractError::NoManagedFields`] if an object of a server has no `managedFields`, because it
///   was read as [`Lean`](crate::Lean) or a cache has removed them. Applying
///   a result without fields would remove all applied fields.
/// * [`ExtractError::Version`] if the entry was written in another version of the kind. Its
///   paths are those of that version: read the object in that version, and extract from it.
///   Applying the result in this version makes the entry one of this version.
/// * [`ExtractError::Fields`] if the entry is invalid.
/// * [`ExtractError::Inexact`] if the apply type can't represent exactly these fields. This only
///   happens inside types of `k8s_openapi`, which always write their required fields.
/// * [`ExtractError::Json`] if the live object or the result can't be written or read.
#[inline]
pub fn extract<A: Apply>(
    live: &A::Kind,
    field_manager: &str,
    subresource: Option<&str>,
) -> Result<A, ExtractError> {
    let metadata = live.metadata();
    let owned = owned(
        metadata,
        <A::Kind as Resource>::API_VERSION,
        field_manager,
        subresource.unwrap_or_default(),
    )?;
    let live = wire::to_value(live).map_err(ExtractError::json)?;
    let mut applied = live::extract(&live, &owned, <A::Kind as Kind>::GRANULAR);
    identify(&mut applied, A::API_VERSION, A::KIND, metadata);
    let applied = Value::Object(applied);
    let object: A = serde_json::from_value(applied.clone()).map_err(ExtractError::json)?;
    let written = wire::to_value(&object).map_err(ExtractError::json)?;
    match live::difference(&applied, &written) {
        Some(path) => Err(ExtractError::Inexact { path }),
        None => Ok(object),
    }
}

/// Sets the fields that identify an object.
#[inline]
fn identify(object: &mut Map<String, Value>, api_version: &str, kind: &str, metadata: &ObjectMeta) {
    object.insert("apiVersion".to_owned(), api_version.into());
    object.insert("kind".to_owned(), kind.into());
    let target = object
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    let names = [("name", &metadata.name), ("namespace", &metadata.namespace)];
    for (field, value) in names {
        if let (Some(value), Some(target)) = (value, target.as_object_mut()) {
            target.insert(field.to_owned(), value.as_str().into());
        }
    }
}

/// Returns the fields of all entries that match; a server has one at most.
#[inline]
fn owned(
    metadata: &ObjectMeta,
    api_version: &'static str,
    field_manager: &str,
    subresource: &str,
) -> Result<Owned, ExtractError> {
    // Servers track owners since Kubernetes 1.18, so their objects have entries.
    if metadata.managed_fields.is_none() && metadata.resource_version.is_some() {
        return Err(ExtractError::NoManagedFields);
    }
    let mut owned = Owned::default();
    let entries = metadata.managed_fields.iter().flatten();
    for (index, entry) in entries.enumerate() {
        if !counts(entry, field_manager, subresource) {
            continue;
        }
        match &entry.api_version {
            Some(version) if version != api_version => {
                return Err(ExtractError::Version {
                    index,
                    found: version.clone(),
                    expected: api_version,
                });
            }
            _ => {}
        }
        let path = FieldPath::new("metadata")
            .child("managedFields")
            .index(index);
        if let Some(kind) = entry.fields_type.as_deref().filter(|t| *t != "FieldsV1") {
            return Err(ExtractError::Fields {
                path: path.child("fieldsType"),
                message: format!("\"{}\" is not FieldsV1", kind.escape_debug()),
            });
        }
        if let Some(fields) = &entry.fields_v1 {
            owned.add(&fields.0, &path.child("fieldsV1"))?;
        }
    }
    Ok(owned)
}

#[inline]
fn counts(entry: &ManagedFieldsEntry, field_manager: &str, subresource: &str) -> bool {
    entry.manager.as_deref() == Some(field_manager)
        && entry.operation.as_deref() == Some("Apply")
        && entry.subresource.as_deref().unwrap_or_default() == subresource
}
