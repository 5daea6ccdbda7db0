//! Objects inside schemas that are equal to a type of k8s-openapi become it, if the configuration
//! asks for it.
//!
//! A type is that of Kubernetes only if nothing of an object or of its rules is lost in it: its
//! properties, their types, defaults and required ones are the same, and no rule is asked of it or
//! looks into it. Types that hold quantities or ports aren't among the known ones, because those of
//! k8s-openapi don't read all that a server keeps in a custom resource; nor are types that have got
//! fields since the oldest release of k8s-openapi that is supported.

mod table;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::equal::refer;
use super::inline::{Place, Places};
use super::refs::{SCHEMAS, schema_name};
use crate::pointer::Pointer;
use table::{Form, KNOWN, Known};

/// Puts known types in place of inner schemas that are equal to them. Those to which the
/// configuration gives a name stay, and those for which it has something else.
pub(super) fn replace(
    document: &mut Value,
    places: &mut Places,
    is_given: &dyn Fn(&str, &Place) -> bool,
) {
    let words = words_of_rules(document);
    let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) else {
        return;
    };
    let mut sites = Sites::default();
    for schema in schemas.values() {
        sites.find(schema, Within::Other);
    }
    let comparison = Comparison {
        schemas,
        places,
        sites: &sites,
        words: &words,
        is_given,
    };
    let mut found = Found::new();
    for name in places.keys() {
        comparison.find(name, &mut found);
    }
    let found = found.into_iter();
    let known: BTreeMap<_, _> = found
        .map(|(name, known)| (name, known.name.to_owned()))
        .collect();
    if known.is_empty() {
        return;
    }
    for (name, known) in &known {
        places.remove(name);
        if let Some(schema) = schemas.remove(name) {
            schemas.entry(known).or_insert(schema);
        }
    }
    for schema in schemas.values_mut() {
        refer(schema, &known);
    }
}

/// The words in rules, of which some are names of properties.
fn words_of_rules(document: &Value) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    collect(document, &mut words);
    words
}

fn collect(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(rule) if name == "rule" => {
                        let is_part = |c: char| c.is_alphanumeric() || c == '_';
                        let found = rule.split(|c| !is_part(c));
                        words.extend(found.map(str::to_owned));
                    }
                    value => collect(value, words),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, words)),
        _ => {}
    }
}

/// A place that refers to a schema.
struct Site<'a> {
    place: &'a Map<String, Value>,
    around: Within,
}

/// The surroundings of a place.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    /// An object or map.
    Other,
    /// A list that is replaced as a whole.
    Whole,
    /// A list whose elements have keys or differ, or a list or map with rules, which look into it.
    Looking,
}

/// The places that refer to schemas, by the names of these.
#[derive(Default)]
struct Sites<'a>(BTreeMap<&'a str, Vec<Site<'a>>>);

impl<'a> Sites<'a> {
    fn find(&mut self, value: &'a Value, around: Within) {
        match value {
            Value::Object(members) => {
                if let Some(name) = referred(members) {
                    let place = members;
                    let sites = self.0.entry(name).or_default();
                    sites.push(Site { place, around });
                }
                for (key, value) in members {
                    let inside = match key.as_str() {
                        _ if around == Within::Looking => around,
                        "items" | "additionalProperties" if has_rules(members) => Within::Looking,
                        "items" => within(members),
                        _ => Within::Other,
                    };
                    self.find(value, inside);
                }
            }
            Value::Array(items) => items.iter().for_each(|value| self.find(value, around)),
            _ => {}
        }
    }
}

fn has_rules(value: &Map<String, Value>) -> bool {
    value.contains_key("x-kubernetes-validations")
}

fn within(list: &Map<String, Value>) -> Within {
    match list.get("x-kubernetes-list-type").and_then(Value::as_str) {
        None | Some("atomic") => Within::Whole,
        Some(_) => Within::Looking,
    }
}

/// The schema to which a place refers, beside what it says itself.
fn referred(place: &Map<String, Value>) -> Option<&str> {
    let [reference] = place.get("allOf")?.as_array()?.as_slice() else {
        return None;
    };
    schema_name(reference.get("$ref")?.as_str()?)
}

/// Compares inner schemas with known types.
struct Comparison<'a> {
    schemas: &'a Map<String, Value>,
    places: &'a Places,
    sites: &'a Sites<'a>,
    words: &'a BTreeSet<String>,
    is_given: &'a dyn Fn(&str, &Place) -> bool,
}

/// The inner schemas that are of known types.
type Found = BTreeMap<String, &'static Known>;

