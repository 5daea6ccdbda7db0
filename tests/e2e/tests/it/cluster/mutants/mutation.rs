//! Objects that differ in a few places, made with what the schema and its rules say.

use std::collections::BTreeSet;

use fastrand::Rng;
use serde_json::{Map, Number, Value, json};
use xtask_testing::objects;

/// Texts that rules of a schema compare with, and others of all kinds.
#[derive(Debug)]
pub(super) struct Words(Vec<String>);

/// What rules and formats read in some way.
const TEXTS: [&str; 28] = [
    "",
    " ",
    "a",
    "A-b.c",
    "é🦀",
    "0",
    "-1",
    "1.5",
    "1Gi",
    "50%",
    "true",
    "null",
    "1h30m",
    "1.5s",
    "2024-02-29T12:00:00Z",
    "2024-02-30T00:00:00.123+01:00",
    "2024-02-29",
    "192.0.2.1",
    "192.0.2.0/24",
    "2001:db8::1",
    "::ffff:192.0.2.1",
    "2001:db8::/32",
    "https://example.com:443/a?b=c#d",
    "example.com",
    "*.example.com",
    "a@example.com",
    "123e4567-e89b-12d3-a456-426614174000",
    "aGVsbG8=",
];

impl Words {
    pub(super) fn of(schema: &Value) -> Self {
        let mut found = BTreeSet::new();
        collect(schema, &mut found);
        found.extend(TEXTS.map(str::to_owned));
        Self(found.into_iter().collect())
    }

    fn one(&self, rng: &mut Rng) -> &str {
        &self.0[rng.usize(..self.0.len())]
    }
}

fn collect(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("rule", Value::String(rule)) => found.extend(literals(rule)),
                    ("enum", Value::Array(values)) => {
                        found.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    ("default", Value::String(text)) => drop(found.insert(text.clone())),
                    _ => {}
                }
                collect(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// The literals in a rule.
fn literals(rule: &str) -> Vec<String> {
    let mut parts = rule.split(['\'', '"']);
    let mut found = Vec::new();
    parts.next();
    while let Some(inside) = parts.next() {
        found.push(inside.to_owned());
        parts.next();
    }
    found
}

/// Changes an object in one to three places below the fields that `changes` says.
pub(super) fn mutate(
    object: &mut Value,
    (schema, words): (&Value, &Words),
    changes: impl Fn(&str) -> bool,
    rng: &mut Rng,
) {
    for _ in 0..rng.usize(1..=3) {
        let fields = schema["properties"].as_object();
        let fields: Vec<_> = fields
            .into_iter()
            .flatten()
            .filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()))
            .filter(|(name, _)| changes(name))
            .collect();
        if fields.is_empty() {
            return;
        }
        let (name, schema) = fields[rng.usize(..fields.len())];
        let members = object.as_object_mut().unwrap();
        match members.get_mut(name) {
            Some(value) if rng.u8(..30) > 0 => change(value, schema, words, rng),
            Some(_) => drop(members.remove(name)),
            None => drop(members.insert(name.clone(), made(schema, words, rng))),
        }
    }
}

/// Changes a value, or one inside it.
fn change(value: &mut Value, schema: &Value, words: &Words, rng: &mut Rng) {
    let goes_on = rng.u8(..5) > 0;
    match value {
        Value::Object(members) if goes_on => change_object(members, schema, words, rng),
        Value::Array(items) if goes_on => change_list(items, &schema["items"], words, rng),
        Value::String(text) if goes_on => *text = changed_text(text, schema, words, rng),
        Value::Number(number) if goes_on => *value = changed_number(number, schema, rng),
        other if rng.u8(..4) > 0 => *other = made(schema, words, rng),
        other => {
            *other = match odd(words, rng) {
                // A server takes a list for a text with a format: types don't read it.
                Value::Array(_) if schema["type"] == "string" && schema["format"].is_string() => {
                    Value::Null
                }
                odd => odd,
            }
        }
    }
}

