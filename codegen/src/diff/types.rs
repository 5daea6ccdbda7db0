//! The Rust types of objects inside schemas, and the names of their fields.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::config::{CrateConfig, DocumentConfig};
use crate::load;
use crate::name;
use crate::pointer::Pointer;
use crate::structure::{Place, Step};

/// The types of objects inside the schemas of a document.
#[derive(Debug, Default)]
pub(super) struct Types {
    /// The names by schema and path; none if another crate has the type.
    inner: BTreeMap<(String, String), Option<String>>,
    /// The names that the configuration gives to fields, by type and property.
    fields: BTreeMap<String, String>,
}

impl Types {
    /// Names the objects inside the schemas as the generator does.
    pub(super) fn of<'a>(
        document: &Value,
        prefixes: impl Iterator<Item = &'a str>,
        known: Option<(&CrateConfig, &DocumentConfig)>,
    ) -> Self {
        let mut types = Self::default();
        for prefix in prefixes {
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

    /// The type of the object at a path in a schema, unless another crate has it.
    pub(super) fn inner(&self, schema: &str, path: &str) -> Option<&str> {
        let place = (schema.to_owned(), path.to_owned());
        self.inner.get(&place)?.as_deref()
    }

    /// The name of the field of a property.
    pub(super) fn field(&self, owner: &str, property: &str) -> String {
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

/// The name of the field of a property, unless the configuration gives another.
pub(super) fn rust_name(field: &str) -> String {
    name::field_name(field).map_or_else(|| field.to_owned(), |name| name.as_str().to_owned())
}
