//! A schema in the form in which it is compared: what shapes it, by keyword, without what only the
//! way of writing decides.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::load::schema_name;
use crate::release::{Release, Releases};
use crate::structure::{Step, Structure};

use super::api::Api;
use super::change::short;

/// The keyword of a schema of which nothing but its place is known.
pub(super) const UNKNOWN: &str = "x-unknown";

/// The keyword of a value that is an integer or a text.
pub(super) const EITHER: &str = "x-kubernetes-int-or-string";

/// The keyword with the number of a property in protobuf and its type there.
pub(super) const NUMBER: &str = "x-protobuf";

/// The topic of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// Only words.
    Text,
    Type,
    Format,
    Enum,
    Default,
    ListSemantics,
    Lifecycle,
    /// Rules by which the server refuses or warns.
    Rule,
    /// Said elsewhere, or of no effect.
    Ignored,
}

/// The topic of a keyword. An unknown keyword counts as a rule, so that it is reported.
pub(super) fn topic(keyword: &str) -> Topic {
    match keyword {
        "description"
        | "title"
        | "example"
        | "externalDocs"
        | "xml"
        | "x-enum-descriptions"
        | "x-kubernetes-print-columns" => Topic::Text,
        "type"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "not"
        | "nullable"
        | "discriminator"
        | EITHER
        | "x-kubernetes-embedded-resource"
        | "x-kubernetes-preserve-unknown-fields" => Topic::Type,
        "format" => Topic::Format,
        "enum" => Topic::Enum,
        "default" | "x-set-defaults" => Topic::Default,
        "x-kubernetes-list-type"
        | "x-kubernetes-list-map-keys"
        | "x-kubernetes-map-type"
        | "x-kubernetes-patch-strategy"
        | "x-kubernetes-patch-merge-key" => Topic::ListSemantics,
        "x-lifecycle" | "deprecated" => Topic::Lifecycle,
        // References, properties, elements and values are compared by themselves; kinds by paths.
        // Programs don't use short names.
        "$ref"
        | "properties"
        | "required"
        | "items"
        | "additionalProperties"
        | "x-short-names"
        | "x-kubernetes-group-version-kind"
        | UNKNOWN
        | NUMBER => Topic::Ignored,
        _ => Topic::Rule,
    }
}

/// A schema.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    /// The schema as the document has it.
    pub(super) schema: &'a Value,
    /// The release of the document.
    pub(super) release: Option<Release>,
    /// True if it is the schema of a required field.
    pub(super) is_required: bool,
    /// The name of the schema that it refers to.
    pub(super) reference: Option<&'a str>,
    pub(super) keywords: BTreeMap<&'a str, Value>,
    pub(super) properties: BTreeMap<&'a str, &'a Value>,
    required: Vec<&'a str>,
    pub(super) items: Option<&'a Value>,
    /// The schema of the values of a map.
    pub(super) values: Option<&'a Value>,
}

impl<'a> Node<'a> {
    /// Reads a schema of a document of a release.
    pub(super) fn of(schema: &'a Value, release: Option<Release>) -> Self {
        let mut node = Self {
            schema,
            release,
            is_required: false,
            reference: schema
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(schema_name),
            keywords: BTreeMap::new(),
            properties: BTreeMap::new(),
            required: Vec::new(),
            items: schema.get("items"),
            values: schema.get("additionalProperties").and_then(values),
        };
        let object = |keyword| schema.get(keyword).and_then(Value::as_object);
        for (name, property) in object("properties").into_iter().flatten() {
            node.properties.insert(name, property);
        }
        let required = schema.get("required").and_then(Value::as_array);
        node.required = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match (keyword.as_str(), value.as_array().map(Vec::as_slice)) {
                ("allOf", Some([one])) if one.get("$ref").is_some() => {
                    let inner = Self::of(one, release);
                    node.reference = node.reference.or(inner.reference);
                    for (keyword, value) in inner.keywords {
                        node.keywords.entry(keyword).or_insert(value);
                    }
                }
                ("$ref" | "properties" | "required" | "items", _) => {}
                ("additionalProperties", _) => {}
                (keyword, _) => {
                    if let Some(value) = at_release(keyword, value, release) {
                        node.keywords.insert(keyword, value);
                    }
                }
            }
        }
        if node.is_either() {
            // Servers and definitions say it with more keywords or fewer.
            node.keywords.remove("type");
            let either = json!([{"type": "integer"}, {"type": "string"}]);
            node.keywords
                .retain(|keyword, value| *keyword != "anyOf" || *value != either);
        }
        node
    }

    /// The type in words: `string`, `list of VolumeError`, `map of string`.
    pub(super) fn type_text(&self) -> String {
        let inner = |schema: &Value| Node::of(schema, self.release).type_text();
        if let Some(reference) = self.reference {
            return short(reference).to_owned();
        }
        if let Some(items) = self.items {
            return format!("list of {}", inner(items));
        }
        if let Some(values) = self.values {
            return format!("map of {}", inner(values));
        }
        match self.keywords.get("type") {
            Some(Value::String(name)) => match self.text("format") {
                Some(format) => format!("{name} ({format})"),
                None => name.clone(),
            },
            Some(other) => other.to_string(),
            None if self.keywords.contains_key(EITHER) => "integer or string".to_owned(),
            None => "any".to_owned(),
        }
    }

    /// The words of the keyword, if it has one.
    pub(super) fn text(&self, keyword: &str) -> Option<&str> {
        self.keywords.get(keyword).and_then(Value::as_str)
    }

    /// Returns true if nothing but its place is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.keywords.contains_key(UNKNOWN)
    }

    /// Returns true if the value is an integer or a text.
    pub(super) fn is_either(&self) -> bool {
        self.keywords.get(EITHER) == Some(&Value::Bool(true))
    }

    /// Returns true if the value is an object with fields of its own.
    pub(super) fn has_fields(&self) -> bool {
        !self.properties.is_empty()
    }
}

