//! Changes to the schema of a type that make it one of manifests.

use serde_json::{Map, Value, json};

/// Changes the schema of a kind, whose types say what a program writes, to one of what a server
/// takes.
///
/// - The object has to name its apiVersion and kind.
/// - Unknown fields are refused.
/// - Of a built-in kind, a field is required only if its zero value is refused: absent is the same.
/// - A field that can be absent can be null, and so can what is in a list or map.
/// - A quantity can be a number.
/// - A server doesn't read the status of a new custom resource.
pub(super) fn tighten(schema: &mut Value, is_custom: bool) {
    let Some(root) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Object(definitions)) = root.get_mut("definitions") {
        for (name, definition) in definitions {
            match name.rsplit('.').next() {
                Some("Quantity") => *definition = quantity(),
                // A server keeps whatever is there.
                Some("FieldsV1") => *definition = json!({}),
                _ => change(definition, is_custom && !name.starts_with(GO)),
            }
        }
    }
    if is_custom
        && let Some(status) = root
            .get_mut("properties")
            .and_then(|all| all.get_mut("status"))
    {
        let description = status.get("description").cloned().unwrap_or_default();
        *status = json!({"description": description});
    }
    change(schema, is_custom);
    let Some(root) = schema.as_object_mut() else {
        return;
    };
    let required = root.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.extend(NAMING.map(Value::from));
    }
    for name in NAMING {
        let property = root.get_mut("properties").and_then(|all| all.get_mut(name));
        if let Some(property) = property.and_then(Value::as_object_mut) {
            property.insert("type".to_owned(), json!("string"));
            if let Some(Value::Array(values)) = property.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
        }
    }
}

/// The start of the names of types that a server reads as Go does, also in custom resources.
const GO: &str = "io.k8s.apimachinery.";

/// The fields that say what an object is.
const NAMING: [&str; 2] = ["apiVersion", "kind"];

/// Returns the schema of a quantity.
fn quantity() -> Value {
    json!({
        "description": "An amount, such as `10Gi`, `500M` or `1`.",
        "type": ["string", "number"],
        "pattern": r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(m|[numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]+)?$",
    })
}

/// Changes a schema and those in it.
fn change(schema: &mut Value, is_custom: bool) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(keyword) {
            change(inner, is_custom);
            if !is_custom {
                make_nullable(inner);
            }
        }
    }
    let Some(Value::Object(mut properties)) = schema.remove("properties") else {
        return;
    };
    let is_refused = |name: &Value| {
        let property = name.as_str().and_then(|name| properties.get(name));
        let least = property.and_then(|property| property.get("minLength"));
        is_custom || least.and_then(Value::as_u64).is_some_and(|least| least > 0)
    };
    let mut required = match schema.remove("required") {
        Some(Value::Array(names)) => names,
        _ => Vec::new(),
    };
    required.retain(is_refused);
    for (name, property) in properties.iter_mut() {
        change(property, is_custom);
        if !required.iter().any(|required| required == name) {
            make_nullable(property);
        }
    }
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.entry("additionalProperties").or_insert(json!(false));
}

/// Makes a schema accept null.
fn make_nullable(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(kind) = object.get_mut("type") {
        match kind {
            Value::Array(kinds) => kinds.push(json!("null")),
            one => *one = json!([one, "null"]),
        }
        if let Some(Value::Array(values)) = object.get_mut("enum") {
            values.push(Value::Null);
        }
        return;
    }
    const INNER: [&str; 3] = ["$ref", "allOf", "anyOf"];
    let mut inner = Map::new();
    for keyword in INNER {
        if let Some(value) = object.remove(keyword) {
            inner.insert(keyword.to_owned(), value);
        }
    }
    if !inner.is_empty() {
        object.insert("anyOf".to_owned(), json!([inner, {"type": "null"}]));
    }
}
