//! Unknown fields, which crates that are generated with `keep-unknown-fields` preserve.
//!
//! Types of `k8s-openapi` have no place for such fields and still skip them.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use k8s_openapi::serde_json::Value;

/// Fields of an object that its type doesn't know, by name, as they were read; and the fields that
/// it knows as `null`, where a server keeps that.
///
/// Conversion to another version preserves them. If that version has a field of the same name, it
/// writes that field, and the preserved one is hidden until the object is converted back.
pub type UnknownFields = BTreeMap<String, Value>;

/// Reads and keeps the value of an unknown field.
///
/// # Errors
///
/// When the input is invalid, or has a value that JSON doesn't have.
pub fn keep<'de, M: MapAccess<'de>>(
    map: &mut M,
    name: &str,
    unknown: &mut UnknownFields,
) -> Result<(), M::Error> {
    let Kept(value) = map.next_value()?;
    unknown.insert(name.to_owned(), value);
    Ok(())
}

/// Notes whether an optional field of a custom resource is `null`, which a server keeps.
pub fn note_null(is_null: bool, name: &'static str, nulls: &mut UnknownFields) {
    if is_null {
        nulls.insert(name.to_owned(), Value::Null);
    } else {
        nulls.remove(name);
    }
}

/// The name of the newtype struct by which a deserializer recognises an unknown field.
pub const KEPT: &str = "UnknownField";

struct Kept(Value);

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(KEPT, KeptVisitor)
    }
}

struct KeptVisitor;

impl<'de> Visitor<'de> for KeptVisitor {
    type Value = Kept;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kept, D::Error> {
        Value::deserialize(deserializer).map(Kept)
    }
}
