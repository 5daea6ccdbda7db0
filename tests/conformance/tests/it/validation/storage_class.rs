//! The rules of StorageClass.

use conformance::rules::{Probe, Ruled, domain, entries, entry_of, text};
use serde_json::{Value, json};

conformance::each_version! {
    [
        a_good_one,
        provisioner,
        number_of_parameters,
        size_of_parameters,
        reclaim_policy,
        volume_binding_mode,
        topology_keys_and_values,
        topology_terms,
        unchecked_fields,
        fixed_fields,
        empty_parameters_are_none,
        deprecated_labels,
    ]
    v1: storage_v1::StorageClass;
    v1beta1: storage_v1beta1::StorageClass;
}

fn probe<K: Ruled>() -> Probe<K> {
    Probe::of(json!({"metadata": {"name": "c"}, "provisioner": "csi.example.com"}))
}

fn terms(terms: Value) -> Value {
    json!({"allowedTopologies": terms})
}

fn term(key: &str, values: &[&str]) -> Value {
    json!({"matchLabelExpressions": [{"key": key, "values": values}]})
}

fn a_good_one<K: Ruled>() {
    probe::<K>().create(json!({})).ok();
    probe::<K>().update(json!({}), json!({})).ok();
}

fn provisioner<K: Ruled>() {
    let given = |name: &str| probe::<K>().create(json!({"provisioner": name}));
    given("").refused(&["Required provisioner"]);
    for good in [
        "UPPER.example.com",
        "a/b_c.d",
        "kubernetes.io/aws-ebs",
        "\u{212a}",
    ] {
        given(good).ok();
    }
    given(&text(63)).ok();
    given(&format!("{}/{}", domain(253), text(63))).ok();
    let too_long = [
        text(64),
        format!("{}/x", domain(254)),
        format!("x/{}", text(64)),
    ];
    let bad = ["a b", "-a", "a-", "/a", "a/", "a/b/c", "Ä", "a_b/c"].map(str::to_owned);
    for name in too_long.iter().chain(&bad) {
        given(name).refused(&["Invalid provisioner"]);
    }
}

fn number_of_parameters<K: Ruled>() {
    let given = |parameters: Value| probe::<K>().create(json!({"parameters": parameters}));
    given(json!({})).ok();
    given(entries(512)).ok();
    given(entries(513)).refused(&["TooLong parameters"]);
    // The server looks no further then.
    let mut many = entries(513);
    many[""] = json!(text(300 << 10));
    given(many).refused(&["TooLong parameters"]);
}

fn size_of_parameters<K: Ruled>() {
    let given = |parameters: Value| probe::<K>().create(json!({"parameters": parameters}));
    given(json!({"k": ""})).ok();
    given(json!({"": "v"})).refused(&["Invalid parameters (parameters[])"]);
    given(entry_of((256 << 10) - 1)).ok();
    given(entry_of(256 << 10)).ok();
    given(entry_of((256 << 10) + 1)).refused(&["TooLong parameters"]);
    // Bytes count, not characters.
    given(json!({"k": "ä".repeat(128 << 10)})).refused(&["TooLong parameters"]);
}

fn reclaim_policy<K: Ruled>() {
    for good in ["Delete", "Retain", ""] {
        probe::<K>().create(json!({"reclaimPolicy": good})).ok();
    }
    for bad in ["Recycle", "delete"] {
        let answer = probe::<K>().create(json!({"reclaimPolicy": bad}));
        answer.refused(&["NotSupported reclaimPolicy"]);
    }
}

fn volume_binding_mode<K: Ruled>() {
    for good in ["Immediate", "WaitForFirstConsumer"] {
        probe::<K>().create(json!({"volumeBindingMode": good})).ok();
    }
    for bad in ["", "Later"] {
        let answer = probe::<K>().create(json!({"volumeBindingMode": bad}));
        answer.refused(&["NotSupported volumeBindingMode"]);
    }
    let unset = probe::<K>().without_defaults(json!({}));
    unset.refused(&["Required volumeBindingMode"]);
}

fn topology_keys_and_values<K: Ruled>() {
    let given = |one: Value| probe::<K>().create(terms(json!([one])));
    let place = "allowedTopologies[0].matchLabelExpressions[0]";
    given(term("topology.kubernetes.io/zone", &["a", "b"])).ok();
    given(term(&text(63), &["", "any thing"])).ok();
    given(term(&text(64), &["a"])).refused(&[&format!("Invalid {place}.key")]);
    given(term("", &["a"])).refused(&[&format!("Invalid {place}.key")]);
    given(term("k", &[])).refused(&[&format!("Required {place}.values")]);
    let repeated = given(term("k", &["a", "b", "a"]));
    repeated.refused(&[&format!("Duplicate {place}.values[2]")]);
}

