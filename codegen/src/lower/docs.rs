//! The description of a schema, and its facts.

use openapiv3::SchemaData;
use serde::Deserialize;
use serde_json::Value;

use crate::diag::Spot;
use crate::model::{Docs, Facts, Lifecycle, Lowered};

/// The documentation of a type or field.
pub(super) fn of(data: &SchemaData) -> Docs<Lowered> {
    Docs::of(data.description.clone().unwrap_or_default())
}

/// The facts about a type or field.
pub(super) fn facts(
    data: &SchemaData,
    (required, is_custom): (bool, bool),
    at: &Spot<'_>,
) -> Facts {
    Facts {
        lifecycle: lifecycle(data, at),
        default: data
            .default
            .clone()
            .filter(|default| is_custom || !is_zero(default, required))
            .filter(|default| !default.is_null()),
        list_keys: list_keys(data),
        atomic: atomic(data),
        example: data.example.clone(),
        ..Facts::default()
    }
}

/// The descriptions of the values of an enumeration, in the order of the values.
pub(super) fn value_descriptions(
    data: &SchemaData,
    values: &[String],
    at: &Spot<'_>,
) -> Vec<String> {
    let extension = "x-enum-descriptions";
    let at = at.child(extension);
    let given = match data.extensions.get(extension) {
        Some(Value::Object(given)) => given,
        other => {
            if other.is_some() {
                at.report("not an object", "write an object of value and description");
            }
            return vec![String::new(); values.len()];
        }
    };
    for (value, description) in given {
        let at = at.child(value);
        if !description.is_string() {
            at.report("a description that is not a string", "write a text");
        }
        if !values.contains(value) {
            at.report(
                format!("`{}` is described but not a value", value.escape_debug()),
                "add it to `enum` or take the description out",
            );
        }
    }
    let description = |value: &String| {
        let description = given.get(value).and_then(Value::as_str).unwrap_or_default();
        description.to_owned()
    };
    values.iter().map(description).collect()
}

fn lifecycle(data: &SchemaData, at: &Spot<'_>) -> Option<Lifecycle> {
    let extension = "x-lifecycle";
    let lifecycle = Lifecycle::deserialize(data.extensions.get(extension)?);
    lifecycle.map_or_else(
        |error| {
            at.child(extension).refuse(
                format!("not a lifecycle: {error}"),
                "it has `introduced` and, where known, `alpha`, `beta`, `stable`, \
                 `deprecated` and `removed`, each a release in quotes, and `gate` and \
                 `replacement`",
            )
        },
        Some,
    )
}

/// Kubernetes' documents put Go's zero value as the default of every required field, which the
/// server never fills in. For an optional field, `false` can be meant.
fn is_zero(default: &Value, required: bool) -> bool {
    match default {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(value) => required && !value,
        Value::Array(_) => false,
    }
}

/// Returns true if a map or list is atomic, for server-side apply.
fn atomic(data: &SchemaData) -> Option<bool> {
    let of = |extension: &str| data.extensions.get(extension).and_then(Value::as_str);
    match of("x-kubernetes-map-type").or_else(|| of("x-kubernetes-list-type"))? {
        "atomic" => Some(true),
        "granular" | "map" | "set" => Some(false),
        _ => None,
    }
}

fn list_keys(data: &SchemaData) -> Vec<String> {
    let keys = data
        .extensions
        .get("x-kubernetes-list-map-keys")
        .and_then(Value::as_array);
    let strings = keys.into_iter().flatten().filter_map(Value::as_str);
    strings.map(str::to_owned).collect()
}