impl Comparison<'_> {
    /// Adds an inner schema, and those in it, if it is a known type.
    fn find(&self, name: &str, found: &mut Found) {
        for known in KNOWN.iter().filter(|known| !known.is_part) {
            let mut inside = Found::new();
            if self.is((name, false), known, &mut inside) {
                found.extend(inside);
            }
        }
    }

    /// Returns true if an inner schema is a known type, and adds it and those in it. It may be in
    /// an object that a server replaces as a whole.
    fn is(&self, (name, is_whole): (&str, bool), known: &'static Known, found: &mut Found) -> bool {
        let (Some(place), Some(Value::Object(schema))) =
            (self.places.get(name), self.schemas.get(name))
        else {
            return false;
        };
        let mut pointers = place.all();
        let is_read = |pointer| ends(pointer).any(|name| self.words.contains(&name));
        // First what is quick to compare: few objects have just the properties of a known type.
        let is = known.has_names_of(schema)
            && !place.is_given
            && !(self.is_given)(name, place)
            && !pointers.any(is_read)
            && self.is_placed(name, known, is_whole)
            && is_named(known, &place.first, schema)
            && self.has_properties((schema, is_whole || self.is_whole(name)), known, found);
        if is {
            found.insert(name.to_owned(), known);
        }
        is
    }

    /// Returns true if a schema has the properties of a type, and says nothing else.
    fn has_properties(
        &self,
        (schema, is_whole): (&Map<String, Value>, bool),
        known: &'static Known,
        found: &mut Found,
    ) -> bool {
        let says = ["description", "properties", "required", "type"];
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let required: BTreeSet<_> = required.collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let Some(properties) = properties else {
            return false;
        };
        schema
            .keys()
            .all(|keyword| says.contains(&keyword.as_str()))
            && known.properties.iter().all(|(name, form)| {
                let (is_required, form) = match form {
                    Form::Required(form) => (true, *form),
                    form => (false, form),
                };
                required.contains(name) == is_required
                    && properties
                        .get(*name)
                        .is_some_and(|property| self.has_form((property, is_whole), form, found))
            })
    }

    fn has_form(
        &self,
        (property, is_whole): (&Value, bool),
        form: &'static Form,
        found: &mut Found,
    ) -> bool {
        let Some(property) = property.as_object() else {
            return false;
        };
        let mut property = property.clone();
        property.remove("description");
        let plain = |value: Value| Some(&property) == value.as_object();
        match form {
            Form::Text => plain(json!({"type": "string"})),
            Form::Flag => plain(json!({"type": "boolean"})),
            Form::I32 => plain(json!({"type": "integer", "format": "int32"})),
            Form::I64 => plain(json!({"type": "integer", "format": "int64"})),
            Form::TextMap => {
                let text = json!({"type": "string"});
                plain(json!({"type": "object", "additionalProperties": text}))
            }
            Form::Texts => {
                is_whole_list(&mut property)
                    && property.get("items") == Some(&json!({"type": "string"}))
                    && property.len() == 2
            }
            Form::One(known) => {
                let name = referred(&property);
                name.is_some_and(|name| self.is_part((name, is_whole), known, found))
            }
            Form::Many(known) => {
                let items = property.get("items").and_then(Value::as_object).cloned();
                let items = items.as_ref().and_then(referred);
                let is_known =
                    items.is_some_and(|name| self.is_part((name, is_whole), known, found));
                is_known && is_whole_list(&mut property) && property.len() == 2
            }
            Form::Required(form) => {
                self.has_form((&Value::Object(property), is_whole), form, found)
            }
        }
    }

    fn is_part(&self, part: (&str, bool), wanted: &str, found: &mut Found) -> bool {
        let mut known = KNOWN.iter().filter(|known| known.name == wanted);
        known.any(|known| self.is(part, known, found))
    }

    /// Returns true if the places that refer to a schema say no more of it than Kubernetes' own do.
    /// In an object that is replaced as a whole, so is what is in it.
    fn is_placed(&self, name: &str, known: &Known, is_whole: bool) -> bool {
        let says = ["allOf", "description", "x-kubernetes-map-type"];
        let sites = self.sites.0.get(name).into_iter().flatten();
        sites.into_iter().all(|Site { place, around }| {
            let fits = match around {
                Within::Looking => false,
                Within::Whole => true,
                // A value that is applied in parts can lack each of them.
                Within::Other => {
                    is_whole || is_atomic(place) == known.is_atomic && !known.is_applied_whole()
                }
            };
            fits && place.keys().all(|keyword| says.contains(&keyword.as_str()))
        })
    }

    /// Returns true if a server replaces objects of a schema as a whole.
    fn is_whole(&self, name: &str) -> bool {
        let mut sites = self.sites.0.get(name).into_iter().flatten();
        sites.all(|Site { place, around }| *around == Within::Whole || is_atomic(place))
    }
}

fn is_atomic(place: &Map<String, Value>) -> bool {
    place.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic")
}

/// Returns true if a property is a list that is replaced as a whole; takes the keyword of that out.
fn is_whole_list(property: &mut Map<String, Value>) -> bool {
    let is_whole = within(property) == Within::Whole;
    property.remove("x-kubernetes-list-type");
    is_whole && property.get("type") == Some(&json!("array"))
}

/// The name of the property in which an object is; beside it the keywords of lists and maps, which
/// can be names of properties too.
fn ends(pointer: &Pointer) -> impl Iterator<Item = String> {
    let mut segments: Vec<_> = pointer.segments().collect();
    segments.reverse();
    let is_end = |name: &String| name != "items" && name != "additionalProperties";
    let end = segments.iter().position(is_end).unwrap_or_default();
    segments.into_iter().take(end + 1)
}

/// Returns true if the words at an object say that it is the type, where only they tell that.
fn is_named(known: &Known, place: &Pointer, schema: &Map<String, Value>) -> bool {
    let Some((word, other)) = known.words else {
        return true;
    };
    let description = schema.get("description").and_then(Value::as_str);
    let property = ends(place).collect::<String>();
    let mut texts = [&*property, description.unwrap_or_default()].into_iter();
    let says = texts.find_map(|text| {
        let text = text.to_lowercase();
        let (is, is_other) = (text.contains(word), text.contains(other));
        (is || is_other).then_some(is && !is_other)
    });
    says == Some(true)
}
