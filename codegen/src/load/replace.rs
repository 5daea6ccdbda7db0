//! Objects inside schemas of which another crate has the type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::inline::{Place, Places};
use super::refs::{KIND, SCHEMAS, references, schema_name};
use super::unread::shown;
use crate::config::CrateConfig;
use crate::model::Unchecked;
use crate::pointer::Pointer;

/// The types of k8s-openapi for objects that are like them: the type, the properties of an object
/// of which it holds every value and writes no other, and how many of them are always there.
const KNOWN: [(&str, &[&str], usize); 2] = [
    (
        "k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition",
        &[
            "lastTransitionTime",
            "message",
            "reason",
            "status",
            "type",
            "observedGeneration",
        ],
        5,
    ),
    (
        "k8s_openapi::api::core::v1::ObjectReference",
        &[
            "apiVersion",
            "fieldPath",
            "kind",
            "name",
            "namespace",
            "resourceVersion",
            "uid",
        ],
        0,
    ),
];

/// The keywords that are rules, or that say what a server does with values.
const RULES: [&str; 24] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "required",
    "uniqueItems",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
];

/// The schemas that types of other crates replace.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    /// The path of the type for each schema.
    pub(crate) paths: BTreeMap<String, String>,
    /// The names of the configuration that are those of schemas.
    pub(crate) used: BTreeSet<String>,
    /// The rules in them, which aren't checked.
    pub(crate) rules: Vec<Unchecked>,
}

/// Finds the schemas that the configuration of a crate replaces, and takes out what only they hold.
pub(super) fn run(
    document: &mut Value,
    places: &mut Places,
    krate: &CrateConfig,
    prefix: &str,
) -> Replaced {
    let mut replaced = Replaced::default();
    let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) else {
        return replaced;
    };
    for (name, place) in &*places {
        for (key, path) in given(name, place, krate, prefix) {
            replaced.used.insert(key.clone());
            replaced.paths.insert(name.clone(), path.clone());
        }
        let known = schemas
            .get(name)
            .filter(|_| krate.known_types)
            .and_then(known);
        if let Some(path) = known {
            let path = || path.to_owned();
            replaced.paths.entry(name.clone()).or_insert_with(path);
        }
    }
    let mut named = Vec::new();
    let others = schemas.iter();
    for (name, schema) in others.filter(|(name, _)| !places.contains_key(*name)) {
        let short = name.strip_prefix(prefix).unwrap_or_default();
        let given = krate.types.get_key_value(short);
        if let Some((key, path)) = given.filter(|_| schema.get(KIND).is_none()) {
            replaced.used.insert(key.clone());
            replaced.paths.insert(name.clone(), path.clone());
            named.push(name.clone());
        }
    }
    for name in replaced.paths.keys() {
        let all = places.get(name).into_iter();
        let all = all.flat_map(Place::all);
        for at in all {
            let path = replaced.paths.get(name).map(String::as_str);
            rules(
                schemas,
                name,
                at,
                path.unwrap_or_default(),
                &mut replaced.rules,
            );
        }
    }
    let reached = reached(schemas, places, &replaced.paths, &named);
    places.retain(|name, _| reached.contains(name));
    let is_kept = |name: &String| !name.starts_with(prefix) || reached.contains(name);
    schemas.retain(|name, _| is_kept(name));
    replaced
}

/// Returns true if the configuration replaces an inner schema.
pub(super) fn is_given(name: &str, place: &Place, krate: &CrateConfig, prefix: &str) -> bool {
    given(name, place, krate, prefix).next().is_some()
}

/// The types that the configuration gives for an inner schema, by the names there.
fn given<'a>(
    name: &str,
    place: &Place,
    krate: &'a CrateConfig,
    prefix: &str,
) -> impl Iterator<Item = (&'a String, &'a String)> {
    let short = name.strip_prefix(prefix).unwrap_or(name).to_owned();
    let all = place.all();
    let mut keys: BTreeSet<_> = match krate.types.is_empty() {
        true => BTreeSet::new(),
        false => all.map(path_of).collect(),
    };
    keys.insert(short);
    let given = krate.types.iter();
    given.filter(move |(key, _)| keys.contains(&key.replace("[*]", "")))
}

