//! The part of a live object that is owned.

use k8s_openapi::serde_json::{Map, Value};

use super::fields::{Element, Owned};

/// What of the metadata of every kind can have different owners. An owner reference can't.
const METADATA: &[&str] = &[
    "metadata",
    "metadata.annotations",
    "metadata.finalizers",
    "metadata.labels",
    "metadata.ownerReferences",
];

/// The fields of the object that are owned.
pub(super) fn extract(
    live: &Value,
    owned: &Owned,
    granular: &[&str],
) -> Map<String, Value> {
    let extract = Extract { granular };
    let object = live.as_object();
    object.map(|object| extract.fields("", object, owned)).unwrap_or_default()
}

struct Extract<'a> {
    granular: &'a [&'a str],
}

impl Extract<'_> {
    /// What is owned of a value, if anything.
    fn value(&self, path: &str, live: &Value, owned: &Owned) -> Option<Value> {
        let whole = owned.is_leaf() && !self.is_granular(path);
        let value = match live {
            live if whole => return owned.itself.then(|| live.clone()),
            Value::Object(live) => self.fields(path, live, owned).into(),
            Value::Array(live) => self.elements(path, live, owned).into(),
            // It has changed its shape since; what was below it is no more.
            live => return owned.itself.then(|| live.clone()),
        };
        let is_empty = match &value {
            Value::Object(fields) => fields.is_empty(),
            Value::Array(elements) => elements.is_empty(),
            _ => false,
        };
        (owned.itself || !is_empty).then_some(value)
    }

    fn fields(
        &self,
        path: &str,
        live: &Map<String, Value>,
        owned: &Owned,
    ) -> Map<String, Value> {
        let mut fields = Map::new();
        for (name, value) in live {
            let Some(owned) = owned.field(name) else {
                continue;
            };
            let inside = match path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            if let Some(value) = self.value(&inside, value, owned) {
                fields.insert(name.clone(), value);
            }
        }
        fields
    }

    fn elements(&self, path: &str, live: &[Value], owned: &Owned) -> Vec<Value> {
        let inside = format!("{path}[]");
        let elements = live.iter().enumerate().filter_map(|(index, value)| {
            let mut named = owned.elements().filter(|(e, _)| is_at(e, index, value));
            let (element, owned) = named.next()?;
            let mut part = self.value(&inside, value, owned)?;
            if let (Element::Key(keys), Value::Object(fields)) = (element, &mut part) {
                // Without them it isn't that element.
                for (key, value) in keys {
                    fields.insert(key.clone(), value.clone());
                }
            }
            Some(part)
        });
        elements.collect()
    }

    fn is_granular(&self, path: &str) -> bool {
        METADATA.contains(&path) || self.granular.contains(&path)
    }
}

fn is_at(element: &Element, index: usize, value: &Value) -> bool {
    match element {
        Element::Field => false,
        Element::Key(keys) => {
            keys.iter().all(|(key, wanted)| value.get(key) == Some(wanted))
        }
        Element::Value(wanted) => value == wanted,
        Element::Index(wanted) => index == *wanted,
    }
}

/// The path of the first value that differs.
pub(super) fn difference(a: &Value, b: &Value) -> Option<String> {
    let mut path = String::new();
    differs(Some(a), Some(b), &mut path).then_some(path)
}

/// Whether two values differ, and if so, where.
fn differs(a: Option<&Value>, b: Option<&Value>, path: &mut String) -> bool {
    let length = path.len();
    match (a, b) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                if differs(a.get(name), b.get(name), path) {
                    return true;
                }
                path.truncate(length);
            }
            false
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                path.push_str(&format!("[{index}]"));
                if differs(Some(a), Some(b), path) {
                    return true;
                }
                path.truncate(length);
            }
            false
        }
        (a, b) => a != b,
    }
}