fn change_object(members: &mut Map<String, Value>, schema: &Value, words: &Words, rng: &mut Rng) {
    let properties = schema["properties"].as_object();
    let names: Vec<_> = members.keys().cloned().collect();
    let absent = properties.into_iter().flatten();
    let absent: Vec<_> = absent
        .filter(|(name, _)| !members.contains_key(*name))
        .collect();
    let values = &schema["additionalProperties"];
    match rng.u8(..10) {
        0 if !names.is_empty() => drop(members.remove(&names[rng.usize(..names.len())])),
        1..=3 if !absent.is_empty() => {
            let (name, schema) = absent[rng.usize(..absent.len())];
            members.insert(name.clone(), made(schema, words, rng));
        }
        1..=3 if values.is_object() => {
            members.insert(words.one(rng).to_owned(), made(values, words, rng));
        }
        4 if rng.u8(..4) == 0 => drop(members.insert("unknownField".to_owned(), odd(words, rng))),
        _ if !names.is_empty() => {
            let name = &names[rng.usize(..names.len())];
            let of = properties.and_then(|properties| properties.get(name));
            let of = of.unwrap_or(values);
            if let Some(value) = members.get_mut(name) {
                change(value, of, words, rng);
            }
        }
        _ => {}
    }
}

fn change_list(items: &mut Vec<Value>, schema: &Value, words: &Words, rng: &mut Rng) {
    let at = match items.len() {
        0 => return items.push(made(schema, words, rng)),
        length => rng.usize(..length),
    };
    match rng.u8(..8) {
        0 => drop(items.remove(at)),
        1 => items.push(made(schema, words, rng)),
        2 => items.push(items[at].clone()),
        3 => items.reverse(),
        4 if rng.u8(..4) == 0 => {
            let item = items[at].clone();
            items.extend(vec![item; rng.usize(..20)]);
        }
        _ => change(&mut items[at], schema, words, rng),
    }
}

fn changed_text(text: &str, schema: &Value, words: &Words, rng: &mut Rng) -> String {
    let most = schema["maxLength"].as_u64().unwrap_or(64).min(5000) as usize;
    match rng.u8(..10) {
        0 => text.to_uppercase(),
        1 => format!("{text}{}", words.one(rng)),
        2 => format!("{}{text}", words.one(rng)),
        3 => text.chars().rev().collect(),
        4 => text.chars().skip(1).collect(),
        5 => "x".repeat(most + rng.usize(..2)),
        6 => match schema["enum"].as_array().filter(|all| !all.is_empty()) {
            Some(all) => all[rng.usize(..all.len())]
                .as_str()
                .unwrap_or("")
                .to_owned(),
            None => format!("{text} "),
        },
        _ => words.one(rng).to_owned(),
    }
}

/// A server takes `1.0` for a whole number, and one beyond 64 bits too: types don't read them. Nor
/// do those without a sign read what is below zero or too large, which only their format says.
fn changed_number(number: &Number, schema: &Value, rng: &mut Rng) -> Value {
    let limits = ["minimum", "maximum", "multipleOf"];
    let mut near = vec![
        json!(0),
        json!(1),
        json!(i32::MAX),
        json!(i64::MAX),
        json!(0.5),
    ];
    if schema["type"] == "number" {
        near.extend([json!(1.0), json!(1e20), json!(u64::MAX)]);
    }
    for limit in limits.iter().filter_map(|name| schema[name].as_i64()) {
        near.extend([-1, 0, 1].map(|step| json!(limit.saturating_add(step))));
    }
    if let Some(whole) = number.as_i64() {
        near.extend([-1, 1].map(|step| json!(whole.saturating_add(step))));
    }
    let format = schema["format"].as_str().unwrap_or_default();
    if let Some(bits) = format.strip_prefix("uint") {
        let most = 2f64.powi(bits.parse().unwrap_or(64));
        let is_read = |number: f64| (0.0..most).contains(&number);
        near.retain(|number| number.as_f64().is_some_and(is_read));
    } else {
        near.push(json!(-1));
    }
    near[rng.usize(..near.len())].clone()
}

/// A value that the schema allows, as far as it can be made from it.
fn made(schema: &Value, words: &Words, rng: &mut Rng) -> Value {
    let is_text = schema["type"] == "string" && schema.get("enum").is_none();
    match objects::value(schema, rng) {
        Some(value) if !is_text || rng.u8(..3) == 0 => value,
        _ if is_text => words.one(rng).into(),
        _ => match schema["type"].as_str() {
            Some("object") => json!({}),
            Some("array") => json!([]),
            _ => odd(words, rng),
        },
    }
}

/// A value of any type.
fn odd(words: &Words, rng: &mut Rng) -> Value {
    match rng.u8(..9) {
        0 => Value::Null,
        1 => json!({}),
        2 => json!([]),
        3 => rng.bool().into(),
        4 => json!(rng.u16(..)),
        5 => json!(f64::from(rng.i16(..)) + 0.25),
        6 => json!([null]),
        _ => words.one(rng).into(),
    }
}
