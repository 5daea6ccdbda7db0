//! The Rust struct that holds a field.

use serde_json::Value;

use crate::load::schema_name;
use crate::structure::{Place, Step};

use super::api::Api;
use super::change::short;

/// A field in Rust.
#[derive(Debug, Default)]
pub(super) struct Field {
    /// The struct, or the type itself if that is meant.
    pub(super) owner: String,
    /// The name of the field; none for the type itself.
    pub(super) name: Option<String>,
    /// True if the type is generated from the document.
    pub(super) is_own: bool,
}

/// The field that a path from a schema leads to, in the innermost struct that is on the way.
pub(super) fn field(api: &Api, schema: &str, path: &str) -> Option<Field> {
    // A schema may be another name for another, which may lead in a circle.
    const MAX_STEPS: usize = 256;
    let (mut schema, mut node) = api.schemas.get_key_value(schema)?;
    // The path inside of that schema, and what is left of the whole.
    let (mut inside, mut rest) = (String::new(), path);
    let mut found = Field {
        owner: short(schema).to_owned(),
        name: None,
        is_own: api.owns(schema),
    };
    for _ in 0..MAX_STEPS {
        if rest.is_empty() {
            return Some(found);
        }
        let reference = node.get("$ref").or_else(|| node.pointer("/allOf/0/$ref"));
        if let Some(target) = reference.and_then(Value::as_str).and_then(schema_name) {
            (schema, node) = api.schemas.get_key_value(target)?;
            inside.clear();
            continue;
        }
        let step = if let Some(left) = rest.strip_prefix("[]") {
            rest = left;
            node = node.get("items")?;
            Step::Elements
        } else if let Some(left) = rest.strip_prefix("{}") {
            rest = left;
            node = node.get("additionalProperties")?;
            Step::Values
        } else {
            let (property, left) = property(node, rest.trim_start_matches('.'))?;
            let owner = match inside.as_str() {
                "" => Some(short(schema)),
                inside => api.types.inner(schema, inside),
            };
            found = Field {
                is_own: api.owns(schema) && owner.is_some(),
                name: owner.map(|owner| api.types.field(owner, property)),
                owner: owner.unwrap_or_default().to_owned(),
            };
            rest = left;
            node = node.get("properties")?.get(property)?;
            Step::Field(property)
        };
        inside = inside.step(step);
    }
    None
}

/// The property that a path begins with, whose name may have any characters, and what is left.
fn property<'a>(node: &'a Value, path: &'a str) -> Option<(&'a str, &'a str)> {
    let names = node.get("properties")?.as_object()?.keys();
    let begins = |name: &&String| {
        let left = path.strip_prefix(name.as_str());
        left.is_some_and(|left| left.is_empty() || left.starts_with(['.', '[', '{']))
    };
    let name = names.filter(begins).max_by_key(|name| name.len())?;
    Some((name, &path[name.len()..]))
}
