//! The rules of CSIDriver.

use conformance::rules::{Probe, Ruled};
use kubernetes_kinds::Release;
use kubernetes_validation::Target;
use serde_json::{Value, json};

conformance::each_version! {
    [
        a_good_one,
        fields_that_must_be_set,
        fields_that_must_be_set_by_gate,
        fs_group_policy,
        lifecycle_modes,
        audiences,
        expiration,
        update_period,
        tokens_in_secrets,
        token_warning,
        fixed_fields,
        fixed_until_1_29,
    ]
    v1: storage_v1::CSIDriver;
    v1beta1: storage_v1beta1::CSIDriver;
}

fn probe<K: Ruled>() -> Probe<K> {
    Probe::of(json!({"metadata": {"name": "csi.example.com"}, "spec": {}}))
}

fn spec(field: &str, value: Value) -> Value {
    json!({"spec": {field: value}})
}

fn a_good_one<K: Ruled>() {
    probe::<K>().create(json!({})).ok();
    probe::<K>().update(json!({}), json!({})).ok();
}

fn fields_that_must_be_set<K: Ruled>() {
    probe::<K>().in_1(24).without_defaults(json!({})).refused(&[
        "Required spec.attachedRequired (spec.attachRequired)",
        "Required spec.podInfoOnMount",
        "Required spec.storageCapacity",
    ]);
}

fn fields_that_must_be_set_by_gate<K: Ruled>() {
    let asks = |target: Target, field: &str| {
        let answer = probe::<K>().by(target).without_defaults(json!({}));
        answer.errors().contains(&format!("Required spec.{field}"))
    };
    let in_1 = |minor| Target::new(Release::new(1, minor));
    let gate = "SELinuxMountReadWriteOncePod";
    assert!(!asks(in_1(27), "seLinuxMount") && asks(in_1(28), "seLinuxMount"));
    assert!(asks(in_1(25).with_gate(gate, true), "seLinuxMount"));
    assert!(!asks(in_1(24).with_gate(gate, true), "seLinuxMount"));
    assert!(!asks(in_1(28).with_gate(gate, false), "seLinuxMount"));
    assert!(asks(in_1(36).with_gate(gate, false), "seLinuxMount"));
    let field = "preventPodSchedulingIfMissing";
    assert!(!asks(in_1(36), field) && asks(in_1(37), field));
    assert!(asks(in_1(36).with_gate("VolumeLimitScaling", true), field));
    assert!(asks(in_1(36).with_gate("AllAlpha", true), field));
    assert!(!asks(in_1(37).with_gate("AllBeta", false), field));
}

fn fs_group_policy<K: Ruled>() {
    for good in ["ReadWriteOnceWithFSType", "File", "None"] {
        probe::<K>().create(spec("fsGroupPolicy", json!(good))).ok();
    }
    for bad in ["", "file"] {
        let answer = probe::<K>().create(spec("fsGroupPolicy", json!(bad)));
        answer.refused(&["NotSupported spec.fsGroupPolicy"]);
    }
}

fn lifecycle_modes<K: Ruled>() {
    let given = |modes: Value| probe::<K>().create(spec("volumeLifecycleModes", modes));
    given(json!([])).ok();
    given(json!(["Ephemeral", "Persistent"])).ok();
    // Although v1 calls it a set.
    given(json!(["Persistent", "Persistent"])).ok();
    let place = "NotSupported spec.volumeLifecycleModes";
    let expected = format!("{place} (spec.volumeLifecycleModes[1])");
    given(json!(["Persistent", "Other"])).refused(&[&expected]);
    given(json!([""])).refused(&[&format!("{place} (spec.volumeLifecycleModes[0])")]);
}

fn audiences<K: Ruled>() {
    let given = |requests: Value| {
        probe::<K>()
            .in_1(34)
            .create(spec("tokenRequests", requests))
    };
    given(json!([])).ok();
    given(json!([{"audience": ""}, {"audience": "a"}, {"audience": "b"}])).ok();
    let twice = given(json!([{"audience": "a"}, {"audience": "a"}]));
    twice.refused(&["Duplicate spec.tokenRequests[1].audience"]);
    let empty = given(json!([{"audience": ""}, {}]));
    empty.refused(&["Duplicate spec.tokenRequests[1].audience"]);
    // The server looks no further into a request that repeats another.
    let short = json!({"audience": "a", "expirationSeconds": 1});
    given(json!([short, short])).refused(&[
        "Duplicate spec.tokenRequests[1].audience",
        "Invalid spec.tokenRequests[0].expirationSeconds",
    ]);
}

