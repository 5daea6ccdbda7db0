//! The model as JSON.

use serde_json::Value;

/// Leaves out values that are absent, empty or false, of which a model has many.
pub(crate) fn prune(value: Value) -> Value {
    let says_something = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    };
    match value {
        Value::Array(items) => items.into_iter().map(prune).collect(),
        Value::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, value)| (name, prune(value)));
            members.filter(|(_, value)| says_something(value)).collect()
        }
        other => other,
    }
}
