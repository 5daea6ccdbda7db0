//! Extracts the fields of a live object that are owned.

use k8s_openapi::serde_json::{Map, Value};

use super::fields::{Element, Owned};
use crate::{FieldPath, Segment};

/// The parts of the metadata of every kind that can have different owners. An owner reference
/// has one owner.
const METADATA: &[&str] = &[
    "metadata",
    "metadata.annotations",
    "metadata.finalizers",
    "metadata.labels",
    "metadata.ownerReferences",
];

/// Returns the fields of the object that are owned.
#[inline]
pub(super) fn extract(live: &Value, owned: &Owned, granular: &[&str]) -> Map<String, Value> {
    let extract = Extract { granular };
    let object = live.as_object();
    object
        .map(|object| extract.fields("", object, owned))
        .unwrap_or_default()
}

struct Extract<'a> {
    granular: &'a [&'a str],
}

impl Extract<'_> {
    /// Returns the owned part of a value, if there is one.
    #[inline]
    fn value(&self, path: &str, live: &Value, owned: &Owned) -> Option<Value> {
        let whole = owned.is_leaf() && !is_granular(path, self.granular);
        let value = match live {
            live if whole => return owned.itself.then(|| live.clone()),
            Value::Object(live) => self.fields(path, live, owned).into(),
            Value::Array(live) => self.elements(path, live, owned).into(),
            // The value has changed its type since; the owned fields are gone.
            live => return owned.itself.then(|| live.clone()),
        };
        let is_empty = match &value {
            Value::Object(fields) => fields.is_empty(),
            Value::Array(elements) => elements.is_empty(),
            _ => false,
        };
        (owned.itself || !is_empty).then_some(value)
    }

    #[inline]
    fn fields(&self, path: &str, live: &Map<String, Value>, owned: &Owned) -> Map<String, Value> {
        let mut fields = Map::new();
        for (name, value) in live {
            let Some(owned) = owned.field(name) else {
                continue;
            };
            if let Some(value) = self.value(&field(path, name), value, owned) {
                fields.insert(name.clone(), value);
            }
        }
        fields
    }

    #[inline]
    fn elements(&self, path: &str, live: &[Value], owned: &Owned) -> Vec<Value> {
        let inside = format!("{path}[]");
        let elements = live.iter().enumerate().filter_map(|(index, value)| {
            let mut named = owned.elements().filter(|(e, _)| is_at(e, index, value));
            let (element, owned) = named.next()?;
            let mut part = self.value(&inside, value, owned)?;
            if let (Element::Key(keys), Value::Object(fields)) = (element, &mut part) {
                // The keys identify the element.
                for (key, value) in keys {
                    fields.insert(key.clone(), value.clone());
                }
            }
            Some(part)
        });
        elements.collect()
    }
}

/// Returns the path of a field of the object at a path.
#[inline]
pub(super) fn field(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Returns true if the parts of the value at a path can have different owners.
#[inline]
pub(super) fn is_granular(path: &str, granular: &[&str]) -> bool {
    METADATA.contains(&path) || granular.contains(&path)
}

/// Returns true if an element of a list is the one that is named.
#[inline]
pub(super) fn is_at(element: &Element, index: usize, value: &Value) -> bool {
    match element {
        Element::Field(_) => false,
        Element::Key(keys) => keys
            .iter()
            .all(|(key, wanted)| value.get(key) == Some(wanted)),
        Element::Value(wanted) => value == wanted,
        Element::Index(wanted) => index == *wanted,
    }
}

/// Returns the path of the first value that differs.
#[inline]
pub(super) fn difference(a: &Value, b: &Value) -> Option<FieldPath> {
    let mut path = FieldPath::default();
    differs(Some(a), Some(b), &mut path).then_some(path)
}

/// Returns true if two values differ; `path` is then the path of the first difference.
#[inline]
fn differs(a: Option<&Value>, b: Option<&Value>, path: &mut FieldPath) -> bool {
    match (a, b) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            for name in a
                .keys()
                .chain(b.keys().filter(|name| !a.contains_key(*name)))
            {
                path.push(Segment::Field(name.clone().into()));
                if differs(a.get(name), b.get(name), path) {
                    return true;
                }
                path.pop();
            }
            false
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                path.push(Segment::Index(index));
                if differs(Some(a), Some(b), path) {
                    return true;
                }
                path.pop();
            }
            false
        }
        (a, b) => a != b,
    }
}
