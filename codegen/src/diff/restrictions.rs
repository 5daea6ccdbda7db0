//! Restrictions in the schemas of custom resources. A server checks all that they say, where those
//! of Kubernetes' own kinds only describe values.

use kubernetes_schema_terms::TextFormat;
use serde_json::Value;

use super::change::{ChangeKind, Severity};
use super::node::Node;

use Severity::{Breaking, Info, Warning};

/// The combinations of schemas, which check values of custom resources and give them no type.
pub(super) const COMBINATIONS: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

/// Returns true if a restriction with a value refuses nothing.
pub(super) fn is_without_effect(keyword: &str, value: &Value) -> bool {
    const FLAGS: [&str; 3] = ["exclusiveMaximum", "exclusiveMinimum", "uniqueItems"];
    const LEAST: [&str; 3] = ["minItems", "minLength", "minProperties"];
    FLAGS.contains(&keyword) && *value == Value::Bool(false)
        || LEAST.contains(&keyword) && value.as_f64() == Some(0.0)
}

/// Returns true if two values of a restriction say the same.
pub(super) fn is_same(keyword: &str, from: &Value, to: &Value) -> bool {
    let lists = from.as_array().zip(to.as_array());
    match lists.filter(|_| COMBINATIONS.contains(&keyword)) {
        Some((from, to)) => is_subset(from, to) && is_subset(to, from),
        None => is_less(from, to) == Some(false) && is_less(to, from) == Some(false),
    }
}

/// Returns true if a number is less than another. Integers are compared as such: as floats, the
/// largest would be equal to others.
pub(super) fn is_less(one: &Value, other: &Value) -> Option<bool> {
    let whole = |value: &Value| {
        let signed = value.as_i64().map(i128::from);
        signed.or_else(|| value.as_u64().map(i128::from))
    };
    match whole(one).zip(whole(other)) {
        Some((one, other)) => Some(one < other),
        None => Some(one.as_f64()? < other.as_f64()?),
    }
}

fn is_subset(a: &[Value], b: &[Value]) -> bool {
    a.iter().all(|schema| b.contains(schema))
}

/// The severities of another type, for readers and writers: a wider one takes whatever is written,
/// and a narrower one gives what is read.
pub(super) fn types(a: &Node<'_>, b: &Node<'_>) -> Option<(Severity, Severity)> {
    let types = |node: &Node<'_>| match (node.text("type"), node.is_either()) {
        (_, true) => Some(vec!["integer", "string"]),
        (Some("number"), _) => Some(vec!["integer", "number"]),
        (Some("integer"), _) => Some(vec!["integer"]),
        (Some("string"), _) => Some(vec!["string"]),
        (Some("boolean"), _) => Some(vec!["boolean"]),
        (None, _) if !node.has_fields() => Some(vec![
            "array", "boolean", "integer", "number", "object", "string",
        ]),
        _ => None,
    };
    let (a, b) = (types(a)?, types(b)?);
    let is_in = |a: &[&str], b: &[&str]| a.iter().all(|name| b.contains(name));
    match (is_in(&a, &b), is_in(&b, &a)) {
        (true, false) => Some((Breaking, Info)),
        (false, true) => Some((Info, Breaking)),
        _ => None,
    }
}

/// The change of a combination: whether it refuses more. None if nobody can tell.
pub(super) fn combination(keyword: &str, from: &Value, to: &Value) -> Option<bool> {
    let (from, to) = (from.as_array()?, to.as_array()?);
    // All of more, or one of fewer.
    match keyword {
        "allOf" if is_subset(from, to) => Some(true),
        "allOf" if is_subset(to, from) => Some(false),
        "anyOf" if is_subset(to, from) => Some(true),
        "anyOf" if is_subset(from, to) => Some(false),
        _ => None,
    }
}

/// Returns true if a server checks a format of texts.
fn is_checked(format: &str) -> bool {
    // Those of passwords are any.
    TextFormat::parse(format).is_some() || format == "byte"
}

/// The severities of another format of a text, for readers and writers.
pub(super) fn format(from: Option<&str>, to: Option<&str>) -> (Severity, Severity) {
    let is_checked = |format: Option<&str>| format.is_some_and(is_checked);
    match (is_checked(from), is_checked(to)) {
        (false, true) => (Severity::None, Breaking),
        (true, false) => (Info, Info),
        (true, true) => (Info, Breaking),
        (false, false) => (Info, Info),
    }
}

/// The change of a list: whether its elements were and are unique, by all of them or by keys.
pub(super) fn uniqueness(a: &Node<'_>, b: &Node<'_>) -> Option<(ChangeKind, &'static str)> {
    let unique = |node: &Node<'_>| match node.text("x-kubernetes-list-type") {
        Some("set") => Some(Vec::new()),
        Some("map") => {
            let keys = node.keywords.get("x-kubernetes-list-map-keys");
            let keys = keys.and_then(Value::as_array).into_iter().flatten();
            let mut keys: Vec<_> = keys.cloned().collect();
            keys.sort_by_key(Value::to_string);
            Some(keys)
        }
        _ => None,
    };
    let unless_equal = |keys: &[Value]| match keys {
        [] => "no two elements may be equal",
        _ => "no two elements may have equal keys",
    };
    let is_less = |few: &[Value], more: &[Value]| !few.is_empty() && is_subset(few, more);
    match (unique(a), unique(b)) {
        (from, to) if from == to => None,
        // Where fewer keys differ, more do.
        (Some(from), Some(to)) if is_less(&from, &to) => {
            Some((ChangeKind::RuleRemoved, "elements may have some equal keys"))
        }
        (Some(from), Some(to)) if !from.is_empty() && to.is_empty() => {
            Some((ChangeKind::RuleRemoved, "elements may have equal keys"))
        }
        (_, Some(keys)) => Some((ChangeKind::RuleAdded, unless_equal(&keys))),
        (_, None) => Some((ChangeKind::RuleRemoved, "elements may repeat")),
    }
}

/// The severities of a keyword that opens or closes an object, or says what is in it.
pub(super) fn flag(keyword: &str, is_set: bool) -> Option<(Severity, Severity)> {
    Some(match (keyword, is_set) {
        // A server keeps fields that the schema doesn't have, or drops them.
        ("x-kubernetes-preserve-unknown-fields", true) => (Info, Info),
        ("x-kubernetes-preserve-unknown-fields", false) => (Warning, Breaking),
        // It asks for apiVersion, kind and metadata.
        ("x-kubernetes-embedded-resource", true) => (Severity::None, Breaking),
        ("x-kubernetes-embedded-resource", false) => (Info, Info),
        _ => return None,
    })
}

/// The severities of an object that has other members than it had, if it stays one: a map for one
/// without members, or the reverse.
pub(super) fn members(a: &Node<'_>, b: &Node<'_>) -> Option<(Severity, Severity)> {
    let is_object = |node: &Node<'_>| node.text("type") == Some("object") && !node.has_fields();
    match (a.values.is_some(), b.values.is_some()) {
        _ if !is_object(a) || !is_object(b) => None,
        (false, true) => Some((Info, Info)),
        (true, false) => Some((Warning, Breaking)),
        _ => None,
    }
}