/// The kind and the place in its objects, without the signs of elements: `Boat.spec.owner`.
fn path_of(at: &Pointer) -> String {
    let at = Unchecked {
        pointer: at.clone(),
        rule: String::new(),
        reason: String::new(),
    };
    let (kind, path) = at.place();
    format!("{kind}.{}", path.replace("[*]", ""))
}

/// The type of k8s-openapi that holds the values of a schema.
fn known(schema: &Value) -> Option<&'static str> {
    let properties = schema.get("properties")?.as_object()?;
    let required = schema.get("required").and_then(Value::as_array);
    let required: Vec<_> = required.into_iter().flatten().collect();
    let is_open = schema.get("x-kubernetes-preserve-unknown-fields") == Some(&true.into());
    let fits = |(_, names, always): &&(&str, &[&str], usize)| {
        let (needed, others) = names.split_at((*always).min(names.len()));
        let needed_there = needed.iter().all(|name| {
            properties.contains_key(*name) && required.iter().any(|r| r.as_str() == Some(name))
        });
        // A condition may lack a generation; a reference is one only with all that it can have.
        let others_there = *always > 0 || others.iter().all(|name| properties.contains_key(*name));
        let types = properties.iter().all(|(name, property)| {
            let wanted = match name.as_str() {
                "observedGeneration" => "integer",
                _ => "string",
            };
            let is_null = property.get("nullable") == Some(&true.into());
            names.contains(&name.as_str())
                && property.get("type") == Some(&wanted.into())
                && !is_null
        });
        needed_there && others_there && types
    };
    let (path, ..) = KNOWN.iter().find(fits).filter(|_| !is_open)?;
    Some(path)
}

/// The schemas that are no inner ones, and what they hold, but for what only replaced ones hold.
/// Of the replaced ones, `named` are no inner ones.
fn reached(
    schemas: &Map<String, Value>,
    places: &Places,
    replaced: &BTreeMap<String, String>,
    named: &[String],
) -> BTreeSet<String> {
    let inside = closure(schemas, named.to_vec(), |_| false);
    let is_root = |name: &&String| !places.contains_key(*name) && !inside.contains(*name);
    let roots = schemas.keys().filter(is_root).cloned().collect();
    closure(schemas, roots, |name| replaced.contains_key(name))
}

/// Some schemas, and those that they hold, but for what is only in those that are `closed`.
fn closure(
    schemas: &Map<String, Value>,
    mut open: Vec<String>,
    is_closed: impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if !found.insert(name.clone()) || is_closed(&name) {
            continue;
        }
        if let Some(schema) = schemas.get(&name) {
            references(schema, &mut open);
        }
    }
    found
}

/// Collects the rules of a schema and of what is in it.
fn rules(
    schemas: &Map<String, Value>,
    name: &str,
    at: &Pointer,
    path: &str,
    found: &mut Vec<Unchecked>,
) {
    let Some(schema) = schemas.get(name) else {
        return;
    };
    inside(schemas, schema, at, path, found);
}

fn inside(
    schemas: &Map<String, Value>,
    schema: &Value,
    at: &Pointer,
    path: &str,
    found: &mut Vec<Unchecked>,
) {
    let inner = schema.pointer("/allOf/0/$ref").and_then(Value::as_str);
    if let Some(name) = inner.and_then(schema_name) {
        rules(schemas, name, at, path, found);
    }
    for keyword in RULES {
        let Some(value) = schema.get(keyword) else {
            continue;
        };
        let is_rule = match keyword {
            "allOf" => inner.is_none(),
            "additionalProperties" => value.is_boolean(),
            // A whole number of any of these types is read as such.
            "format" => schema.get("type") == Some(&"string".into()),
            _ => true,
        };
        let texts = match (keyword, value) {
            _ if !is_rule => Vec::new(),
            ("x-kubernetes-validations", Value::Array(all)) => {
                let texts = all.iter().filter_map(|rule| rule.get("rule")?.as_str());
                texts.map(str::to_owned).collect()
            }
            _ => vec![shown(keyword, value)],
        };
        found.extend(texts.into_iter().map(|rule| Unchecked {
            pointer: at.clone(),
            rule,
            reason: format!("the value is a `{path}`, of another crate"),
        }));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let at = at.child("properties").child(name);
        inside(schemas, property, &at, path, found);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(element) = schema.get(keyword).filter(|element| element.is_object()) {
            inside(schemas, element, &at.child(keyword), path, found);
        }
    }
}
