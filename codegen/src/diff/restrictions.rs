//! Restrictions in the schemas of custom resources. A server checks all that they say, where those
//! of Kubernetes' own kinds only describe values.

use kubernetes_schema_terms::TextFormat;
use serde_json::Value;

use super::change::{ChangeKind, Severity};
use super::node::Node;

use Severity::{Breaking, Info, Warning};

/// The combinations of schemas, which check values of custom resources and give them no type.
pub(super) const COMBINATIONS: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

/// The change of a combination: whether it refuses more. None if nobody can tell.
pub(super) fn combination(keyword: &str, from: &Value, to: &Value) -> Option<bool> {
    let (from, to) = (from.as_array()?, to.as_array()?);
    let is_subset = |a: &[Value], b: &[Value]| a.iter().all(|schema| b.contains(schema));
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
    match (unique(a), unique(b)) {
        (from, to) if from == to => None,
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
