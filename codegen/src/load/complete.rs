//! Completes the schemas of custom resources as a server does.

use serde_json::{Map, Value, json};

use super::crd::{META, reference};
use super::refs::{KIND, SCHEMAS};

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const OPEN: &str = "x-kubernetes-preserve-unknown-fields";

/// The fields that identify the kind of an object.
const TYPE: [(&str, &str); 2] = [
    (
        "apiVersion",
        "The group and version of the object, such as `apps/v1`.",
    ),
    ("kind", "The kind of the object."),
];

/// The keywords that hold another schema, or several by their names.
const INSIDE: [&str; 2] = ["items", "additionalProperties"];

/// Brings all schemas of a document about custom resources into the one form.
pub(super) fn complete(document: &mut Value) {
    let with_status = kinds_with_status(document);
    let schemas = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    for schema in schemas.into_iter().flat_map(Map::values_mut) {
        let kinds = schema.get(KIND).and_then(Value::as_array);
        if kinds.is_some_and(|kinds| kinds.iter().any(|kind| with_status.contains(kind))) {
            name_status(schema);
        }
        complete_schema(schema);
    }
}

/// The kinds whose status is a subresource.
fn kinds_with_status(document: &Value) -> Vec<Value> {
    let paths = document.get("paths").and_then(Value::as_object);
    let paths = paths.into_iter().flatten();
    let of_status = paths.filter(|(path, _)| path.ends_with("/{name}/status"));
    let kinds = of_status.filter_map(|(_, path)| path.get("get")?.get(KIND));
    kinds.cloned().collect()
}

/// Gives a kind of which not all fields are known a status, which a server treats as that of other
/// kinds.
fn name_status(schema: &mut Value) {
    let is_open = schema.get(OPEN) == Some(&Value::Bool(true));
    if let Value::Object(schema) = schema
        && is_open
        && let Value::Object(properties) = schema.entry("properties").or_insert_with(|| json!({}))
    {
        properties
            .entry("status")
            .or_insert_with(|| json!({"description": "The status, as JSON.", OPEN: true}));
    }
}

fn complete_schema(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    if schema.get("type").and_then(Value::as_str) == Some("array")
        && schema.get(OPEN) == Some(&Value::Bool(true))
        && let Some(Value::Object(items)) = schema.get_mut("items")
    {
        // A server drops nothing of the elements then.
        let ty = items.get("type").and_then(Value::as_str);
        if ty.is_some_and(|ty| ["array", "object"].contains(&ty)) {
            items.entry(OPEN).or_insert(Value::Bool(true));
        }
    }
    if schema.get(EMBEDDED) == Some(&Value::Bool(true)) {
        embed(schema);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        // To a server, it is no value of any enumeration.
        values.retain(|value| !value.is_null());
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        complete_schema(property);
    }
    for keyword in INSIDE {
        if let Some(inner) = schema.get_mut(keyword) {
            complete_schema(inner);
        }
    }
}

/// Gives an object inside another what every object has; a server's own documents have it.
fn embed(schema: &mut Map<String, Value>) {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        for (name, description) in TYPE {
            let text = json!({"type": "string", "description": description});
            properties.entry(name).or_insert(text);
        }
        let mut metadata = reference(META, "ObjectMeta");
        metadata["description"] = "The metadata of the object; it may lack a name.".into();
        properties.insert("metadata".to_owned(), metadata);
    }
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Value::Array(required) = required {
        for (name, _) in TYPE {
            if !required.iter().any(|known| known == name) {
                required.push(name.into());
            }
        }
    }
}
