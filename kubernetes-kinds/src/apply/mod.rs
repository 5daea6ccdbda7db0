//! Server-side apply: what is sent, and what of a live object a field manager has applied.
//!
//! Each generated kind has an apply type beside it, in the module `apply` of its crate, in
//! which every field is absent unless set. What is sent with `Patch::Apply` is what the field
//! manager then owns; what it owned before and no longer sends is removed by the server, unless
//! others own it too. Only an empty list whose elements can have owners of their own is owned by
//! nobody, as a server of Kubernetes 1.36 has it.
//!
//! [`extract`] gives back what a manager has applied, as the `Extract` functions of Kubernetes'
//! Go client do, so that a program can change part of that and apply it again. It is
//! [`Apply`] that code for any kind asks for.
//!
//! ```
//! use kubernetes_kinds::apply::{Apply, ExtractError, extract};
//!
//! /// What `field_manager` has applied, with one more label.
//! fn labelled<A: Apply>(live: &A::Kind, field_manager: &str) -> Result<A, ExtractError> {
//!     let mut applied: A = extract(live, field_manager, None)?;
//!     let labels = applied.metadata_mut().labels.get_or_insert_default();
//!     labels.insert("example.com/seen".to_owned(), "true".to_owned());
//!     Ok(applied)
//! }
//! ```

mod error;
mod fields;
mod live;

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::{self, Map, Value};
use k8s_openapi::{Metadata, Resource};

use crate::{Kind, wire};

pub use error::ExtractError;

use fields::Owned;

/// A type for applying a kind: every field is absent unless set.
///
/// The generated crates implement this; it is not meant to be implemented by hand. Conversion
/// from the full type sets whatever that holds, which includes its required fields, and leaves
/// out the metadata that is the server's (see [`metadata`]).
pub trait Apply:
    wire::Object
    + Resource
    + Metadata<Ty = ObjectMeta>
    + From<Self::Kind>
    + Serialize
    + DeserializeOwned
{
    /// The full type, as the server answers it.
    type Kind: Kind + Clone + Debug + Serialize + DeserializeOwned;

    /// The paths of objects, maps and lists whose parts can have different owners, as the
    /// `x-kubernetes-map-type` and `x-kubernetes-list-type` of the document say, without
    /// those in the metadata. `[]` after a list's path stands for its elements.
    ///
    /// What is not named here has one owner, with all that is in it.
    const GRANULAR: &'static [&'static str];
}

/// The same metadata without what the server alone decides: `creationTimestamp`,
/// `deletionGracePeriodSeconds`, `deletionTimestamp`, `generation`, `managedFields`,
/// `resourceVersion`, `selfLink` and `uid`.
///
/// The server refuses to apply `managedFields`, and takes a `resourceVersion` or `uid` for a
/// condition that the live object must meet.
#[must_use]
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

/// What a field manager has applied of a live object, and still owns.
///
/// Of `metadata.managedFields`, the entry counts that has this manager, the operation `Apply`
/// and this subresource, `None` being the object itself. The result has the fields that the
/// entry names, in the order of the live object, with `apiVersion`, `kind` and the object's
/// name and namespace; elements of lists that are told apart by keys come with these. A field
/// that the live object doesn't have is left out, and so is an empty text, list or map that the
/// server doesn't write. Where there is no such entry, nothing else is set.
///
/// `live` must be as the server answered it: the result says nothing where `managedFields`
/// have been stripped, as in some caches, and applying that gives up all that was applied.
///
/// # Errors
///
/// * [`ExtractError::Version`] if the entry was written in another version of the kind. Its
///   paths are those of that version: read the object as that, and extract it there. Once it
///   has been applied in this version, the entry is of this version.
/// * [`ExtractError::Fields`] if the entry is damaged.
/// * [`ExtractError::Inexact`] if the type can't say what is owned without more. This can only
///   happen inside of types of `k8s_openapi`, which write their required fields always.
/// * [`ExtractError::Json`] if the live object or the result can't be written or read.
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
    let live = serde_json::to_value(live).map_err(ExtractError::json)?;
    let mut applied = live::extract(&live, &owned, A::GRANULAR);
    identify(&mut applied, A::API_VERSION, A::KIND, metadata);
    let applied = Value::Object(applied);
    let object: A =
        serde_json::from_value(applied.clone()).map_err(ExtractError::json)?;
    let written = serde_json::to_value(&object).map_err(ExtractError::json)?;
    match live::difference(&applied, &written) {
        Some(path) => Err(ExtractError::Inexact { path }),
        None => Ok(object),
    }
}

/// Sets what names an object.
fn identify(
    object: &mut Map<String, Value>,
    api_version: &str,
    kind: &str,
    metadata: &ObjectMeta,
) {
    object.insert("apiVersion".to_owned(), api_version.into());
    object.insert("kind".to_owned(), kind.into());
    let target = object.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let names = [("name", &metadata.name), ("namespace", &metadata.namespace)];
    for (field, value) in names {
        if let (Some(value), Some(target)) = (value, target.as_object_mut()) {
            target.insert(field.to_owned(), value.as_str().into());
        }
    }
}

/// The fields of all entries that count; a server keeps one only.
fn owned(
    metadata: &ObjectMeta,
    api_version: &'static str,
    field_manager: &str,
    subresource: &str,
) -> Result<Owned, ExtractError> {
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
        let path = format!("metadata.managedFields[{index}]");
        if let Some(kind) = entry.fields_type.as_deref().filter(|t| *t != "FieldsV1") {
            return Err(ExtractError::Fields {
                path: path + ".fieldsType",
                message: format!("\"{}\" is not FieldsV1", kind.escape_debug()),
            });
        }
        if let Some(fields) = &entry.fields_v1 {
            owned.add(&fields.0, &(path + ".fieldsV1"))?;
        }
    }
    Ok(owned)
}

fn counts(entry: &ManagedFieldsEntry, field_manager: &str, subresource: &str) -> bool {
    entry.manager.as_deref() == Some(field_manager)
        && entry.operation.as_deref() == Some("Apply")
        && entry.subresource.as_deref().unwrap_or_default() == subresource
}
