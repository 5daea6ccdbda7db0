//! The nodes that a StorageClass allows and that a CSIStorageCapacity serves, in every version.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::build::{SelectorBuilder, label_selector};
use kubernetes_kinds::quantity::Amount;
use kubernetes_kinds::selectors::matches;
use proptest::prelude::*;
use serde_json::{Value, from_value, json};
use storage_v1::topology::{AllowedTopologies, StorageCapacity, allows_node, topology_term};

const ZONE: &str = "topology.kubernetes.io/zone";

fn amount(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn class(terms: &Value) -> [storage_v1::StorageClass; 2] {
    let json = json!({"provisioner": "csi.example.com", "allowedTopologies": terms});
    let old: storage_v1beta1::StorageClass = from_value(json.clone()).unwrap();
    [from_value(json).unwrap(), old.into()]
}

#[test]
fn classes_allow_nodes() {
    let in_a = json!([{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]);
    for (terms, a, b) in [
        (Value::Null, true, true),
        (json!([]), true, true),
        (json!([{}]), false, false),
        (in_a, true, false),
    ] {
        for class in class(&terms) {
            assert_eq!(class.allows_node(&[(ZONE, "a")]), a, "{terms}");
            assert_eq!(class.allows_node(&[(ZONE, "b")]), b, "{terms}");
            let old = storage_v1beta1::StorageClass::from(class);
            assert_eq!(old.allows_node(&[(ZONE, "a")]), a, "{terms}");
        }
    }
}

/// The fields of a capacity and of a request, with the result in all versions.
fn fits(mut json: Value, class: &str, size: &str) -> bool {
    let labels = BTreeMap::from([(ZONE, "a")]);
    json["storageClassName"] = "fast".into();
    let new: storage_v1::CSIStorageCapacity = from_value(json.clone()).unwrap();
    let beta: storage_v1beta1::CSIStorageCapacity = from_value(json.clone()).unwrap();
    let alpha: storage_v1alpha1::CSIStorageCapacity = from_value(json.clone()).unwrap();
    let size = amount(size);
    let fits = new.fits(class, &size, &labels);
    assert_eq!(beta.fits(class, &size, &labels), fits, "{json}");
    assert_eq!(alpha.fits(class, &size, &labels), fits, "{json}");
    fits
}

#[test]
fn capacities_serve_as_the_scheduler_decides() {
    let everywhere = json!({});
    let zone = |zone: &str| json!({"matchLabels": {ZONE: zone}});
    let unknown = json!({"matchExpressions": [{"key": ZONE, "operator": "Near"}]});
    for (json, size, expected) in [
        (
            json!({"nodeTopology": everywhere, "capacity": "1Gi"}),
            "1024Mi",
            true,
        ),
        (
            json!({"nodeTopology": zone("a"), "capacity": "1Gi"}),
            "1Gi",
            true,
        ),
        (
            json!({"nodeTopology": zone("b"), "capacity": "1Gi"}),
            "1Gi",
            false,
        ),
        (
            json!({"nodeTopology": unknown, "capacity": "1Gi"}),
            "1Gi",
            false,
        ),
        // No node reaches it if none is said to.
        (json!({"capacity": "1Gi"}), "1", false),
        (json!({"nodeTopology": null, "capacity": "1Gi"}), "1", false),
        // No space without a capacity.
        (json!({"nodeTopology": everywhere}), "0", false),
        (
            json!({"nodeTopology": everywhere, "capacity": "0"}),
            "0",
            true,
        ),
        (
            json!({"nodeTopology": everywhere, "capacity": "0"}),
            "1",
            false,
        ),
        (
            json!({"nodeTopology": everywhere, "capacity": "1Gi"}),
            "1073741825",
            false,
        ),
        // In whole bytes, rounded up.
        (
            json!({"nodeTopology": everywhere, "capacity": "0.5"}),
            "1",
            true,
        ),
        (
            json!({"nodeTopology": everywhere, "capacity": "1"}),
            "1.5",
            false,
        ),
        (
            json!({"nodeTopology": everywhere, "capacity": "1e30"}),
            "1e20",
            true,
        ),
        (
            json!({"nodeTopology": everywhere, "capacity": "1e20"}),
            "1e30",
            false,
        ),
        // The maximum size of a volume counts, if it is set, and not the capacity.
        (
            json!({"nodeTopology": everywhere, "capacity": "9Gi", "maximumVolumeSize": "1Gi"}),
            "2Gi",
            false,
        ),
        (
            json!({"nodeTopology": everywhere, "capacity": "1Gi", "maximumVolumeSize": "9Gi"}),
            "2Gi",
            true,
        ),
        (
            json!({"nodeTopology": everywhere, "maximumVolumeSize": "9Gi"}),
            "2Gi",
            true,
        ),
        (
            json!({"nodeTopology": everywhere, "capacity": "much"}),
            "1",
            false,
        ),
    ] {
        let told = json.to_string();
        assert_eq!(fits(json.clone(), "fast", size), expected, "{told}");
        assert!(!fits(json, "slow", size), "{told}");
    }
}

#[test]
fn what_is_malformed_can_be_told() {
    let unknown = json!({"matchExpressions": [{"key": ZONE, "operator": "Near"}]});
    let unknown: LabelSelector = from_value(unknown).unwrap();
    let capacity = storage_v1::CSIStorageCapacity::new("c", "fast")
        .with_node_topology(unknown)
        .with_capacity(k8s_openapi::apimachinery::pkg::api::resource::Quantity(
            "much".into(),
        ));
    let refused = capacity.reaches_node(&[(ZONE, "a")]).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("matchExpressions[0].operator: "),
        "{refused}"
    );
    assert!(capacity.has_room_for(&amount("1")).is_err());
}

fn terms(json: Value) -> Vec<TopologySelectorTerm> {
    from_value(json).unwrap()
}

#[test]
fn terms_allow_as_in_kubernetes() {
    let node = [(ZONE, "a"), ("disk", "ssd"), ("odd", "b c")];
    let of = |key: &str, values: &[&str]| json!({"key": key, "values": values});
    let term = |expressions: &[Value]| json!({"matchLabelExpressions": expressions});
    for (terms_of, allowed) in [
        (json!([]), true),
        (json!([{}]), false),
        (json!([term(&[])]), false),
        (json!([term(&[of(ZONE, &["b", "a"])])]), true),
        (json!([term(&[of(ZONE, &["b"])])]), false),
        (json!([term(&[of("absent", &["b"])])]), false),
        (json!([term(&[of(ZONE, &[])])]), false),
        (
            json!([term(&[of(ZONE, &["a"]), of("disk", &["hdd"])])]),
            false,
        ),
        (
            json!([term(&[of(ZONE, &["a"]), of("disk", &["hdd", "ssd"])])]),
            true,
        ),
        (
            json!([term(&[of(ZONE, &["b"])]), term(&[of("disk", &["ssd"])])]),
            true,
        ),
        (json!([{}, term(&[of("disk", &["ssd"])])]), true),
        // An invalid label spoils its term, and no other.
        (json!([term(&[of("odd", &["b c"])])]), false),
        (json!([term(&[of(ZONE, &["a", "b c"])])]), false),
        (
            json!([
                term(&[of(ZONE, &["a", "b c"])]),
                term(&[of("disk", &["ssd"])])
            ]),
            true,
        ),
    ] {
        let shown = terms_of.to_string();
        assert_eq!(allows_node(&terms(terms_of), &node), allowed, "{shown}");
    }
    assert!(!allows_node(
        &terms(json!([term(&[of(ZONE, &["a"])])])),
        &None::<[(&str, &str); 0]>
    ));
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

/// A label and its values.
fn requirement() -> impl Strategy<Value = (String, Vec<String>)> {
    (word(), prop::collection::vec(word(), 1..3))
}

proptest! {
    /// A term is a selector of In requirements, unless it is empty.
    #[test]
    fn a_term_is_a_selector(
        each in prop::collection::vec(prop::collection::vec(requirement(), 0..3), 0..3),
        labels in prop::collection::btree_map(word(), word(), 0..4),
    ) {
        let picked = |requirements: &Vec<(String, Vec<String>)>| {
            let selector = requirements.iter().fold(
                label_selector([("", ""); 0]),
                |selector, (key, values)| selector.with_in(key, values),
            );
            !requirements.is_empty() && matches(&selector, &labels) == Ok(true)
        };
        let terms: Vec<_> = each.iter().cloned().map(topology_term).collect();
        prop_assert_eq!(allows_node(&terms, &labels), terms.is_empty() || each.iter().any(picked));
    }
}
