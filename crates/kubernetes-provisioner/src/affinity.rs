//! Node selectors of volumes.

use std::cmp::Ordering;

use core_v1::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    LabelSelector, LabelSelectorRequirement, ObjectMeta,
};
use kubernetes_kinds::names::NameFormat;
use kubernetes_kinds::selectors;

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
    !(expressions.is_empty() && fields.is_empty())
        && expressions
            .iter()
            .all(|requirement| holds(requirement, node))
        && fields.iter().all(holds_for_no_name)
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

/// Returns true if a requirement is valid and a node meets it. All operators but those that compare
/// numbers are those of label selectors.
fn holds(requirement: &NodeSelectorRequirement, node: &ObjectMeta) -> bool {
    let operator = requirement.operator.as_str();
    let order = match operator {
        "Gt" => Ordering::Greater,
        "Lt" => Ordering::Less,
        _ => return matches_label(requirement, operator, node),
    };
    let label = || node.labels.as_ref()?.get(&requirement.key);
    // A value that is no number matches nothing.
    let number = |text: &String| text.parse::<i64>().ok();
    match requirement.values.as_deref() {
        Some([limit])
            if NameFormat::QualifiedName.matches(&requirement.key)
                && NameFormat::LabelValue.matches(limit) =>
        {
            let numbers = label().and_then(number).zip(number(limit));
            numbers.is_some_and(|(actual, limit)| actual.cmp(&limit) == order)
        }
        _ => false,
    }
}

fn matches_label(requirement: &NodeSelectorRequirement, operator: &str, node: &ObjectMeta) -> bool {
    let requirement = LabelSelectorRequirement {
        key: requirement.key.clone(),
        operator: operator.to_owned(),
        values: requirement.values.clone(),
    };
    let selector = LabelSelector {
        match_expressions: Some(vec![requirement]),
        ..LabelSelector::default()
    };
    selectors::matches(&selector, &node.labels).unwrap_or(false)
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