fn topology_terms<K: Ruled>() {
    let given = |all: Value| probe::<K>().create(terms(all));
    let of = |pairs: &[(&str, &str)]| {
        let one = |(key, value): &(&str, &str)| json!({"key": key, "values": [value]});
        json!({"matchLabelExpressions": pairs.iter().map(one).collect::<Vec<_>>()})
    };
    given(json!([])).ok();
    given(json!([of(&[("a", "1"), ("b", "2")]), of(&[("a", "1")])])).ok();
    let keys = given(json!([of(&[("a", "1"), ("a", "2")])]));
    keys.refused(&["Duplicate allowedTopologies[0].matchLabelExpressions[1].key"]);
    let equal = given(json!([
        of(&[("a", "1"), ("b", "2")]),
        of(&[("b", "2"), ("a", "1")])
    ]));
    equal.refused(&["Duplicate allowedTopologies[1].matchLabelExpressions"]);
    let values = given(json!([term("a", &["1", "2"]), term("a", &["2", "1"])]));
    values.refused(&["Duplicate allowedTopologies[1].matchLabelExpressions"]);
    // The server takes an empty term for a repetition, even if it is alone.
    let empty = given(json!([{"matchLabelExpressions": []}]));
    empty.refused(&["Duplicate allowedTopologies[0].matchLabelExpressions"]);
}

fn unchecked_fields<K: Ruled>() {
    let changed = json!({
        "mountOptions": ["", "a b", ""], "allowVolumeExpansion": true,
        "allowedTopologies": [term("zone", &["a"])],
    });
    probe::<K>().create(changed.clone()).ok();
    probe::<K>().update(json!({}), changed.clone()).ok();
    probe::<K>().update(changed, json!({})).ok();
}

fn fixed_fields<K: Ruled>() {
    let fields = [
        ("provisioner", json!("other.example.com")),
        ("parameters", json!({"k": "v"})),
        ("reclaimPolicy", json!("Retain")),
        ("volumeBindingMode", json!("WaitForFirstConsumer")),
    ];
    let all: serde_json::Map<_, _> = fields
        .iter()
        .map(|(f, v)| ((*f).to_owned(), v.clone()))
        .collect();
    let all = Value::Object(all);
    let every = fields.clone().map(|(field, _)| format!("Invalid {field}"));
    let every: Vec<_> = every.iter().map(String::as_str).collect();
    probe::<K>().update(all.clone(), all.clone()).ok();
    probe::<K>().update(json!({}), all).refused(&every);
    for (field, value) in fields {
        let expected = format!("Invalid {field}");
        let changed = json!({ field: value });
        probe::<K>()
            .update(json!({}), changed.clone())
            .refused(&[&expected]);
        probe::<K>()
            .update(changed, json!({}))
            .refused(&[&expected]);
    }
    // Case matters, although it doesn't for whether the name is good.
    let case = json!({"provisioner": "CSI.example.com"});
    probe::<K>()
        .update(json!({}), case)
        .refused(&["Invalid provisioner"]);
}

fn empty_parameters_are_none<K: Ruled>() {
    // Until 1.35, another type of error, and absent parameters differ from empty ones.
    let given = |minor, change| probe::<K>().in_1(minor).update(json!({}), change);
    for (field, value) in [
        ("provisioner", json!("b.example.com")),
        ("parameters", json!({"a": "c"})),
        ("reclaimPolicy", json!("Retain")),
    ] {
        let (invalid, forbidden) = (format!("Invalid {field}"), format!("Forbidden {field}"));
        given(36, json!({field: value})).refused(&[&invalid]);
        given(35, json!({field: value})).refused(&[&forbidden]);
        given(31, json!({field: value})).refused(&[&forbidden]);
    }
    given(35, json!({"parameters": {}})).refused(&["Forbidden parameters"]);
    probe::<K>()
        .update(json!({}), json!({"parameters": {}}))
        .ok();
    probe::<K>()
        .update(json!({"parameters": {}}), json!({}))
        .ok();
}

fn deprecated_labels<K: Ruled>() {
    let old = "failure-domain.beta.kubernetes.io/zone";
    let answer = probe::<K>().create(terms(json!([term("zone", &["a"]), term(old, &["a"])])));
    answer.refused(&[]);
    answer.warned(&["allowedTopologies[1].matchLabelExpressions[0].key"]);
    probe::<K>()
        .create(terms(json!([term("topology.kubernetes.io/zone", &["a"])])))
        .ok();
}
