//! Takes out of the schemas of CustomResourceDefinitions what a server drops, and what has no form
//! in Rust and only checks values.

use std::mem;

use serde_json::{Map, Value};

use super::refs::SCHEMAS;
use crate::keyword::REQUIRED_KEYS;
use crate::model::{Unchecked, is_misspelt_name_format};
use crate::pointer::Pointer;

/// The keywords that a server reads of a schema, beside those that [`super::crd`] adds; it drops
/// all others.
const KEYWORDS: [&str; 39] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "items",
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
    "nullable",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// The keywords that a server reads of a rule.
const OF_RULES: [&str; 6] = [
    "fieldPath",
    "message",
    "messageExpression",
    "optionalOldSelf",
    "reason",
    "rule",
];

/// The keywords that count.
const COUNTS: [&str; 6] = [
    "maxItems",
    "maxLength",
    "maxProperties",
    "minItems",
    "minLength",
    "minProperties",
];

/// The keywords that check the values of some types only, and the types.
const OF_TYPES: [(&[&str], &[&str]); 5] = [
    (&["maxLength", "minLength", "pattern"], &["string"]),
    (
        &["items", "maxItems", "minItems", "uniqueItems"],
        &["array"],
    ),
    (
        &[
            "additionalProperties",
            "maxProperties",
            "minProperties",
            "properties",
            "required",
        ],
        &["object"],
    ),
    (
        &[
            "exclusiveMaximum",
            "exclusiveMinimum",
            "maximum",
            "minimum",
            "multipleOf",
        ],
        &["integer", "number"],
    ),
    (&["format"], &["string", "integer", "number"]),
];

/// Takes it out of the schemas with a prefix, and returns the rules that a server has.
pub(super) fn take_out(document: &mut Value, prefix: &str) -> Vec<Unchecked> {
    let mut found = Vec::new();
    let schemas = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    for (name, schema) in schemas.into_iter().flatten() {
        if name.starts_with(prefix) {
            of_schema(schema, &Pointer::schema(name), &mut found);
        }
    }
    found
}

fn of_schema(schema: &mut Value, at: &Pointer, found: &mut Vec<Unchecked>) {
    let Value::Object(schema) = schema else {
        return;
    };
    let mut leave = |rule: String, reason: String| {
        found.push(Unchecked {
            pointer: at.clone(),
            rule,
            reason,
        });
    };
    schema.retain(|name, _| KEYWORDS.contains(&name.as_str()));
    let rules = schema.get_mut("x-kubernetes-validations");
    for rule in rules.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(rule) = rule {
            rule.retain(|name, _| OF_RULES.contains(&name.as_str()));
        }
    }
    of_other_types(schema);
    enumeration(schema, &mut leave);
    required(schema, &mut leave);
    limits(schema, &mut leave);
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(is_misspelt_name_format) {
        // A server knows it as little.
        schema.remove("format");
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        of_schema(property, &at.child("properties").child(name), found);
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(name) {
            of_schema(inner, &at.child(name), found);
        }
    }
}

/// Takes out the keywords for values of other types: no value that has the schema's own type is
/// checked for them.
fn of_other_types(schema: &mut Map<String, Value>) {
    let own = type_of(schema).to_owned();
    if !schema.contains_key("type") {
        return;
    }
    for (keywords, types) in OF_TYPES {
        if !types.contains(&own.as_str()) {
            keywords.iter().for_each(|name| drop(schema.remove(*name)));
        }
    }
}

/// Leaves of an enumeration the values that its type has: no other is ever equal to one.
fn enumeration(schema: &mut Map<String, Value>, leave: &mut impl FnMut(String, String)) {
    let Some(all) = schema.get("enum").cloned() else {
        return;
    };
    let is_either = schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
    let has = match type_of(schema) {
        _ if is_either => |value: &Value| value.is_i64() || value.is_string(),
        "string" => Value::is_string,
        "integer" => Value::is_i64,
        "number" => Value::is_number,
        "boolean" => Value::is_boolean,
        _ => |_: &Value| false,
    };
    let is_integer = type_of(schema) == "integer";
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        if is_integer {
            values.iter_mut().for_each(make_whole);
        }
        keep(values, has);
        if values.is_empty() {
            schema.remove("enum");
        }
    }
    if !schema.contains_key("enum") {
        let reason = "only texts, numbers and flags are checked for it";
        leave(shown("enum", &all), reason.to_owned());
    }
}

/// Keeps some of the values, each once.
fn keep(values: &mut Vec<Value>, has: fn(&Value) -> bool) {
    let mut kept = Vec::new();
    for value in mem::take(values) {
        if has(&value) && !kept.contains(&value) {
            kept.push(value);
        }
    }
    *values = kept;
}

fn type_of(schema: &Map<String, Value>) -> &str {
    schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Takes out the names of required properties that no property has. In a map they are keys.
fn required(schema: &mut Map<String, Value>, leave: &mut impl FnMut(String, String)) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let known: Vec<String> = properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    let is_open = schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true));
    let is_map = known.is_empty() && (is_open || schema.contains_key("additionalProperties"));
    let Some(names) = schema.get_mut("required").and_then(Value::as_array_mut) else {
        return;
    };
    let mut keys = Vec::new();
    names.retain(|name| {
        let is_known = name
            .as_str()
            .is_some_and(|name| known.iter().any(|known| known == name));
        if is_map && name.is_string() {
            keys.push(name.clone());
        } else if !is_known {
            leave(
                format!("required: [{name}]"),
                "the schema has no such property".to_owned(),
            );
        }
        is_known
    });
    if !keys.is_empty() {
        schema.insert(REQUIRED_KEYS.to_owned(), keys.into());
    }
}

/// Writes the limits of whole numbers and of counts as whole numbers.
fn limits(schema: &mut Map<String, Value>, leave: &mut impl FnMut(String, String)) {
    let is_integer = type_of(schema) == "integer";
    if is_integer {
        for (limit, exclusive, round) in [
            ("minimum", "exclusiveMinimum", f64::ceil as fn(f64) -> f64),
            ("maximum", "exclusiveMaximum", f64::floor),
        ] {
            let number = schema.get(limit).and_then(Value::as_f64);
            if let Some(number) = number.filter(|number| number.fract() != 0.0) {
                schema.insert(limit.to_owned(), round(number).into());
                schema.remove(exclusive);
            }
        }
    }
    let of_numbers: &[&str] = if is_integer {
        &["minimum", "maximum", "multipleOf"]
    } else {
        &[]
    };
    for name in COUNTS.iter().chain(of_numbers) {
        let Some(value) = schema.get_mut(*name) else {
            continue;
        };
        make_whole(value);
        let fits = value.is_u64() || value.is_i64() && !COUNTS.contains(name);
        if !fits {
            leave(
                shown(name, value),
                "it is no whole number that fits".to_owned(),
            );
            schema.remove(*name);
        }
    }
}

/// Makes a whole number of a fraction without a fractional part.
fn make_whole(value: &mut Value) {
    let exact = |number: &f64| number.fract() == 0.0 && number.abs() <= 2f64.powi(53);
    if !value.is_i64()
        && let Some(number) = value.as_f64().filter(exact)
    {
        *value = (number as i64).into();
    }
}

/// The most characters of a value that are shown.
const MAX_SHOWN: usize = 200;

/// A keyword with its value, of which at most the first characters are shown.
pub(crate) fn shown(keyword: &str, value: &Value) -> String {
    let mut text = format!("{keyword}: {value}");
    if let Some((end, _)) = text.char_indices().nth(MAX_SHOWN) {
        text.truncate(end);
        text.push('…');
    }
    text
}
