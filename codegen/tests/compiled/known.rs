//! Objects that are of types of k8s-openapi.

use golden_known::{Vase, VaseSpec};
use k8s_openapi::api::core::v1::{Affinity, ObjectFieldSelector, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_validation::{Report, Validate};
use serde_json::{Value, json};

fn vase(spec: &Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Vase", "metadata": {}, "spec": spec})
}

#[test]
fn they_are_those_of_others_and_come_back() {
    let affinity = Affinity::default();
    let spec = VaseSpec::new(ObjectReference::default())
        .with_flowers(LabelSelector::default())
        .with_label(ObjectFieldSelector::default())
        .with_affinity(affinity);
    assert_eq!(spec.near, None);
    let requirement = json!({"key": "a", "operator": "In", "values": ["b"]});
    let term = json!({"matchExpressions": [requirement], "matchFields": []});
    let pod = json!({"labelSelector": {"matchLabels": {}}, "topologyKey": "zone"});
    let object = vase(&json!({
        "stand": {"kind": "Table", "name": ""},
        "flowers": {"matchExpressions": [requirement], "matchLabels": {"a": ""}},
        "label": {"fieldPath": ""},
        "lockSecret": {"key": "k", "optional": false},
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [term]
            }},
            "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": pod}
            ]},
        },
        "near": [pod],
        "far": pod,
        "shelf": {},
        "owners": [{}, {"name": "n"}],
    }));
    let read: Vase = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), object);
}

/// In maps inside them, `null` is no entry, as on a server.
#[test]
fn maps_in_them_have_no_null() {
    let selector = json!({"matchLabels": {"a": null, "b": "c"}});
    let pod = json!({"labelSelector": selector, "topologyKey": "zone", "namespaces": null});
    let object = vase(&json!({"stand": {}, "flowers": selector, "near": [pod]}));
    let read: Vase = serde_json::from_value(object).unwrap();
    let selector = json!({"matchLabels": {"b": "c"}});
    assert_eq!(
        serde_json::to_value(read).unwrap()["spec"],
        json!({
            "stand": {},
            "flowers": selector,
            "near": [{"labelSelector": selector, "topologyKey": "zone"}],
        })
    );
}

/// A server asks for the same fields inside them.
#[test]
fn what_is_absent_in_them_is_reported() {
    let object = vase(&json!({
        "stand": {},
        "label": {},
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}},
        "flowers": {"matchExpressions": [{"key": "a"}]},
    }));
    let mut report = Report::default();
    Vase::report_absent(&object, &mut report);
    let mut fields: Vec<_> = report.errors.into_iter().map(|error| error.field).collect();
    fields.sort();
    assert_eq!(
        fields,
        [
            // Rules in CEL are left then.
            "<nil>",
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
            "spec.flowers.matchExpressions[0].operator",
            "spec.label.fieldPath",
        ]
    );
}
