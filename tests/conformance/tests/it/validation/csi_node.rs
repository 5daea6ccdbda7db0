//! The rules of CSINode.

use conformance::rules::{Probe, Ruled, domain, text};
use kubernetes_kinds::Release;
use kubernetes_validation::{Target, Validate};
use serde_json::{Value, json};

conformance::each_version! {
    [
        a_good_one,
        driver_names,
        node_ids,
        topology_keys,
        allocatable,
        drivers_come_and_go,
        installed_drivers,
        limits_of_installed_drivers,
    ]
    v1: storage_v1::CSINode;
    v1beta1: storage_v1beta1::CSINode;
}

fn probe<K: Ruled>() -> Probe<K> {
    Probe::of(json!({"metadata": {"name": "n"}, "spec": {"drivers": []}}))
}

/// The patch that gives a node these drivers.
fn drivers(drivers: Value) -> Value {
    json!({"spec": {"drivers": drivers}})
}

/// A driver with another member.
fn driver(member: &str, value: Value) -> Value {
    let mut driver = json!({"name": "csi.example.com", "nodeID": "i-1"});
    driver[member] = value;
    drivers(json!([driver]))
}

fn a_good_one<K: Ruled>() {
    probe::<K>().create(json!({})).ok();
    probe::<K>()
        .create(driver("topologyKeys", json!(["zone"])))
        .ok();
}

fn driver_names<K: Ruled>() {
    let given = |name: &str| probe::<K>().create(driver("name", json!(name)));
    given("").refused(&["Required spec.drivers[0].name"]);
    given("CSI.Example.com").ok();
    given(&domain(63)).ok();
    given(&domain(64)).refused(&["TooLong spec.drivers[0].name"]);
    given("a_b").refused(&["Invalid spec.drivers[0].name"]);
    let both = [
        "Invalid spec.drivers[0].name",
        "TooLong spec.drivers[0].name",
    ];
    given(&format!("{}_", domain(63))).refused(&both);
    let named = |names: &[&str]| {
        let named = names
            .iter()
            .map(|name| json!({"name": name, "nodeID": "i"}));
        probe::<K>().create(drivers(named.collect()))
    };
    named(&["a.b", "A.b"]).ok();
    let twice = [
        "Duplicate spec.drivers[1].name",
        "Duplicate spec.drivers[2].name",
    ];
    named(&["a", "a", "a"]).refused(&twice);
    // More than are compared one by one.
    let mut many: Vec<_> = (0..40).map(|at| format!("d{at}")).collect();
    let many_names = |names: &[String]| named(&names.iter().map(|n| &**n).collect::<Vec<_>>());
    many_names(&many).ok();
    many[39] = many[0].clone();
    many_names(&many).refused(&["Duplicate spec.drivers[39].name"]);
}

fn node_ids<K: Ruled>() {
    let given = |id: &str| probe::<K>().create(driver("nodeID", json!(id)));
    given("").refused(&["Required spec.drivers[0].nodeID"]);
    given("any thing/at all").ok();
    given(&text(256)).ok();
    given(&text(257)).refused(&["Invalid spec.drivers[0].nodeID"]);
    given(&"ä".repeat(129)).refused(&["Invalid spec.drivers[0].nodeID"]);
}

fn topology_keys<K: Ruled>() {
    let given = |keys: Value| probe::<K>().create(driver("topologyKeys", keys));
    let place = |kind: &str, at: usize| {
        format!("{kind} spec.drivers[0] (spec.drivers[0].topologyKeys[{at}])")
    };
    given(json!([])).ok();
    given(json!(["zone", "topology.kubernetes.io/zone", text(63)])).ok();
    given(json!([text(64)])).refused(&[&place("Invalid", 0)]);
    given(json!(["a", "b c"])).refused(&[&place("Invalid", 1)]);
    given(json!([""])).refused(&[&place("Required", 0), &place("Invalid", 0)]);
    given(json!(["a", "b", "a"])).refused(&[&place("Duplicate", 2)]);
}

fn allocatable<K: Ruled>() {
    let given = |count: i32| probe::<K>().create(driver("allocatable", json!({"count": count})));
    given(0).ok();
    given(i32::MAX).ok();
    given(-1).refused(&["Invalid spec.drivers[0].allocatable.count"]);
    probe::<K>().create(driver("allocatable", json!({}))).ok();
}

fn drivers_come_and_go<K: Ruled>() {
    let one = driver("topologyKeys", json!(["zone"]));
    probe::<K>().update(json!({}), one.clone()).ok();
    probe::<K>().update(one.clone(), json!({})).ok();
    probe::<K>()
        .update(one, driver("name", json!("other")))
        .ok();
}

fn installed_drivers<K: Ruled>() {
    let stored = driver("topologyKeys", json!(["a", "b"]));
    let keys = "Invalid spec.drivers (spec.drivers[0].topologyKeys)";
    let probe = probe::<K>();
    probe.update(stored.clone(), stored.clone()).ok();
    probe
        .update(stored.clone(), driver("topologyKeys", json!(["b", "a"])))
        .refused(&[keys]);
    probe
        .update(json!({}), driver("topologyKeys", json!([])))
        .ok();
    let none = driver("nodeID", json!("i-1"));
    probe
        .update(none.clone(), driver("topologyKeys", json!([])))
        .ok();
    let id = "Invalid spec.drivers (spec.drivers[0].nodeID)";
    probe
        .update(none, driver("nodeID", json!("i-2")))
        .refused(&[id]);
    // Drivers are compared by name, in any order.
    let two = |ids: [&str; 2]| {
        let [a, b] = ids;
        drivers(json!([{"name": "a", "nodeID": a}, {"name": "b", "nodeID": b}]))
    };
    let mut swapped = two(["1", "2"]);
    swapped["spec"]["drivers"].as_array_mut().unwrap().reverse();
    probe.update(two(["1", "2"]), swapped).ok();
    let second = "Invalid spec.drivers (spec.drivers[1].nodeID)";
    probe
        .update(two(["1", "2"]), two(["1", "3"]))
        .refused(&[second]);
    // Servers of 1.31 and 1.32 report no path of the object.
    let second = "Invalid CSINodeDriver (spec.drivers[1].nodeID)";
    probe
        .in_1(32)
        .update(two(["1", "2"]), two(["1", "3"]))
        .refused(&[second]);
}

