//! Schemas that are not generated, and the types of other crates for them.

mod inside;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::config::{Config, CrateConfig, DocumentConfig};
use crate::diag::Spot;
use crate::foundation;
use crate::load::{Document, SCHEMAS, schema_name};
use crate::model::{External, Paths, Replaced, Step};
use crate::name::{self, RustPath};

/// The longest path in a type of another crate; those of Kubernetes' own have half as many fields.
const DEEPEST: usize = 16;

/// The home of a schema that is not generated.
pub(super) fn of(
    name: &str,
    document: &Document,
    at: &Spot<'_>,
    config: &Config,
) -> Option<External> {
    let Some(external) = config.external(name) else {
        return at.refuse(
            format!("no crate is known to have `{name}`"),
            "say in codegen.toml where it lives: an [[extern]] with its `prefix` and the \
             Rust `path`",
        );
    };
    let rest = name.strip_prefix(&external.prefix)?;
    let Some(path) = RustPath::below(&external.path, rest) else {
        return at.refuse(
            format!("`{rest}` can't be a type below `{}`", external.path),
            "give it an [[extern]] with a longer prefix in codegen.toml",
        );
    };
    let root = path.modules().first().map(|root| root.as_str());
    let is_root = |krate: &&CrateConfig| Some(krate.name.replace('-', "_").as_str()) == root;
    let generated = config.crates.iter().find(is_root);
    let package = root
        .filter(|root| *root != "k8s_openapi")
        .map(|root| match generated {
            Some(krate) => krate.name.clone(),
            None => root.replace('_', "-"),
        });
    // Metadata is read and checked in a way of its own.
    let is_looked_into = document.is_of_custom_resources() && !foundation::is_metadata(&path);
    let large = external.large.iter().any(|l| l == path.name().as_str());
    Some(External {
        path,
        package,
        generated: generated.is_some(),
        otherwise: generated.and_then(|_| otherwise(name, config)),
        large,
        required: has_required(name, document),
        merged: merged(name, document),
        has_maps: is_looked_into && has_maps(name, document),
        inside: match is_looked_into {
            true => inside::of(name, document),
            false => Paths::default(),
        },
    })
}

/// The home of a schema that is generated from another document of the same crate.
pub(super) fn shared(
    name: &str,
    document: &Document,
    document_config: &DocumentConfig,
    config: &Config,
) -> Option<External> {
    let short = name.strip_prefix(&document_config.prefix)?;
    let is_own = |krate: &&CrateConfig| {
        krate
            .documents
            .iter()
            .any(|d| std::ptr::eq(d, document_config))
    };
    Some(External {
        path: RustPath::own(document_config.module.as_deref(), short)?,
        package: Some(config.crates.iter().find(is_own)?.name.clone()),
        generated: true,
        otherwise: None,
        large: false,
        required: has_required(name, document),
        merged: merged(name, document),
        has_maps: false,
        inside: Paths::default(),
    })
}

/// The homes of schemas that the configuration gives a type of another crate.
pub(super) fn given(document: &Document) -> BTreeMap<String, External> {
    let paths = document.replaced.paths.iter();
    let homes = paths.filter_map(|(name, path)| {
        let external = External {
            path: RustPath::given(path)?,
            // Its dependency is in the configuration.
            package: None,
            generated: false,
            otherwise: None,
            large: false,
            required: has_required(name, document),
            merged: merged(name, document),
            has_maps: false,
            // What is asked inside is listed as left to a server.
            inside: Paths::default(),
        };
        Some((name.clone(), external))
    });
    homes.collect()
}

/// The type of k8s-openapi for a schema, by the configuration.
fn otherwise(name: &str, config: &Config) -> Option<RustPath> {
    let external =
        config.external_of(name, |external| external.path.starts_with("k8s_openapi::"))?;
    RustPath::below(&external.path, name.strip_prefix(&external.prefix)?)
}

/// Returns true if a schema, or one that it refers to, has required properties.
fn has_required(name: &str, document: &Document) -> bool {
    holds(name, document, |schema| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|required| !required.is_empty())
    })
}

/// Returns true if a schema, or one that it refers to, has maps.
fn has_maps(name: &str, document: &Document) -> bool {
    holds(name, document, |schema| {
        schema.get("additionalProperties").is_some()
    })
}

/// Returns true if a schema, what is in it, or one that it refers to is so.
fn holds(name: &str, document: &Document, is: impl Fn(&Value) -> bool) -> bool {
    let schema = |name: &str| document.json.pointer(SCHEMAS)?.get(name);
    let mut seen = BTreeSet::new();
    let mut open: Vec<_> = schema(name).into_iter().collect();
    while let Some(value) = open.pop() {
        if is(value) {
            return true;
        }
        match value {
            Value::Object(object) => open.extend(object.values()),
            Value::Array(array) => open.extend(array),
            Value::String(text) => {
                let name = schema_name(text).filter(|name| seen.insert(*name));
                open.extend(name.and_then(schema));
            }
            _ => {}
        }
    }
    false
}

/// The paths of what a server replaces as a whole in an object of a schema; `None` if the schema
/// isn't an object, or is replaced itself.
///
/// Types of other crates merge the fields of every object. They merge lists and maps as their
/// documents say, so that those aren't entered.
fn merged(name: &str, document: &Document) -> Option<Vec<Replaced>> {
    let schema = document.json.pointer(SCHEMAS)?.get(name)?;
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    if !is_object || map_type(schema) == Some("atomic") {
        return None;
    }
    let mut found = Vec::new();
    replaced(
        schema,
        document,
        &mut vec![name],
        &mut Vec::new(),
        &mut found,
    );
    Some(found)
}

fn replaced<'a>(
    schema: &'a Value,
    document: &'a Document,
    above: &mut Vec<&'a str>,
    path: &mut Replaced,
    found: &mut Vec<Replaced>,
) {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    for (json, property) in properties.into_iter().flatten() {
        let (Some(field), Some(target)) = (name::field_name(json), referred(property)) else {
            continue;
        };
        let schemas = document.json.pointer(SCHEMAS).and_then(Value::as_object);
        let Some(inner) = schemas.and_then(|schemas: &Map<_, _>| schemas.get(target)) else {
            continue;
        };
        let required = required.into_iter().flatten();
        path.push(Step {
            name: field,
            required: required.clone().any(|name| name == json),
        });
        let is_atomic = map_type(property).or_else(|| map_type(inner)) == Some("atomic");
        if is_atomic {
            found.push(path.clone());
        } else if !above.contains(&target) && above.len() < DEEPEST {
            above.push(target);
            replaced(inner, document, above, path, found);
            above.pop();
        }
        path.pop();
    }
}

fn map_type(schema: &Value) -> Option<&str> {
    schema.get("x-kubernetes-map-type").and_then(Value::as_str)
}

/// The schema that a property refers to.
fn referred(property: &Value) -> Option<&str> {
    let reference = property
        .get("$ref")
        .or_else(|| property.pointer("/allOf/0/$ref"));
    schema_name(reference?.as_str()?)
}
