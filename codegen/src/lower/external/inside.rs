//! The paths inside a type of another crate, of which a server asks something in custom resources.

use serde_json::Value;

use super::{DEEPEST, map_type, referred};
use crate::load::{Document, SCHEMAS};
use crate::model::Paths;

/// The required fields, elements that can't be `null`, and parts that can have several owners.
pub(super) fn of(name: &str, document: &Document) -> Paths {
    let mut paths = Paths::default();
    add(name, document, &Way::default(), &mut paths);
    paths
}

/// The way to a schema inside the type.
#[derive(Default)]
struct Way {
    path: String,
    depth: usize,
    /// True if something on it is replaced as a whole.
    is_whole: bool,
}

fn schema<'a>(name: &str, document: &'a Document) -> Option<&'a Value> {
    document.json.pointer(SCHEMAS)?.get(name)
}

fn add(name: &str, document: &Document, way: &Way, paths: &mut Paths) {
    let Some(schema) = schema(name, document).filter(|_| way.depth < DEEPEST) else {
        return;
    };
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let required: Vec<_> = required.map(str::to_owned).collect();
    if !required.is_empty() {
        paths.required.push((way.path.clone(), required));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let mut inner = Way {
            path: match way.path.as_str() {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            },
            depth: way.depth + 1,
            is_whole: way.is_whole || !is_granular(property, document),
        };
        if !inner.is_whole {
            paths.granular.push(inner.path.clone());
        }
        if let Some(target) = referred(property) {
            add(target, document, &inner, paths);
        } else if let Some(items) = property.get("items") {
            inner.path += "[]";
            paths.not_null.push(inner.path.clone());
            if let Some(target) = referred(items) {
                add(target, document, &inner, paths);
            }
        }
    }
}

/// Returns true for a map or an object whose parts can have several owners.
fn is_granular(property: &Value, document: &Document) -> bool {
    let target = referred(property).and_then(|name| schema(name, document));
    let is_part = target.is_some() || property.get("additionalProperties").is_some();
    let map_type = map_type(property).or_else(|| map_type(target?));
    is_part && map_type != Some("atomic")
}