fn limits_of_installed_drivers<K: Ruled>() {
    let of = |count: i32| driver("allocatable", json!({"count": count}));
    let fixed = ["Invalid spec.drivers (spec.drivers[0].allocatable)"];
    let probe = probe::<K>();
    probe.in_1(34).update(of(1), of(2)).refused(&fixed);
    probe.in_1(35).update(of(1), of(2)).ok();
    let gate = |minor, on| {
        let target = Target::new(Release::new(1, minor));
        probe.by(target.with_gate("MutableCSINodeAllocatableCount", on))
    };
    let before = ["Invalid CSINodeDriver (spec.drivers[0].allocatable)"];
    gate(32, true).update(of(1), of(2)).refused(&before);
    gate(33, true).update(of(1), of(2)).ok();
    gate(34, true).update(of(1), of(2)).ok();
    gate(35, false).update(of(1), of(2)).refused(&fixed);
    // The feature is stable, so its gate is locked.
    gate(36, false).update(of(1), of(2)).ok();
}

/// Rules of 1.37 for the status of a node, which exists in v1 only.
#[test]
fn storage_health() {
    let given = |conditions: Value| {
        let health = json!([{"name": "csi.example.com", "healthConditions": conditions}]);
        probe::<storage_v1::CSINode>().status(json!({"status": {"storageHealth": health}}))
    };
    let of = |member: &str, value: Value| {
        let mut condition = json!({"status": "StorageDegraded", "reason": "r"});
        condition[member] = value;
        condition
    };
    let place = "status.storageHealth[0].healthConditions";
    given(json!([of("message", json!(text(1024)))])).ok();
    let message = given(json!([of("message", json!(text(1025)))]));
    message.refused(&[&format!("TooLong {place}[0].message")]);
    given(json!([of("reason", json!(text(256)))])).ok();
    let reason = given(json!([of("reason", json!(text(257)))]));
    reason.refused(&[&format!("TooLong {place}[0].reason")]);
    let many = |count| json!(vec![of("reason", json!("r")); count]);
    given(many(16)).ok();
    given(many(17)).refused(&[&format!("TooMany {place}")]);
    for good in ["r", "r_", "a:b,c"] {
        given(json!([of("reason", json!(good))])).ok();
    }
    let required = given(json!([of("reason", json!(""))]));
    required.refused(&[&format!("Required {place}[0].reason")]);
    for bad in ["1x", "a:", "_a", "a b", "é"] {
        let reason = given(json!([of("reason", json!(bad))]));
        reason.refused(&[&format!("Invalid {place}[0].reason")]);
    }
    for field in ["status", "accessMode", "volumeMode"] {
        for bad in ["Fine", ""] {
            let answer = given(json!([of(field, json!(bad))]));
            answer.refused(&[&format!("NotSupported {place}[0].{field}")]);
        }
    }
    given(json!([of("accessMode", json!("ReadWriteOncePod"))])).ok();
    given(json!([of("volumeMode", json!("Block"))])).ok();
}

/// The names of the drivers whose storage is reported.
#[test]
fn storage_health_of_drivers() {
    let given = |names: &[&str]| {
        let health: Value = names.iter().map(|name| json!({"name": name})).collect();
        let status = json!({"status": {"storageHealth": health}});
        probe::<storage_v1::CSINode>().status(status)
    };
    given(&["csi.example.com", "CSI.example.com", &text(63)]).ok();
    given(&[""]).refused(&["Required status.storageHealth[0].name"]);
    given(&["a_b"]).refused(&["Invalid status.storageHealth[0].name"]);
    given(&[&text(64)]).refused(&["TooLong status.storageHealth[0].name"]);
    given(&["a", "a"]).refused(&["Duplicate status.storageHealth[1]"]);
}

/// A server has a status for each node since 1.37, and drops what is reported with the gate off.
#[test]
fn a_status_is_there_since_1_37() {
    let sent = json!({"status": {"storageHealth": [{"name": "csi.example.com"}]}});
    let node = probe::<storage_v1::CSINode>();
    assert_eq!(node.in_1(37).stored(sent.clone())["status"], json!({}));
    assert_eq!(node.in_1(36).stored(sent.clone()).get("status"), None);
    let written = |target: Target| {
        let mut stored = node.object(json!({"status": {}}));
        let mut object = node.object(sent.clone());
        for object in [&mut stored, &mut object] {
            object.metadata.resource_version = Some("1".to_owned());
            object.metadata.uid = Some("u".to_owned());
        }
        let report = object.default_and_validate_status(&stored, &target);
        assert!(report.errors.is_empty(), "{report:?}");
        object.status.unwrap().storage_health
    };
    let target = Target::new(storage_v1::KUBERNETES);
    assert_eq!(written(target.clone()), None);
    assert!(written(target.with_gate("CSIVolumeHealth", true)).is_some());
}
