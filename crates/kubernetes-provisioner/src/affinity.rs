//! Node selectors of volumes.

use core_v1::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_kinds::names::NameFormat;

/// Returns true if a term matches a node, of which the labels are compared: one of them must. A
/// term without requirements, or with an invalid one, matches no node.
///
/// The rules are those by which Kubernetes 1.37 binds claims, `CheckNodeAffinity` of
/// `k8s.io/component-helpers/storage/volume`. It compares fields such as `metadata.name` with an
/// empty text, so that a volume must not name its node so.
pub(crate) fn matches(selector: &NodeSelector, node: &ObjectMeta) -> bool {
    let terms = &selector.node_selector_terms;
    terms.iter().any(|term| term_matches(term, node))
}

fn term_matches(term: &NodeSelectorTerm, node: &ObjectMeta) -> bool {
    let expressions = term.match_expressions.as_deref().unwrap_or_default();
    let fields = term.match_fields.as_deref().unwrap_or_default();
    let label = |key: &str| node.labels.as_ref()?.get(key).map(String::as_str);
    !(expressions.is_empty() && fields.is_empty())
        && expressions
            .iter()
            .all(|requirement| is_valid(requirement) && holds(requirement, label(&requirement.key)))
        && fields.iter().all(holds_for_no_name)
}

fn is_valid(requirement: &NodeSelectorRequirement) -> bool {
    let mut values = requirement.values.iter().flatten();
    NameFormat::QualifiedName.matches(&requirement.key)
        && values.all(|value| NameFormat::LabelValue.matches(value))
}

fn holds_for_no_name(requirement: &NodeSelectorRequirement) -> bool {
    match requirement.values.as_deref() {
        Some([value]) => match requirement.operator.as_str() {
            "In" => value.is_empty(),
            "NotIn" => !value.is_empty(),
            _ => false,
        },
        _ => false,
    }
}

fn holds(requirement: &NodeSelectorRequirement, actual: Option<&str>) -> bool {
    let values = requirement.values.as_deref().unwrap_or_default();
    let listed = actual.is_some_and(|actual| values.iter().any(|value| value == actual));
    // A value that is no number matches nothing.
    let number = |text: &str| text.parse::<i64>().ok();
    let numbers = || Some((number(actual?)?, number(values.first()?)?));
    match requirement.operator.as_str() {
        "In" => listed,
        "NotIn" => !values.is_empty() && !listed,
        "Exists" => values.is_empty() && actual.is_some(),
        "DoesNotExist" => values.is_empty() && actual.is_none(),
        "Gt" => values.len() == 1 && numbers().is_some_and(|(actual, limit)| actual > limit),
        "Lt" => values.len() == 1 && numbers().is_some_and(|(actual, limit)| actual < limit),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn terms_that_match() {
        let node: ObjectMeta = serde_json::from_value(json!({
            "name": "node-1", "labels": {"zone": "a", "cpus": "8", "empty": ""},
        }))
        .unwrap();
        let one = |key: &str, operator: &str, values: Value| json!([{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]);
        let field = |operator: &str, values: Value| {
            let field = json!({"key": "metadata.name", "operator": operator, "values": values});
            json!([{"matchExpressions": [{"key": "zone", "operator": "Exists"}], "matchFields": [field]}])
        };
        let rows = [
            (one("zone", "In", json!(["a", "b"])), true),
            (one("zone", "In", json!(["b"])), false),
            (one("zone", "In", json!([])), false),
            (one("rack", "In", json!(["a"])), false),
            (one("zone", "NotIn", json!(["b"])), true),
            (one("zone", "NotIn", json!(["a"])), false),
            (one("rack", "NotIn", json!(["a"])), true),
            (one("empty", "Exists", Value::Null), true),
            (one("rack", "Exists", Value::Null), false),
            (one("zone", "Exists", json!(["a"])), false),
            (one("rack", "DoesNotExist", Value::Null), true),
            (one("zone", "DoesNotExist", Value::Null), false),
            (one("cpus", "Gt", json!(["7"])), true),
            (one("cpus", "Gt", json!(["8"])), false),
            (one("cpus", "Lt", json!(["9"])), true),
            (one("zone", "Lt", json!(["9"])), false),
            (one("rack", "Lt", json!(["9"])), false),
            (one("cpus", "Lt", json!(["9", "10"])), false),
            (one("zone", "Near", json!(["a"])), false),
            (json!([]), false),
            (json!([{}]), false),
            (
                json!([{}, {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]),
                true,
            ),
            (one("zone", "NotIn", json!(["a b"])), false),
            (one("a/b/c", "DoesNotExist", Value::Null), false),
            (field("In", json!(["node-1"])), false),
            (field("NotIn", json!(["node-1"])), true),
            (field("NotIn", json!(["node-1", "node-2"])), false),
            (field("Exists", Value::Null), false),
        ];
        for (terms, expected) in rows {
            let selector = serde_json::from_value(json!({"nodeSelectorTerms": terms})).unwrap();
            assert_eq!(matches(&selector, &node), expected, "{terms}");
        }
    }
}
