//! Objects with properties inside another schema get a name and a schema of their own, as they have
//! in the documents of Kubernetes' own kinds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter;

use serde_json::{Map, Value, json};

use super::refs::SCHEMAS;
use crate::diag::Spot;
use crate::keyword::COMBINED;
use crate::name;
use crate::pointer::Pointer;

/// The keywords that say what an object is made of, and go with it; the others say what its place
/// is for.
const OF_TYPE: [&str; 17] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "example",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "properties",
    "required",
    "type",
    COMBINED,
    "x-kubernetes-embedded-resource",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    "x-rules",
];

/// Overrides of names, by derived name.
pub(super) struct Names<'a> {
    prefix: &'a str,
    overrides: &'a BTreeMap<String, String>,
    unused: BTreeSet<&'a str>,
    /// True if objects without any property get a name too: of custom resources, they keep none.
    empty: bool,
}

impl<'a> Names<'a> {
    pub(super) fn new(
        prefix: &'a str,
        overrides: &'a BTreeMap<String, String>,
        empty: bool,
    ) -> Self {
        Self {
            prefix,
            overrides,
            unused: overrides
                .keys()
                .map(String::as_str)
                .filter(|name| !name.contains('.'))
                .collect(),
            empty,
        }
    }

    /// The name of the schema for an object, and whether it is asked for.
    fn of(&mut self, wanted: String) -> (String, bool) {
        let short = wanted.strip_prefix(self.prefix).unwrap_or(&wanted);
        match self.overrides.get_key_value(short) {
            Some((short, name)) => {
                self.unused.remove(short.as_str());
                (format!("{}{name}", self.prefix), true)
            }
            None => (wanted, false),
        }
    }
}

/// The place of an object before it had a name.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) first: Pointer,
    /// Further places of objects of that name.
    pub(crate) others: Vec<Pointer>,
    /// True if the configuration gives the name.
    pub(super) is_given: bool,
}

impl Place {
    /// All places, the first one first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Pointer> {
        iter::once(&self.first).chain(&self.others)
    }
}

/// The places of the objects that have names, by these.
pub(crate) type Places = BTreeMap<String, Place>;

/// Names all objects inside the schemas of a prefix: by an override, or after their schema path,
/// `ThingSpecPorts`. Returns where each was.
pub(super) fn name_all(document: &mut Value, mut names: Names<'_>, root: &Spot<'_>) -> Places {
    let mut places = Places::new();
    // Each object of a given name as it was before the objects in it had names.
    let mut shapes = BTreeMap::new();
    let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) else {
        return places;
    };
    let own = schemas.keys().filter(|name| name.starts_with(names.prefix));
    let mut open: VecDeque<String> = own.cloned().collect();
    while let Some(owner) = open.pop_front() {
        let place = places.get(&owner).map(|place| place.first.clone());
        let place = place
            .unwrap_or_else(|| Pointer::schema(&owner))
            .child("properties");
        let properties = schemas
            .get_mut(&owner)
            .and_then(|s| s.get_mut("properties"));
        let properties = properties.and_then(Value::as_object_mut);
        let Some(properties) = properties.map(std::mem::take) else {
            continue;
        };
        let mut named = Map::new();
        for (name, mut property) in properties {
            let at = place.child(&name);
            let wanted = format!("{owner}{}", name::title(&name));
            if let Some(Extracted {
                name,
                is_given,
                schema,
                at,
            }) = extract(&mut property, &wanted, &mut names, schemas, at)
            {
                // No other has the name, if it isn't given.
                let shape = is_given.then(|| shape(&schema));
                match shapes.get(&name) {
                    Some(known) if Some(known) == shape.as_ref() => {
                        if let Some(place) = places.get_mut(&name) {
                            place.others.push(at);
                        }
                    }
                    None if !schemas.contains_key(&name) => {
                        open.push_back(name.clone());
                        let place = Place {
                            first: at,
                            others: Vec::new(),
                            is_given,
                        };
                        places.insert(name.clone(), place);
                        if let Some(shape) = shape {
                            shapes.insert(name.clone(), shape);
                        }
                        schemas.insert(name, schema);
                    }
                    _ => root.at(at).report(
                        format!("an object unlike the other that is named `{name}`"),
                        "give it another name in `names` of the document, in codegen.toml",
                    ),
                }
            }
            named.insert(name, property);
        }
        if let Some(schema) = schemas.get_mut(&owner) {
            schema["properties"] = Value::Object(named);
        }
    }
    for unused in names.unused {
        root.report(
            format!(
                "no object of the document has the default name `{}`",
                unused.escape_debug()
            ),
            "correct the name in `names` of the document in codegen.toml, or remove it",
        );
    }
    places
}

/// A schema without its descriptions.
pub(super) fn shape(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let is_said = |name: &str, value: &Value| name == "description" && value.is_string();
            let members = members.iter().filter(|(name, value)| !is_said(name, value));
            members
                .map(|(name, value)| (name.clone(), shape(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(shape).collect(),
        other => other.clone(),
    }
}

/// An object that was inside another schema.
struct Extracted {
    name: String,
    /// True if the configuration gives the name.
    is_given: bool,
    schema: Value,
    at: Pointer,
}

/// Takes the object out of a value, of the elements of a list, or of the values of a map.
fn extract(
    value: &mut Value,
    wanted: &str,
    names: &mut Names<'_>,
    schemas: &Map<String, Value>,
    at: Pointer,
) -> Option<Extracted> {
    if has_properties(value) || names.empty && is_empty(value) {
        let Value::Object(mut inner) = value.take() else {
            return None;
        };
        let mut place = Map::new();
        for (keyword, said) in &inner {
            if !OF_TYPE.contains(&keyword.as_str()) {
                place.insert(keyword.clone(), said.clone());
            }
        }
        inner.retain(|keyword, _| OF_TYPE.contains(&keyword.as_str()) || keyword == "description");
        let (wanted, is_given) = names.of(wanted.to_owned());
        let name = match is_given {
            true => wanted,
            false => name::free(&wanted, |name| !schemas.contains_key(name)),
        };
        place.insert(
            "allOf".to_owned(),
            json!([{"$ref": format!("#{SCHEMAS}/{name}")}]),
        );
        *value = Value::Object(place);
        return Some(Extracted {
            name,
            is_given,
            schema: Value::Object(inner),
            at,
        });
    }
    let inside = ["items", "additionalProperties"];
    inside.into_iter().find_map(|keyword| {
        let inner = value.get_mut(keyword)?;
        extract(inner, wanted, names, schemas, at.child(keyword))
    })
}

fn has_properties(value: &Value) -> bool {
    let properties = value.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| !properties.is_empty())
}

/// Returns true for an object that can't have any property.
fn is_empty(value: &Value) -> bool {
    let is = |keyword: &str, expected: Value| value.get(keyword) == Some(&expected);
    let others = value.get("additionalProperties").unwrap_or(&Value::Null);
    is("type", "object".into())
        && matches!(others, Value::Null | Value::Bool(false))
        && !is("x-kubernetes-preserve-unknown-fields", true.into())
}
