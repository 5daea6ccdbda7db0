//! The Rust types that hold fields.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::config::{CrateConfig, DocumentConfig};
use crate::load::{self, schema_name};
use crate::name;
use crate::pointer::Pointer;
use crate::structure::{Place, Step};

use super::api::Api;
use super::change::short;

/// The types of objects inside the schemas of a document.
#[derive(Debug, Default)]
pub(super) struct Types {
    /// The names by schema and path; none if another crate has the type.
    inner: BTreeMap<(String, String), Option<String>>,
    /// The names that the configuration gives to fields, by type and property.
    fields: BTreeMap<String, String>,
}

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

impl Types {
    /// Names the objects inside the schemas as the generator does.
    pub(super) fn of(
        document: &Value,
        api: &Api,
        known: Option<(&CrateConfig, &DocumentConfig)>,
    ) -> Self {
        let mut types = Self::default();
        for prefix in api.prefixes() {
            for (pointer, name) in load::inner_types(document, prefix, known) {
                types.inner.extend(place(&pointer).zip(Some(name)));
            }
        }
        let names = known.into_iter().flat_map(|(_, config)| &config.names);
        let fields = names.filter(|(name, _)| name.contains('.'));
        types.fields = fields
            .map(|(name, to)| (name.clone(), to.clone()))
            .collect();
        types
    }

    fn field(&self, owner: &str, property: &str) -> String {
        let given = self.fields.get(&format!("{owner}.{property}"));
        given.cloned().unwrap_or_else(|| rust_name(property))
    }
}

/// The schema that a pointer leads into, and the path from there.
fn place(pointer: &Pointer) -> Option<(String, String)> {
    let mut segments = pointer.segments().skip(2);
    let schema = segments.next()?;
    let mut path = String::new();
    while let Some(keyword) = segments.next() {
        path = match keyword.as_str() {
            "properties" => path.step(Step::Field(&segments.next()?)),
            "items" => path.step(Step::Elements),
            "additionalProperties" => path.step(Step::Values),
            _ => return None,
        };
    }
    Some((schema, path))
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
                "" => Some(short(schema).to_owned()),
                inside => {
                    let inner = (schema.clone(), inside.to_owned());
                    api.types.inner.get(&inner).cloned().unwrap_or_default()
                }
            };
            found = Field {
                is_own: api.owns(schema) && owner.is_some(),
                name: owner.as_ref().map(|owner| api.types.field(owner, property)),
                owner: owner.unwrap_or_default(),
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

pub(super) fn rust_name(field: &str) -> String {
    name::field_name(field).map_or_else(|| field.to_owned(), |name| name.as_str().to_owned())
}
