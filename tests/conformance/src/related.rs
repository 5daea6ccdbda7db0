//! Pairs of objects with fields, names and elements in common, for tests of merging.

use fastrand::Rng;
use serde_json::{Map, Value};

/// The parts of the metadata that can have several owners.
const METADATA: [&str; 5] = [
    "metadata",
    "metadata.annotations",
    "metadata.finalizers",
    "metadata.labels",
    "metadata.ownerReferences",
];

/// Returns a value with parts of both, and some parts of neither: it lacks one in four fields that
/// only one of them has, or that both have.
///
/// Fields of these names are there whenever one has them.
pub fn related(rng: &mut Rng, keys: &[&str], a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let mut all = Map::new();
            for (name, value) in a.iter().chain(b) {
                let value = match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => related(rng, keys, a, b),
                    _ => value.clone(),
                };
                if keys.contains(&name.as_str()) || rng.u8(..4) > 0 {
                    all.insert(name.clone(), value);
                }
            }
            all.into()
        }
        (Value::Array(a), Value::Array(b)) => {
            let both = a.iter().zip(b).map(|(a, b)| related(rng, keys, a, b));
            let mut all: Vec<_> = both.collect();
            all.extend(a.iter().chain(b).filter(|_| rng.bool()).cloned());
            rng.shuffle(&mut all);
            all.into()
        }
        _ if rng.bool() => a.clone(),
        _ => b.clone(),
    }
}

/// Returns true if the parts of the value at a path are merged one by one.
pub fn is_granular<K: kubernetes_kinds::Kind>(path: &str) -> bool {
    path.is_empty() || METADATA.contains(&path) || K::GRANULAR.contains(&path)
}

/// Returns the fields that are the keys of a list's elements; none where these are known by their
/// value.
pub fn keys_of<K: kubernetes_kinds::Kind>(path: &str) -> Option<&'static [&'static str]> {
    let lists = [("metadata.ownerReferences", &["uid"][..])];
    let mut lists = lists.iter().chain(K::LIST_MAP_KEYS);
    lists.find(|(list, _)| *list == path).map(|(_, keys)| *keys)
}

/// Returns what an element of a list is known by.
pub fn key<K: kubernetes_kinds::Kind>(path: &str, element: &Value) -> Vec<Option<Value>> {
    match keys_of::<K>(path) {
        Some(keys) => keys.iter().map(|key| element.get(*key).cloned()).collect(),
        None => vec![Some(element.clone())],
    }
}

/// Returns the path of a field.
pub fn inside(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Returns the value at a path without elements of lists that lack a key, or repeat that of an
/// earlier one, which servers refuse.
pub fn unique<K: kubernetes_kinds::Kind>(path: &str, value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields = object
                .iter()
                .map(|(name, value)| (name.clone(), unique::<K>(&inside(path, name), value)));
            Value::Object(fields.collect())
        }
        Value::Array(elements) if is_granular::<K>(path) => {
            let mut seen = Vec::new();
            let mut all = Vec::new();
            for element in elements {
                let key = key::<K>(path, element);
                if key.iter().all(Option::is_some) && !seen.contains(&key) {
                    seen.push(key);
                    all.push(unique::<K>(&format!("{path}[]"), element));
                }
            }
            all.into()
        }
        value => value.clone(),
    }
}
