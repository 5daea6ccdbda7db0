//! Combinations of schemas in CustomResourceDefinitions, and the schemas of elements that can be
//! `null`. They only check values, so they are taken out of what types are read from.

use serde_json::{Map, Value, json};

use super::refs::SCHEMAS;
use crate::keyword::{COMBINED, ELEMENT};

/// Takes them out of the schemas with a prefix.
pub(super) fn take_out(document: &mut Value, prefix: &str) {
    let schemas = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    for (name, schema) in schemas.into_iter().flatten() {
        if name.starts_with(prefix) {
            of_schema(schema);
        }
    }
}

fn of_schema(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    combined(schema);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flatten() {
        of_schema(property);
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(name) {
            open_nullable(inner);
            of_schema(inner);
        }
    }
}

/// Makes JSON of elements that can be `null`, which no other type keeps.
fn open_nullable(element: &mut Value) {
    if element.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    let description = element.get_mut("description").map(Value::take);
    let schema = element.take();
    *element = json!({
        "nullable": true,
        "x-kubernetes-preserve-unknown-fields": true,
        (COMBINED): {(ELEMENT): schema},
    });
    if let Some(description) = description {
        element["description"] = description;
    }
}

/// Puts the combinations of schemas of a value where its type isn't read from.
fn combined(schema: &mut Map<String, Value>) {
    let is_either = schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
    // That is what an integer or a text is.
    let either = || json!([{"type": "integer"}, {"type": "string"}]);
    let mut all = Map::new();
    for name in ["allOf", "anyOf", "oneOf", "not"] {
        let is_reference = |value: &Value| value.pointer("/0/$ref").is_some();
        if schema.get(name).is_some_and(is_reference) {
            continue;
        }
        let Some(mut value) = schema.remove(name) else {
            continue;
        };
        if is_either && name == "anyOf" && value == either() {
            continue;
        }
        if let Some(first) = value.get_mut(0).filter(|_| is_either && name == "allOf")
            && *first == json!({"anyOf": either()})
        {
            *first = json!({});
        }
        all.insert(name.to_owned(), value);
    }
    if !all.is_empty() {
        schema.insert(COMBINED.to_owned(), all.into());
    }
}