fn expiration<K: Ruled>() {
    let given = |seconds: i64| {
        let request = json!([{"audience": "a", "expirationSeconds": seconds}]);
        probe::<K>().in_1(34).create(spec("tokenRequests", request))
    };
    for good in [600, 601, (1 << 32) - 1, 1 << 32] {
        given(good).ok();
    }
    for bad in [599, 0, -1, (1 << 32) + 1, i64::MAX] {
        given(bad).refused(&["Invalid spec.tokenRequests[0].expirationSeconds"]);
    }
}

fn update_period<K: Ruled>() {
    let field = "nodeAllocatableUpdatePeriodSeconds";
    let given = |seconds: i64| probe::<K>().create(spec(field, json!(seconds)));
    given(10).ok();
    given(i64::MAX).ok();
    for bad in [9, 0, -10] {
        given(bad).refused(&[&format!("Invalid spec.{field}")]);
    }
    // Where the feature is off, the field is dropped before anyone looks.
    probe::<K>().in_1(34).create(spec(field, json!(9))).ok();
    let gate = "MutableCSINodeAllocatableCount";
    let target = Target::new(Release::new(1, 34)).with_gate(gate, true);
    let answer = probe::<K>().by(target).create(spec(field, json!(9)));
    answer.refused(&[&format!("Invalid spec.{field}")]);
    // A stored value stays, and is checked.
    let stays = probe::<K>()
        .in_1(34)
        .update(spec(field, json!(9)), spec(field, json!(8)));
    stays.refused(&[&format!("Invalid spec.{field}")]);
}

fn tokens_in_secrets<K: Ruled>() {
    let field = "serviceAccountTokenInSecrets";
    for value in [true, false] {
        let answer = probe::<K>().create(spec(field, json!(value)));
        answer.refused(&[&format!("Invalid spec.{field}")]);
        let empty = json!({"spec": {field: value, "tokenRequests": []}});
        probe::<K>()
            .create(empty)
            .refused(&[&format!("Invalid spec.{field}")]);
        let requests = json!([{"audience": "a"}]);
        let both = json!({"spec": {field: value, "tokenRequests": requests}});
        probe::<K>().create(both).ok();
    }
    probe::<K>().in_1(34).create(spec(field, json!(true))).ok();
    let answer = probe::<K>().in_1(35).create(spec(field, json!(true)));
    answer.refused(&[&format!("Invalid spec.{field}")]);
}

fn token_warning<K: Ruled>() {
    let requests = |audience: &str| spec("tokenRequests", json!([{"audience": audience}]));
    let place = ["spec.serviceAccountTokenInSecrets"];
    let new = probe::<K>().create(requests("a"));
    new.refused(&[]);
    new.warned(&place);
    probe::<K>().in_1(34).create(requests("a")).ok();
    probe::<K>().update(requests("a"), requests("a")).ok();
    probe::<K>()
        .update(requests("a"), requests("b"))
        .warned(&place);
    probe::<K>().update(requests("a"), json!({})).ok();
}

fn fixed_fields<K: Ruled>() {
    let probe = probe::<K>();
    let off = spec("attachRequired", json!(false));
    let attach = "Invalid spec.attachedRequired (spec.attachRequired)";
    probe.update(json!({}), off.clone()).refused(&[attach]);
    probe.update(off.clone(), off).ok();
    probe
        .update(json!({}), spec("attachRequired", json!(true)))
        .ok();
    let modes = |modes: Value| spec("volumeLifecycleModes", modes);
    let fixed = ["Invalid spec.volumeLifecycleModes"];
    probe.update(json!({}), modes(json!(["Persistent"]))).ok();
    probe
        .update(json!({}), modes(json!(["Ephemeral"])))
        .refused(&fixed);
    let both = modes(json!(["Persistent", "Ephemeral"]));
    probe.update(both.clone(), both.clone()).ok();
    probe
        .update(both, modes(json!(["Ephemeral", "Persistent"])))
        .refused(&fixed);
    let free = json!({"spec": {
        "storageCapacity": true, "requiresRepublish": true, "seLinuxMount": true,
        "nodeAllocatableUpdatePeriodSeconds": 10, "preventPodSchedulingIfMissing": true,
        "tokenRequests": [{"audience": "a"}], "serviceAccountTokenInSecrets": true,
        "podInfoOnMount": true, "fsGroupPolicy": "File",
    }});
    probe.update(json!({}), free.clone()).ok();
    probe.update(free, json!({})).ok();
}

fn fixed_until_1_29<K: Ruled>() {
    let fields = [
        ("podInfoOnMount", json!(true)),
        ("fsGroupPolicy", json!("File")),
    ];
    for (field, value) in fields {
        let change = |minor| {
            probe::<K>()
                .in_1(minor)
                .update(json!({}), spec(field, value.clone()))
        };
        change(28).refused(&[&format!("Invalid spec.{field}")]);
        change(29).ok();
    }
}
