//! Completes the schemas of custom resources as a server does.

use serde_json::{Map, Value, json};

use super::crd::{META, reference};
use super::refs::SCHEMAS;

const EMBEDDED: &str = "x-kubernetes-embedded-resource";

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
    let schemas = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    for schema in schemas.into_iter().flat_map(Map::values_mut) {
        complete_schema(schema);
    }
}

fn complete_schema(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
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
