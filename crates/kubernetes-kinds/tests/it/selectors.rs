//! Selectors, compared with a table of Kubernetes' results and with a plain reading of the rules.

use std::collections::{BTreeMap, HashMap};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use k8s_openapi::serde_json::{Value, from_value, json};
use kubernetes_kinds::selectors::{Labels, matches};
use proptest::prelude::*;

const ZONE: &str = "topology.kubernetes.io/zone";

fn selector(json: Value) -> LabelSelector {
    from_value(json).unwrap()
}

#[test]
fn selectors_pick_as_in_kubernetes() {
    let node = [(ZONE, "a"), ("disk", "ssd"), ("empty", "")];
    for (json, picked) in [
        (json!({}), true),
        (json!({"matchLabels": {}, "matchExpressions": []}), true),
        (json!({"matchLabels": {ZONE: "a"}}), true),
        (json!({"matchLabels": {ZONE: "b"}}), false),
        (json!({"matchLabels": {ZONE: "a", "disk": "ssd"}}), true),
        (json!({"matchLabels": {ZONE: "a", "disk": "hdd"}}), false),
        (json!({"matchLabels": {"empty": ""}}), true),
        (json!({"matchLabels": {"absent": ""}}), false),
        (
            json!({"matchExpressions": [expression("disk", "In", &["hdd", "ssd"])]}),
            true,
        ),
        (
            json!({"matchExpressions": [expression("disk", "In", &["hdd"])]}),
            false,
        ),
        (
            json!({"matchExpressions": [expression("absent", "In", &["hdd"])]}),
            false,
        ),
        (
            json!({"matchExpressions": [expression("disk", "NotIn", &["ssd"])]}),
            false,
        ),
        (
            json!({"matchExpressions": [expression("disk", "NotIn", &["hdd"])]}),
            true,
        ),
        (
            json!({"matchExpressions": [expression("absent", "NotIn", &["hdd"])]}),
            true,
        ),
        (
            json!({"matchExpressions": [expression("disk", "Exists", &[])]}),
            true,
        ),
        (
            json!({"matchExpressions": [expression("absent", "Exists", &[])]}),
            false,
        ),
        (
            json!({"matchExpressions": [expression("disk", "DoesNotExist", &[])]}),
            false,
        ),
        (
            json!({"matchExpressions": [expression("absent", "DoesNotExist", &[])]}),
            true,
        ),
        (
            json!({
                "matchLabels": {ZONE: "a"},
                "matchExpressions": [
                    expression("disk", "Exists", &[]),
                    expression("empty", "NotIn", &[""]),
                ],
            }),
            false,
        ),
    ] {
        let told = json.to_string();
        assert_eq!(matches(&selector(json), &node), Ok(picked), "{told}");
    }
}

fn expression(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({"key": key, "operator": operator, "values": values})
}

/// Even where another requirement already fails.
#[test]
fn malformed_selectors_are_errors() {
    let long = "x".repeat(64);
    for (expression, path) in [
        (
            expression("disk", "Gt", &["1"]),
            "matchExpressions[0].operator",
        ),
        (
            expression("disk", "in", &["ssd"]),
            "matchExpressions[0].operator",
        ),
        (
            expression("disk", "", &["ssd"]),
            "matchExpressions[0].operator",
        ),
        (expression("disk", "In", &[]), "matchExpressions[0].values"),
        (
            expression("disk", "NotIn", &[]),
            "matchExpressions[0].values",
        ),
        (
            expression("disk", "Exists", &["ssd"]),
            "matchExpressions[0].values",
        ),
        (
            expression("disk", "DoesNotExist", &["ssd"]),
            "matchExpressions[0].values",
        ),
        (expression("a b", "Exists", &[]), "matchExpressions[0].key"),
        (expression("", "Exists", &[]), "matchExpressions[0].key"),
        (
            expression("disk", "In", &["ssd", &long]),
            "matchExpressions[0].values[1]",
        ),
    ] {
        let json = json!({"matchLabels": {"no": "match"}, "matchExpressions": [expression]});
        let refused = matches(&selector(json), &[("disk", "ssd")]).unwrap_err();
        assert_eq!(refused.errors.len(), 1, "{refused}");
        assert_eq!(refused.errors[0].path().to_string(), path, "{refused}");
    }
    let refused = matches(
        &selector(json!({"matchLabels": {"a": "b c"}})),
        &[("a", "b c")],
    );
    assert!(refused.unwrap_err().to_string().starts_with("matchLabels"));
}

#[test]
fn labels_come_in_many_forms() {
    fn zone(labels: &(impl Labels + ?Sized)) -> Option<&str> {
        labels.label(ZONE)
    }
    let pairs = [(ZONE.to_owned(), "a".to_owned())];
    assert_eq!(zone(&pairs), Some("a"));
    assert_eq!(zone(&pairs[..]), Some("a"));
    assert_eq!(zone(&pairs[..0]), None);
    let ordered = BTreeMap::from(pairs.clone());
    assert_eq!(zone(&ordered), Some("a"));
    assert_eq!(zone(&&ordered), Some("a"));
    assert_eq!(zone(&Some(ordered)), Some("a"));
    assert_eq!(zone(&None::<BTreeMap<String, String>>), None);
    assert_eq!(zone(&HashMap::from(pairs)), Some("a"));
    assert_eq!(zone(&HashMap::from([(ZONE, "a")])), Some("a"));
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn requirement() -> impl Strategy<Value = LabelSelectorRequirement> {
    let operator = prop::sample::select(vec!["In", "NotIn", "Exists", "DoesNotExist"]);
    (word(), operator, prop::collection::vec(word(), 1..3)).prop_map(|(key, operator, values)| {
        let values = operator.ends_with("In").then_some(values);
        LabelSelectorRequirement {
            key,
            operator: operator.to_owned(),
            values,
        }
    })
}

fn labels() -> impl Strategy<Value = BTreeMap<String, String>> {
    prop::collection::btree_map(word(), word(), 0..4)
}

proptest! {
    /// A selector picks what each of its requirements picks, and NotIn and DoesNotExist are
    /// the contrary of In and Exists.
    #[test]
    fn a_selector_is_its_requirements(
        equal in labels(),
        expressions in prop::collection::vec(requirement(), 0..4),
        labels in labels(),
    ) {
        let all = LabelSelector {
            match_labels: Some(equal.clone()),
            match_expressions: Some(expressions.clone()),
        };
        let picks = |requirement: &LabelSelectorRequirement| {
            let alone = LabelSelector {
                match_expressions: Some(vec![requirement.clone()]),
                ..Default::default()
            };
            matches(&alone, &labels).unwrap()
        };
        for requirement in &expressions {
            let contrary = match requirement.operator.as_str() {
                "In" => "NotIn",
                "NotIn" => "In",
                "Exists" => "DoesNotExist",
                _ => "Exists",
            };
            let contrary =
                LabelSelectorRequirement { operator: contrary.to_owned(), ..requirement.clone() };
            prop_assert_ne!(picks(requirement), picks(&contrary));
        }
        let equal = equal.iter().all(|(key, value)| labels.get(key) == Some(value));
        prop_assert_eq!(matches(&all, &labels).unwrap(), equal && expressions.iter().all(picks));
    }

    #[test]
    fn no_selector_is_a_panic(key in ".*", operator in "In|NotIn|.*", value in ".*") {
        let values = Some(vec![value.clone()]);
        let requirement = LabelSelectorRequirement { key: key.clone(), operator, values };
        let selector = LabelSelector {
            match_expressions: Some(vec![requirement]),
            ..Default::default()
        };
        let _ = matches(&selector, &[(key, value)]);
    }
}
