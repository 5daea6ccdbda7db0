//! Objects inside schemas that are equal become one, if the configuration asks for it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::inline::{Places, shape};
use super::refs::{SCHEMAS, schema_name};

/// Makes one schema of those inner ones that are equal but for their descriptions. It keeps the
/// shortest of their names, of several that are as short the first in the alphabet; a name that
/// the configuration gives stays in any case.
pub(super) fn merge(document: &mut Value, places: &mut Places) {
    let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) else {
        return;
    };
    let mut classes = Classes::default();
    for name in places.keys() {
        classes.of(name, schemas, places);
    }
    let kept = classes.kept(places);
    for (name, kept) in &kept {
        schemas.remove(name);
        if let Some(other) = places.remove(name)
            && let Some(place) = places.get_mut(kept)
        {
            place.others.push(other.first);
            place.others.extend(other.others);
        }
    }
    for place in places.values_mut() {
        place.others.sort();
    }
    schemas.values_mut().for_each(|schema| refer(schema, &kept));
}

/// The classes of equal schemas.
#[derive(Default)]
struct Classes {
    /// The class of each schema.
    of: BTreeMap<String, usize>,
    /// The classes by their shapes, in which references name classes.
    by_shape: BTreeMap<String, usize>,
}

impl Classes {
    /// The class of an inner schema, after those of the schemas in it: objects inside others end.
    fn of(&mut self, name: &str, schemas: &Map<String, Value>, places: &Places) -> usize {
        if let Some(class) = self.of.get(name) {
            return *class;
        }
        let mut shape = schemas.get(name).map(shape).unwrap_or_default();
        self.refer(&mut shape, schemas, places);
        let next = self.by_shape.len();
        let class = *self.by_shape.entry(shape.to_string()).or_insert(next);
        self.of.insert(name.to_owned(), class);
        class
    }

    /// Puts classes in place of references to inner schemas.
    fn refer(&mut self, value: &mut Value, schemas: &Map<String, Value>, places: &Places) {
        each_reference(value, &mut |reference| {
            let name = schema_name(reference)?;
            let is_inner = places.contains_key(name);
            is_inner.then(|| self.of(name, schemas, places).to_string())
        });
    }

    /// The schemas that go, each with the one that it is equal to and that stays.
    fn kept(&self, places: &Places) -> BTreeMap<String, String> {
        let mut members: BTreeMap<usize, Vec<&String>> = BTreeMap::new();
        for (name, class) in &self.of {
            members.entry(*class).or_default().push(name);
        }
        let is_given = |name: &str| places.get(name).is_some_and(|place| place.is_given);
        let mut kept = BTreeMap::new();
        for names in members.values() {
            let first = names.iter().min_by_key(|n| (!is_given(n), n.len(), **n));
            let Some(first) = first else { continue };
            let others = names.iter().filter(|n| *n != first && !is_given(n));
            kept.extend(others.map(|name| ((*name).clone(), (*first).clone())));
        }
        kept
    }
}

/// Makes references to schemas that went lead to those that stayed.
pub(super) fn refer(value: &mut Value, kept: &BTreeMap<String, String>) {
    each_reference(value, &mut |reference| {
        let kept = kept.get(schema_name(reference)?)?;
        Some(format!("#{SCHEMAS}/{kept}"))
    });
}

/// Replaces references that a function has another text for.
fn each_reference(value: &mut Value, other: &mut dyn FnMut(&str) -> Option<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(reference) if key == "$ref" => {
                        if let Some(other) = other(reference) {
                            *reference = other;
                        }
                    }
                    value => each_reference(value, other),
                }
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|value| each_reference(value, other)),
        _ => {}
    }
}
