//! Reads metadata field by field, as generated types are read: `null` as a label is an empty
//! string.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use k8s_openapi::serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor,
};

use super::read::Key;
use super::{Elements, read, read_elements, read_time, skip};

/// Reads metadata into `slot`; `null` doesn't change it, and an absent field doesn't change the
/// field.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
pub fn read_metadata<'de, M: MapAccess<'de>>(
    map: &mut M,
    slot: &mut ObjectMeta,
) -> Result<(), M::Error> {
    read_with::<M, true>(map, slot)
}

/// Reads metadata into `slot` as [`read_metadata`] does, but skips `managedFields`.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
pub(crate) fn read_lean_metadata<'de, M: MapAccess<'de>>(
    map: &mut M,
    slot: &mut ObjectMeta,
) -> Result<(), M::Error> {
    read_with::<M, false>(map, slot)
}

fn read_with<'de, M: MapAccess<'de>, const MANAGED_FIELDS: bool>(
    map: &mut M,
    slot: &mut ObjectMeta,
) -> Result<(), M::Error> {
    map.next_value_seed(Slot::<MANAGED_FIELDS>(slot))
}

/// Metadata that is read with or without `managedFields`, field by field into its place: it is
/// large, and moving it takes time.
struct Slot<'a, const MANAGED_FIELDS: bool>(&'a mut ObjectMeta);

const FIELDS: &[&str] = &[
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

impl<'de, const MANAGED_FIELDS: bool> DeserializeSeed<'de> for Slot<'_, MANAGED_FIELDS> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, const MANAGED_FIELDS: bool> Visitor<'de> for Slot<'_, MANAGED_FIELDS> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ObjectMeta")
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("ObjectMeta", FIELDS, self)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            match &*key.0 {
                "managedFields" if !MANAGED_FIELDS => skip(&mut map)?,
                name => read_field(self.0, name, &mut map)?,
            }
        }
        Ok(())
    }
}

fn read_field<'de, M: MapAccess<'de>>(
    metadata: &mut ObjectMeta,
    name: &str,
    map: &mut M,
) -> Result<(), M::Error> {
    match name {
        "annotations" => read_elements(map, &mut metadata.annotations),
        "creationTimestamp" => read_time(map, &mut metadata.creation_timestamp),
        "deletionGracePeriodSeconds" => read(map, &mut metadata.deletion_grace_period_seconds),
        "deletionTimestamp" => read_time(map, &mut metadata.deletion_timestamp),
        "finalizers" => read_elements(map, &mut metadata.finalizers),
        "generateName" => read(map, &mut metadata.generate_name),
        "generation" => read(map, &mut metadata.generation),
        "labels" => read_elements(map, &mut metadata.labels),
        "managedFields" => read_managed_fields(map, &mut metadata.managed_fields),
        "name" => read(map, &mut metadata.name),
        "namespace" => read(map, &mut metadata.namespace),
        "ownerReferences" => read_elements(map, &mut metadata.owner_references),
        "resourceVersion" => read(map, &mut metadata.resource_version),
        "selfLink" => read(map, &mut metadata.self_link),
        "uid" => read(map, &mut metadata.uid),
        _ => skip(map),
    }
}

fn read_managed_fields<'de, M: MapAccess<'de>>(
    map: &mut M,
    slot: &mut Option<Vec<ManagedFieldsEntry>>,
) -> Result<(), M::Error> {
    if let Some(Elements(entries)) = map.next_value::<Option<Elements<Vec<Entry>>>>()? {
        *slot = Some(entries.into_iter().map(|entry| entry.0).collect());
    }
    Ok(())
}

/// An entry, whose time is read as all others are.
#[derive(Default)]
struct Entry(ManagedFieldsEntry);

const ENTRY_FIELDS: &[&str] = &[
    "apiVersion",
    "fieldsType",
    "fieldsV1",
    "manager",
    "operation",
    "subresource",
    "time",
];

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("ManagedFieldsEntry", ENTRY_FIELDS, Self::default())
    }
}

impl<'de> Visitor<'de> for Entry {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ManagedFieldsEntry")
    }

    fn visit_map<M: MapAccess<'de>>(mut self, mut map: M) -> Result<Self, M::Error> {
        let entry = &mut self.0;
        while let Some(key) = map.next_key::<Key<'de>>()? {
            match &*key.0 {
                "apiVersion" => read(&mut map, &mut entry.api_version)?,
                "fieldsType" => read(&mut map, &mut entry.fields_type)?,
                "fieldsV1" => read(&mut map, &mut entry.fields_v1)?,
                "manager" => read(&mut map, &mut entry.manager)?,
                "operation" => read(&mut map, &mut entry.operation)?,
                "subresource" => read(&mut map, &mut entry.subresource)?,
                "time" => read_time(&mut map, &mut entry.time)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(self)
    }
}
