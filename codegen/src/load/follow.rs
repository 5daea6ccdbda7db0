//! Adds the fields of the newest version of a kind to the documents of older versions, so that a
//! new field is written once.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{SCHEMAS, schema_name, translate};

/// Adds to the schemas of an older version the properties that only those of the same names in
/// the newer one have, and the schemas that these refer to.
pub(super) fn follow(document: &mut Value, prefix: &str, newer: &Value, newer_prefix: &str) {
    let Some(newer) = newer.pointer(SCHEMAS).and_then(Value::as_object) else {
        return;
    };
    let Some(older) = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut) else {
        return;
    };
    let mut open = BTreeSet::new();
    for (name, schema) in newer {
        let short = name.strip_prefix(newer_prefix);
        let older = short.and_then(|short| older.get_mut(&format!("{prefix}{short}")));
        if let (Some(Value::Object(older)), Value::Object(schema)) = (older, schema) {
            add_properties(older, schema, &mut open);
        }
    }
    while let Some(name) = open.pop_last() {
        let own = match name.strip_prefix(newer_prefix) {
            Some(short) => format!("{prefix}{short}"),
            None => name.clone(),
        };
        if let (Some(schema), false) = (newer.get(&name), older.contains_key(&own)) {
            references(schema, &mut open);
            older.insert(own, schema.clone());
        }
    }
    older
        .values_mut()
        .for_each(|schema| translate(schema, newer_prefix, prefix));
}

fn add_properties(
    older: &mut Map<String, Value>,
    newer: &Map<String, Value>,
    needed: &mut BTreeSet<String>,
) {
    let Some(Value::Object(new)) = newer.get("properties") else {
        return;
    };
    let is_required = |property: &str| {
        let required = newer.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|name| name == property))
    };
    let mut required = Vec::new();
    let Some(Value::Object(old)) = older.get_mut("properties") else {
        return;
    };
    for (name, property) in new {
        if !old.contains_key(name) {
            references(property, needed);
            old.insert(name.clone(), property.clone());
            required.extend(is_required(name).then(|| Value::from(name.as_str())));
        }
    }
    if !required.is_empty()
        && let Value::Array(names) = older.entry("required").or_insert(json!([]))
    {
        names.extend(required);
    }
}

/// Adds the names of the schemas that a value refers to.
fn references(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(text)) = object.get("$ref")
                && let Some(name) = schema_name(text)
            {
                names.insert(name.to_owned());
            }
            object.values().for_each(|value| references(value, names));
        }
        Value::Array(array) => array.iter().for_each(|value| references(value, names)),
        _ => {}
    }
}
