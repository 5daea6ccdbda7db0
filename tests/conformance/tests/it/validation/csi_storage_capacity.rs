//! The rules of CSIStorageCapacity.

use conformance::rules::{Probe, Ruled, domain, text};
use serde_json::{Value, json};

conformance::each_version! {
    [
        a_good_one,
        storage_class_name,
        capacity,
        maximum_volume_size,
        selector_labels,
        selector_expressions,
        fixed_fields,
        equal_selectors,
        deprecated_labels,
    ]
    v1: storage_v1::CSIStorageCapacity;
    v1beta1: storage_v1beta1::CSIStorageCapacity;
    v1alpha1: storage_v1alpha1::CSIStorageCapacity;
}

fn probe<K: Ruled>() -> Probe<K> {
    Probe::of(json!({"metadata": {"name": "c", "namespace": "n"}, "storageClassName": "fast"}))
}

fn a_good_one<K: Ruled>() {
    probe::<K>().create(json!({})).ok();
    probe::<K>().update(json!({}), json!({})).ok();
}

fn storage_class_name<K: Ruled>() {
    let given = |name: &str| probe::<K>().create(json!({"storageClassName": name}));
    given(&domain(253)).ok();
    // A label may be longer than 63 bytes here, as in every such name.
    given(&text(64)).ok();
    for bad in ["", "UPPER", "a_b", "a..b", ".a", "-a", "a/b", &domain(254)] {
        given(bad).refused(&["Invalid storageClassName"]);
    }
}

fn capacity<K: Ruled>() {
    for good in ["0", "-0", "1", "1Gi", "0.5", "1e3"] {
        probe::<K>().create(json!({"capacity": good})).ok();
    }
    for bad in ["-1", "-1Gi", "-0.1"] {
        let answer = probe::<K>().create(json!({"capacity": bad}));
        answer.refused(&["Invalid capacity"]);
    }
}

fn maximum_volume_size<K: Ruled>() {
    probe::<K>().create(json!({"maximumVolumeSize": "-1"})).ok();
}

fn selector_labels<K: Ruled>() {
    let given = |key: &str, value: &str| {
        probe::<K>().create(json!({"nodeTopology": {"matchLabels": {key: value}}}))
    };
    let place =
        |key: &str| format!("Invalid nodeTopology.matchLabels (nodeTopology.matchLabels[{key}])");
    given("zone", "").ok();
    given(&text(63), &text(63)).ok();
    given("zone", &text(64)).refused(&[&place("zone")]);
    given("a b", "v").refused(&[&place("a b")]);
}

fn selector_expressions<K: Ruled>() {
    let given = |operator: &str, values: Value| {
        let expression = json!({"key": "zone", "operator": operator, "values": values});
        probe::<K>().create(json!({"nodeTopology": {"matchExpressions": [expression]}}))
    };
    let place = "nodeTopology.matchExpressions[0]";
    for operator in ["In", "NotIn"] {
        given(operator, json!(["a", ""])).ok();
        given(operator, json!([])).refused(&[&format!("Required {place}.values")]);
        let bad = given(operator, json!(["a", text(64)]));
        bad.refused(&[&format!("Invalid {place}.values[1]")]);
    }
    for operator in ["Exists", "DoesNotExist"] {
        given(operator, json!([])).ok();
        given(operator, json!(["a"])).refused(&[&format!("Forbidden {place}.values")]);
    }
    for operator in ["", "in", "Gt"] {
        given(operator, json!([])).refused(&[&format!("Invalid {place}.operator")]);
    }
    let key = json!({"nodeTopology": {"matchExpressions": [{"key": "", "operator": "Exists"}]}});
    probe::<K>()
        .create(key)
        .refused(&[&format!("Invalid {place}.key")]);
}

fn fixed_fields<K: Ruled>() {
    let class = json!({"storageClassName": "slow"});
    probe::<K>()
        .update(json!({}), class)
        .refused(&["Invalid storageClassName"]);
    let zone = json!({"nodeTopology": {"matchLabels": {"zone": "a"}}});
    probe::<K>()
        .update(json!({}), zone.clone())
        .refused(&["Invalid nodeTopology"]);
    probe::<K>().update(zone.clone(), zone).ok();
    let sizes = json!({"capacity": "1Gi", "maximumVolumeSize": "1Gi"});
    probe::<K>().update(json!({}), sizes).ok();
}

fn equal_selectors<K: Ruled>() {
    // A selector that is empty isn't one that is absent; one with empty parts is.
    let empty = json!({"nodeTopology": {}});
    probe::<K>()
        .update(json!({}), empty.clone())
        .refused(&["Invalid nodeTopology"]);
    let parts = json!({"nodeTopology": {"matchLabels": {}, "matchExpressions": []}});
    probe::<K>().update(empty, parts).ok();
}

fn deprecated_labels<K: Ruled>() {
    let expressions = json!([{"key": "beta.kubernetes.io/os", "operator": "Exists"}]);
    let labels = json!({"beta.kubernetes.io/arch": "arm64", "zone": "a"});
    let answer = probe::<K>().create(json!({
        "nodeTopology": {"matchExpressions": expressions, "matchLabels": labels}
    }));
    answer.refused(&[]);
    answer.warned(&[
        "nodeTopology.matchExpressions[0].key",
        "nodeTopology.matchLabels[beta.kubernetes.io/arch]",
    ]);
}
