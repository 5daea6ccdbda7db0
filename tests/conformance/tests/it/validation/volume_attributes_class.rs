//! The rules of VolumeAttributesClass.

use conformance::rules::{Probe, Ruled, domain, entries, entry_of, text};
use serde_json::{Value, json};

conformance::each_version! {
    [a_good_one, driver_name, parameters, fixed_fields]
    v1: storage_v1::VolumeAttributesClass;
    v1beta1: storage_v1beta1::VolumeAttributesClass;
    v1alpha1: storage_v1alpha1::VolumeAttributesClass;
}

fn probe<K: Ruled>() -> Probe<K> {
    let name = "csi.example.com";
    Probe::of(json!({
        "metadata": {"name": "c"}, "driverName": name, "parameters": {"iops": "10"}
    }))
}

fn a_good_one<K: Ruled>() {
    probe::<K>().create(json!({})).ok();
    probe::<K>().update(json!({}), json!({})).ok();
}

fn driver_name<K: Ruled>() {
    let given = |name: &str| probe::<K>().create(json!({"driverName": name}));
    given("").refused(&["Required driverName"]);
    given("UPPER.example.com/Disk").ok();
    given(&text(63)).ok();
    given(&text(64)).refused(&["Invalid driverName"]);
    given(&format!("{}/x", domain(253))).ok();
    given(&format!("{}/x", domain(254))).refused(&["Invalid driverName"]);
    given("a/b/c").refused(&["Invalid driverName"]);
}

fn parameters<K: Ruled>() {
    let given = |parameters: Value| {
        let none = probe::<K>().object(json!({"parameters": null}));
        let mut json = serde_json::to_value(none).unwrap();
        json["parameters"] = parameters;
        Probe::<K>::of(json).create(json!({}))
    };
    given(Value::Null).refused(&["Required parameters"]);
    given(json!({})).refused(&["Required parameters"]);
    given(json!({"k": ""})).ok();
    given(json!({"": "v"})).refused(&["Invalid parameters (parameters[])"]);
    given(entries(512)).ok();
    given(entries(513)).refused(&["TooLong parameters"]);
    given(entry_of(256 << 10)).ok();
    given(entry_of((256 << 10) + 1)).refused(&["TooLong parameters"]);
}

fn fixed_fields<K: Ruled>() {
    let driver = json!({"driverName": "other.example.com"});
    probe::<K>()
        .update(json!({}), driver)
        .refused(&["Forbidden driverName"]);
    let changes = [json!({"iops": "11"}), json!({"more": "1"})];
    for parameters in changes {
        let changed = json!({ "parameters": parameters });
        probe::<K>()
            .update(json!({}), changed)
            .refused(&["Forbidden parameters"]);
    }
}