impl<'a> Structure<'a> for Node<'a> {
    fn parts(&self) -> Vec<(Step<'a>, Self)> {
        let of = |schema| Self::of(schema, self.release);
        let fields = self.properties.iter().map(|(name, property)| {
            let is_required = self.required.contains(name);
            let field = Self {
                is_required,
                ..of(property)
            };
            (Step::Field(name), field)
        });
        let elements = self.items.map(|items| (Step::Elements, of(items)));
        let values = self.values.map(|values| (Step::Values, of(values)));
        fields.chain(elements).chain(values).collect()
    }
}

/// The schema of the values of a map: any value has the empty one.
fn values(additional: &Value) -> Option<&Value> {
    static ANY: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));
    match additional {
        Value::Object(_) => Some(additional),
        Value::Bool(true) => Some(&ANY),
        _ => None,
    }
}

/// Returns the value of a keyword for servers of a release; nothing if it is about others only.
fn at_release(keyword: &str, value: &Value, release: Option<Release>) -> Option<Value> {
    let Some(release) = release else {
        return Some(value.clone());
    };
    let is_for = |releases: Option<&Value>| {
        let releases = releases.and_then(|value| Releases::deserialize(value).ok());
        releases.is_none_or(|releases| releases.contain(release))
    };
    match (keyword, value) {
        ("x-kubernetes-validations", Value::Array(rules)) => {
            let rules = rules.iter().filter(|rule| is_for(rule.get("x-releases")));
            let mut rules: Vec<_> = rules.cloned().collect();
            for rule in rules.iter_mut().filter_map(Value::as_object_mut) {
                rule.remove("x-releases");
                let before = rule
                    .get("x-before")
                    .and_then(|before| before.get("release"));
                let before = before
                    .and_then(Value::as_str)
                    .and_then(|text| text.parse().ok());
                if before.is_some_and(|before: Release| release >= before) {
                    rule.remove("x-before");
                }
            }
            (!rules.is_empty()).then_some(Value::Array(rules))
        }
        ("x-check-empty" | "x-on-create-only", Value::Object(_)) => {
            is_for(Some(value)).then_some(Value::Bool(true))
        }
        _ => Some(value.clone()),
    }
}

/// A type with the keywords of the schema that it refers to, which those at the place override.
pub(super) fn resolved<'a>(node: &Node<'a>, api: &'a Api) -> Node<'a> {
    // A schema may be another name for another, which may lead in a circle.
    const MAX_NAMES: usize = 8;
    let mut resolved = node.clone();
    for _ in 0..MAX_NAMES {
        let Some(schema) = resolved.reference.and_then(|name| api.schema(name)) else {
            break;
        };
        let said = std::mem::take(&mut resolved.keywords);
        resolved = Node::of(schema, api.release);
        resolved.keywords.extend(said);
    }
    resolved.reference = None;
    resolved.is_required = node.is_required;
    resolved
}

/// The keywords of a topic that at least one of two schemas has, sorted.
pub(super) fn keywords<'a>(a: &Node<'a>, b: &Node<'a>, about: Topic) -> Vec<&'a str> {
    let all = a.keywords.keys().chain(b.keywords.keys()).copied();
    let mut found: Vec<_> = all.filter(|keyword| topic(keyword) == about).collect();
    found.sort_unstable();
    found.dedup();
    found
}
