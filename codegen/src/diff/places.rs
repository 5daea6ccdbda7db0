//! The places of schemas in kinds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::load::schema_name;

use super::api::Api;

/// The maximum depth of a place in a kind. Kubernetes' own reach some 12 levels.
const MAX_LEVELS: usize = 32;

/// The places in kinds that have a schema, `CSINode spec.drivers[]`, by its name.
pub(super) struct Places(BTreeMap<String, BTreeSet<String>>);

impl Places {
    /// Finds all schemas that kinds reach. A schema that itself is reached several times counts
    /// once for what is inside of it, by the shortest path.
    pub(super) fn of(api: &Api) -> Self {
        let mut places = Self(BTreeMap::new());
        for (kind, about) in &api.kinds {
            places.add(api, kind, &about.schema);
        }
        places
    }

    fn add(&mut self, api: &Api, kind: &str, root: &str) {
        let mut open = VecDeque::from([(root.to_owned(), kind.to_owned())]);
        let mut seen = BTreeSet::from([root.to_owned()]);
        self.0
            .entry(root.to_owned())
            .or_default()
            .insert(kind.to_owned());
        while let Some((name, place)) = open.pop_front() {
            let Some(schema) = api.schema(&name) else {
                continue;
            };
            let mut uses = Vec::new();
            references(schema, &place, &mut uses);
            for (target, place) in uses {
                self.0
                    .entry(target.clone())
                    .or_default()
                    .insert(place.clone());
                let is_deep = place.matches(['.', ' ']).count() > MAX_LEVELS;
                if !is_deep && seen.insert(target.clone()) {
                    open.push_back((target, place));
                }
            }
        }
    }

    /// The places of a path in a schema, sorted.
    pub(super) fn at(&self, schema: &str, path: &str) -> BTreeSet<String> {
        let places = self.0.get(schema).into_iter().flatten();
        places.map(|place| join(place, path)).collect()
    }
}

/// A place in a kind, and a path inside of it.
fn join(place: &str, path: &str) -> String {
    match (place.contains(' '), path) {
        (_, "") => place.to_owned(),
        // The first part follows the kind's name.
        (false, path) => format!("{place} {path}"),
        (true, path) if path.starts_with(['[', '{']) => format!("{place}{path}"),
        (true, path) => format!("{place}.{path}"),
    }
}

/// The schemas that a schema refers to, with the places of the references.
fn references(schema: &Value, place: &str, uses: &mut Vec<(String, String)>) {
    let name = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(schema_name);
    uses.extend(name.map(|name| (name.to_owned(), place.to_owned())));
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        references(property, &join(place, name), uses);
    }
    for (keyword, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(inner) = schema.get(keyword) {
            references(inner, &format!("{place}{mark}"), uses);
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let parts = schema.get(keyword).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            references(part, place, uses);
        }
    }
}
