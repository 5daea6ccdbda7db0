//! Writes objects with a fixed order of fields.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::serde::ser::{Serialize, SerializeMap, Serializer};
use k8s_openapi::serde_json::{self, Map, Value};

use crate::error::{Reason, SchemeError};

/// Writes an object as compact JSON.
///
/// # Errors
///
/// When serializing fails.
pub fn to_json<T: Serialize>(object: &T) -> Result<String, SchemeError> {
    serde_json::to_string(object).map_err(unwritable)
}

pub(super) fn unwritable(error: impl fmt::Display) -> SchemeError {
    let message = error.to_string();
    Reason::Unwritable { message }.into()
}

/// An object without a type, written as `apiVersion`, `kind` and `metadata` first, the rest sorted.
pub(super) struct Ordered<'v>(pub(super) &'v Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(fields) => {
                write_fields(fields, &["apiVersion", "kind", "metadata"], serializer)
            }
            value => Sorted(value).serialize(serializer),
        }
    }
}

/// A value with sorted fields, whatever the features of `serde_json`.
struct Sorted<'v>(&'v Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(fields) => write_fields(fields, &[], serializer),
            Value::Array(items) => serializer.collect_seq(items.iter().map(Sorted)),
            value => value.serialize(serializer),
        }
    }
}

fn write_fields<S: Serializer>(
    fields: &Map<String, Value>,
    first: &[&str],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(fields.len()))?;
    for name in first {
        if let Some(value) = fields.get(*name) {
            map.serialize_entry(name, &Sorted(value))?;
        }
    }
    let mut rest = BTreeMap::new();
    for (name, value) in fields {
        if !first.contains(&name.as_str()) {
            rest.insert(name, value);
        }
    }
    for (name, value) in rest {
        map.serialize_entry(name, &Sorted(value))?;
    }
    map.end()
}
