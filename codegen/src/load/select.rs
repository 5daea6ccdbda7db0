//! Selecting kinds of a document: everything else is taken out of it, as if it weren't there.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::refs::{KIND, SCHEMAS, schema_name};
use crate::diag::Diagnostics;
use crate::pointer::Pointer;

/// Keeps the schemas of the kinds, of their lists and of what they refer to, and the paths that
/// are about them. Every kind is kept if none is named.
pub(crate) fn select(document: &mut Value, kinds: &[String]) {
    if kinds.is_empty() {
        return;
    }
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        paths.retain(|_, item| is_about(item, kinds));
    }
    let mut open: Vec<String> = Vec::new();
    references(document.get("paths"), &mut open);
    let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) else {
        return;
    };
    let named = schemas.iter().filter(|(_, schema)| is_of(schema, kinds));
    open.extend(named.map(|(name, _)| name.clone()));
    let mut kept = BTreeSet::new();
    while let Some(name) = open.pop() {
        references(schemas.get(&name), &mut open);
        open.retain(|next| *next != name && !kept.contains(next));
        kept.insert(name);
    }
    schemas.retain(|name, _| kept.contains(name));
}

/// Reports the kinds that no schema of the document has.
pub(super) fn check(document: &Value, kinds: &[String], file: &str, diagnostics: &mut Diagnostics) {
    let schemas = document.pointer(SCHEMAS).and_then(Value::as_object);
    let schemas: Vec<_> = schemas.into_iter().flat_map(Map::values).collect();
    for kind in kinds {
        let is_there = |schema: &&Value| kinds_of(schema).any(|name| name == kind);
        if !schemas.iter().any(is_there) {
            let message = format!("the document has no kind `{}`", kind.escape_debug());
            let help = "correct `kinds` of the document in codegen.toml";
            diagnostics.at(file, &Pointer::schemas(), message, help);
        }
    }
}

/// Returns true if a path is about one of the kinds, or about no kind at all.
fn is_about(item: &Value, kinds: &[String]) -> bool {
    let operations = item.as_object().into_iter().flat_map(Map::values);
    let mut about = operations
        .filter_map(|operation| operation.get(KIND))
        .peekable();
    let is_one = |about: &Value| {
        let kind = about.get("kind").and_then(Value::as_str);
        kind.is_some_and(|kind| kinds.iter().any(|known| known == kind))
    };
    about.peek().is_none() || about.any(is_one)
}

/// Returns true if a schema is one of the kinds, or a list of one.
fn is_of(schema: &Value, kinds: &[String]) -> bool {
    kinds_of(schema).any(|name| {
        let item = name.strip_suffix("List").unwrap_or(name);
        kinds.iter().any(|kind| kind == name || kind == item)
    })
}

/// The kinds that a schema names itself.
fn kinds_of(schema: &Value) -> impl Iterator<Item = &str> {
    let all = schema.get(KIND).and_then(Value::as_array);
    all.into_iter()
        .flatten()
        .filter_map(|kind| kind.get("kind")?.as_str())
}

/// Adds the schemas that a value refers to.
fn references(value: Option<&Value>, found: &mut Vec<String>) {
    match value {
        Some(Value::Object(object)) => {
            for (key, value) in object {
                match value
                    .as_str()
                    .filter(|_| key == "$ref")
                    .and_then(schema_name)
                {
                    Some(name) => found.push(name.to_owned()),
                    None => references(Some(value), found),
                }
            }
        }
        Some(Value::Array(array)) => {
            array
                .iter()
                .for_each(|value| references(Some(value), found));
        }
        _ => {}
    }
}
