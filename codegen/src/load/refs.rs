//! References: normalises them, and checks that their targets exist.

use serde_json::{Value, json};

use crate::diag::Spot;

/// The extension with the group, version and kind of a schema or an operation.
pub(crate) const KIND: &str = "x-kubernetes-group-version-kind";

/// The place of the schemas of a document, as a JSON pointer.
pub(crate) const SCHEMAS: &str = "/components/schemas";

/// The name of the schema that a reference leads to.
pub(crate) fn schema_name(reference: &str) -> Option<&str> {
    reference
        .strip_prefix('#')?
        .strip_prefix(SCHEMAS)?
        .strip_prefix('/')
}

/// Adds the names of all schemas that a value refers to.
pub(crate) fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            found.extend(reference.and_then(schema_name).map(str::to_owned));
            members.values().for_each(|inner| references(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
        _ => {}
    }
}

/// Puts a `$ref` with siblings into an `allOf` of its own.
///
/// OpenAPI 3.0 ignores siblings of a `$ref`, and so does the typed parse; Kubernetes'
/// documents up to 1.23 have descriptions and defaults there, later ones write the `allOf`.
pub(crate) fn wrap_bare(value: &mut Value) {
    match value {
        Value::Object(object) => {
            let bare = object.len() > 1 && object.get("$ref").is_some_and(Value::is_string);
            let reference = if bare { object.remove("$ref") } else { None };
            if let Some(reference) = reference {
                object.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
            }
            object.values_mut().for_each(wrap_bare);
        }
        Value::Array(array) => array.iter_mut().for_each(wrap_bare),
        _ => {}
    }
}

/// Reports every `$ref` that leads out of the document or nowhere.
pub(super) fn check(document: &Value, root: &Spot<'_>) {
    check_inside(document, document, &mut Vec::new(), root);
}

/// Checks the references in a value. Its path is spelled out only for errors.
fn check_inside<'v>(value: &'v Value, document: &Value, way: &mut Vec<Key<'v>>, root: &Spot<'_>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get("$ref") {
                check_one(reference, document, way, root);
            }
            for (key, value) in object {
                way.push(Key::Name(key));
                check_inside(value, document, way, root);
                way.pop();
            }
        }
        Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                way.push(Key::Index(index));
                check_inside(value, document, way, root);
                way.pop();
            }
        }
        _ => {}
    }
}

/// A step of the path to a value.
#[derive(Clone, Copy, PartialEq)]
enum Key<'v> {
    Name(&'v str),
    Index(usize),
}

fn check_one(reference: &str, document: &Value, way: &[Key<'_>], root: &Spot<'_>) {
    let is_in_schema = way.starts_with(&[Key::Name("components"), Key::Name("schemas")]);
    let is_schema = schema_name(reference).is_some_and(|name| !name.contains('/'));
    let shown = reference.escape_debug();
    let at = || {
        let at = way.iter().fold(root.clone(), |at, key| match key {
            Key::Name(name) => at.child(name),
            Key::Index(index) => at.child(index),
        });
        at.child("$ref")
    };
    match reference.strip_prefix('#') {
        None => at().report(
            format!("`{shown}` leads out of the document"),
            "a document must hold all that it refers to: copy the schema into it and \
             refer to `#/components/schemas/NAME`",
        ),
        Some(target) if document.pointer(target).is_none() => at().report(
            format!("`{shown}` leads nowhere"),
            "check the spelling, or add what it names to the document",
        ),
        Some(_) if is_in_schema && !is_schema => at().report(
            format!("`{shown}` is not a schema"),
            "refer to `#/components/schemas/NAME`",
        ),
        Some(_) => {}
    }
}
