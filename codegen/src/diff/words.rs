//! Keywords and their values as reports show them.

use serde_json::Value;

use super::change::short;

/// A value as it is written in a report, shortened.
pub(super) fn plain(value: &Value) -> String {
    const SHOWN: usize = 80;
    let text = match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A keyword with its value: `list-type: map`.
pub(super) fn said(keyword: &str, value: &Value) -> String {
    let keyword = keyword
        .trim_start_matches("x-kubernetes-")
        .trim_start_matches("x-");
    let value = match value {
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::String(text) => short_reference(text).to_owned(),
        other => plain(other),
    };
    format!("{keyword}: {value}")
}

fn short_reference(text: &str) -> &str {
    crate::load::schema_name(text).map_or(text, short)
}

/// Returns true if a default is what an absent field means anyway.
pub(super) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) => false,
    }
}
