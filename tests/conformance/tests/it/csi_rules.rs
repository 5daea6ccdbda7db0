//! Conversion of csi.storage.k8s.io/v1alpha1 to storage.k8s.io/v1 and back: one test for each
//! rule, in both directions. What can't be represented is reported, kept, and restored.

use conformance::kind::Kind;
use conformance::samples::csi::{csi_node_info_1_12, csi_node_info_1_13};
use kubernetes_kinds::convert::{CONVERSION_DATA_ANNOTATION, Convert, Converted};
use serde_json::json;
use storage_v1::{CSINodeDriver, CSINodeSpec};
use storage_v1alpha1::csi::{
    CSIDriverInfo, CSIDriverInfoSpec, CSIDriverInfoStatus, CSIDriverSpec, CSINodeInfo,
    CSINodeInfoSpec, CSINodeInfoStatus, VolumePluginMechanism,
};

type OldDriver = storage_v1alpha1::csi::CSIDriver;
type NewDriver = storage_v1::CSIDriver;
type Node = storage_v1::CSINode;

/// Converts with the annotation, checks that the way back gives the source again and that
/// exactly these fields are reported, and gives the target.
fn trip<A, B>(source: &A, losses: &[&str]) -> B
where
    A: Kind + Convert<B>,
    B: Kind + Convert<A>,
{
    let target: Converted<B> = source.clone().convert_preserving().unwrap();
    assert_eq!(paths(&target), losses);
    let document = serde_json::to_value(source).unwrap();
    for loss in &target.unrepresentable {
        let pointer = format!("/{}", loss.path.to_string().replace(['.', '['], "/"));
        let at = document.pointer(&pointer.replace(']', "")).cloned();
        assert_eq!(loss.value, at.unwrap_or_default(), "{}", loss.path);
    }
    let back: Converted<A> = target.object.clone().convert_preserving().unwrap();
    assert_eq!(back.object, *source);
    // The annotation is there only where it is needed, and gone after the way back.
    let has = |metadata: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta| {
        metadata
            .annotations
            .as_ref()
            .is_some_and(|all| all.contains_key(CONVERSION_DATA_ANNOTATION))
    };
    assert_eq!(has(target.object.metadata()), !losses.is_empty());
    target.object
}

/// The paths of the losses, sorted.
fn paths<T>(converted: &Converted<T>) -> Vec<String> {
    let mut paths: Vec<_> = converted
        .unrepresentable
        .iter()
        .map(|loss| loss.path.to_string())
        .collect();
    paths.sort_unstable();
    paths
}

fn old_driver(spec: CSIDriverSpec) -> OldDriver {
    OldDriver::new("csi.example.com", spec)
}

fn info(drivers: &[(&str, &str)], states: &[(&str, bool, &str)]) -> CSINodeInfo {
    let drivers = drivers
        .iter()
        .map(|(name, id)| CSIDriverInfoSpec::new(*name, *id, ["zone"]));
    let states = states
        .iter()
        .map(|(name, is, mechanism)| CSIDriverInfoStatus::new(*is, *name, *mechanism));
    CSINodeInfo::new("node-1")
        .with_spec(CSINodeInfoSpec::new(drivers))
        .with_status(CSINodeInfoStatus::new(states))
}

fn names(node: &Node) -> Vec<&str> {
    node.spec
        .drivers
        .iter()
        .map(|driver| driver.name.as_str())
        .collect()
}

#[test]
fn pod_info_on_mount_version_forth() {
    let version = "spec.podInfoOnMountVersion";
    let rows: [(Option<&str>, Option<bool>, &[&str]); 6] = [
        (Some("v1"), Some(true), &[]),
        (None, None, &[]),
        (Some("v2"), Some(false), &[version]),
        (Some("V1"), Some(false), &[version]),
        (Some("v1 "), Some(false), &[version]),
        (Some(""), Some(false), &[version]),
    ];
    for (old, new, losses) in rows {
        let mut driver = old_driver(CSIDriverSpec::new());
        driver.spec.pod_info_on_mount_version = old.map(str::to_owned);
        let target: NewDriver = trip(&driver, losses);
        assert_eq!(target.spec.pod_info_on_mount, new, "{old:?}");
    }
}

#[test]
fn pod_info_on_mount_back() {
    let rows: [(Option<bool>, Option<&str>, &[&str]); 3] = [
        (Some(true), Some("v1"), &[]),
        (None, None, &[]),
        (Some(false), None, &["spec.podInfoOnMount"]),
    ];
    for (new, old, losses) in rows {
        let mut driver = NewDriver::new("csi.example.com", storage_v1::CSIDriverSpec::new());
        driver.spec.pod_info_on_mount = new;
        let target: OldDriver = trip(&driver, losses);
        assert_eq!(
            target.spec.pod_info_on_mount_version.as_deref(),
            old,
            "{new:?}"
        );
    }
}

#[test]
fn attach_required() {
    for value in [None, Some(true), Some(false)] {
        let mut old = old_driver(CSIDriverSpec::new());
        old.spec.attach_required = value;
        let new: NewDriver = trip(&old, &[]);
        assert_eq!(new.spec.attach_required, value);
        let again: OldDriver = trip(&new, &[]);
        assert_eq!(again.spec.attach_required, value);
    }
}

/// Nothing is invented where the older version said nothing.
#[test]
fn other_driver_fields_forth() {
    let new: NewDriver = trip(&OldDriver::sample(), &[]);
    let expected = json!({"attachRequired": true, "podInfoOnMount": true});
    assert_eq!(serde_json::to_value(&new.spec).unwrap(), expected);
}

#[test]
fn other_driver_fields_back() {
    let losses = [
        "spec.fsGroupPolicy",
        "spec.nodeAllocatableUpdatePeriodSeconds",
        "spec.preventPodSchedulingIfMissing",
        "spec.requiresRepublish",
        "spec.seLinuxMount",
        "spec.serviceAccountTokenInSecrets",
        "spec.storageCapacity",
        "spec.tokenRequests",
        "spec.volumeLifecycleModes",
    ];
    let old: OldDriver = trip(&NewDriver::sample(), &losses);
    let expected = json!({"attachRequired": true, "podInfoOnMountVersion": "v1"});
    assert_eq!(serde_json::to_value(&old.spec).unwrap(), expected);
}

#[test]
fn drivers_forth() {
    let source = info(
        &[("a", "1"), ("b", "2")],
        &[("a", true, "in-tree"), ("b", true, "in-tree")],
    );
    let node: Node = trip(&source, &[]);
    let expected = json!({"drivers": [
        {"name": "a", "nodeID": "1", "topologyKeys": ["zone"]},
        {"name": "b", "nodeID": "2", "topologyKeys": ["zone"]},
    ]});
    assert_eq!(serde_json::to_value(&node.spec).unwrap(), expected);
    assert_eq!(node.status, None);
}

#[test]
fn drivers_back() {
    let drivers = [
        CSINodeDriver::new("a", "1").with_topology_keys(["zone"]),
        CSINodeDriver::new("b", "2"),
    ];
    let old: CSINodeInfo = trip(&Node::new("node-1", CSINodeSpec::new(drivers)), &[]);
    let expected = json!({
        "apiVersion": "csi.storage.k8s.io/v1alpha1",
        "kind": "CSINodeInfo",
        "metadata": {"name": "node-1"},
        "spec": {"drivers": [
            {"name": "a", "nodeID": "1", "topologyKeys": ["zone"]},
            {"name": "b", "nodeID": "2", "topologyKeys": []},
        ]},
        "status": {"drivers": [
            {"name": "a", "available": true, "volumePluginMechanism": "in-tree"},
            {"name": "b", "available": true, "volumePluginMechanism": "in-tree"},
        ]},
    });
    assert_eq!(serde_json::to_value(&old).unwrap(), expected);
}

/// A driver that isn't installed is not in a CSINode.
#[test]
fn unavailable_drivers_are_left_out() {
    let source = info(
        &[("a", "1"), ("b", "2")],
        &[("a", false, "csi"), ("b", true, "in-tree")],
    );
    let node: Node = trip(&source, &["spec.drivers[0]", "status.drivers[0]"]);
    assert_eq!(names(&node), ["b"]);
}

/// It comes back by itself: then what the newer version says of it counts.
#[test]
fn unavailable_driver_registers_again() {
    let source = info(
        &[("a", "1"), ("b", "2")],
        &[("a", false, "csi"), ("b", true, "csi")],
    );
    let mut node: Node = source.convert_preserving().unwrap().object;
    node.spec.drivers.push(CSINodeDriver::new("a", "9"));
    let back: CSINodeInfo = node.convert_preserving().unwrap().object;
    let states = back.status.unwrap().drivers;
    assert!(states.iter().all(|state| state.available), "{states:?}");
    let other = states.iter().find(|state| state.name == "b").unwrap();
    assert_eq!(other.volume_plugin_mechanism, VolumePluginMechanism::Csi);
    let ids: Vec<_> = back
        .spec
        .unwrap()
        .drivers
        .into_iter()
        .map(|d| (d.name, d.node_id))
        .collect();
    assert!(ids.contains(&("a".into(), "9".into())), "{ids:?}");
}

#[test]
fn volume_plugin_mechanism() {
    let field = "status.drivers[0].volumePluginMechanism";
    let rows: [(&str, &[&str]); 5] = [
        ("in-tree", &[]),
        ("csi", &[field]),
        ("csi-plugin", &[field]),
        ("fromTheFuture", &[field]),
        ("", &[field]),
    ];
    for (mechanism, losses) in rows {
        let source = info(&[("a", "1")], &[("a", true, mechanism)]);
        assert_eq!(names(&trip::<_, Node>(&source, losses)), ["a"]);
    }
}

/// A driver without a state counts as installed, and the missing state stays missing.
#[test]
fn states_missing() {
    let source = info(&[("a", "1"), ("b", "2")], &[("a", true, "in-tree")]);
    let node: Node = trip(&source, &[r#"status.drivers[name="b"]"#]);
    assert_eq!(names(&node), ["a", "b"]);

    let mut source = info(&[("a", "1")], &[]);
    source.status = None;
    assert_eq!(names(&trip::<_, Node>(&source, &["status"])), ["a"]);
    source.spec = None;
    assert_eq!(
        names(&trip::<_, Node>(&source, &["spec", "status"])),
        [""; 0]
    );
}

#[test]
fn states_in_another_order() {
    let source = info(
        &[("a", "1"), ("b", "2")],
        &[("b", true, "in-tree"), ("a", true, "in-tree")],
    );
    let node: Node = trip(&source, &["status.drivers"]);
    assert_eq!(names(&node), ["a", "b"]);
}

/// Kubelets kept the names of both lists equal, but nothing made sure: the state is reported
/// and kept.
#[test]
fn state_of_a_driver_that_spec_lacks() {
    let source = info(
        &[("a", "1")],
        &[("a", true, "in-tree"), ("x", true, "in-tree")],
    );
    let node: Node = trip(&source, &["status.drivers[1]"]);
    assert_eq!(names(&node), ["a"]);
}

/// The API server would refuse the whole CSINode for one empty ID.
#[test]
fn empty_node_id() {
    let source = info(
        &[("a", ""), ("b", "2")],
        &[("a", true, "in-tree"), ("b", true, "in-tree")],
    );
    let node: Node = trip(&source, &["spec.drivers[0]", "status.drivers[0]"]);
    assert_eq!(names(&node), ["b"]);

    let source = csi_node_info_1_12();
    let mut drivers = source.csi_drivers.clone().unwrap();
    drivers[0].node_id.clear();
    let node: Node = trip(
        &source.with_csi_drivers(drivers),
        &["csiDrivers", "spec", "status"],
    );
    assert_eq!(names(&node), ["b.example.com"]);
}

#[test]
fn allocatable_and_status_back() {
    let losses = ["spec.drivers[0].allocatable", "status"];
    let old: CSINodeInfo = trip(&Node::sample(), &losses);
    let states = old.status.unwrap().drivers;
    let expected = CSIDriverInfoStatus::new(true, "csi.example.com", VolumePluginMechanism::InTree);
    assert_eq!(states, [expected]);
}

/// An empty status is not an absent one.
#[test]
fn empty_status_back() {
    let node = Node::default().with_status(storage_v1::CSINodeStatus::new());
    let _: CSINodeInfo = trip(&node, &["status"]);
}

#[test]
fn topology_keys() {
    for keys in [json!(null), json!([])] {
        let text = json!({"spec": {"drivers": [{"name": "a", "nodeID": "1", "topologyKeys": keys}]},
            "status": {"drivers": [
                {"name": "a", "available": true, "volumePluginMechanism": "in-tree"}]}});
        let source: CSINodeInfo = serde_json::from_value(text).unwrap();
        let node: Node = trip(&source, &[]);
        assert_eq!(node.spec.drivers[0].topology_keys, None);
    }
    let driver = CSINodeDriver::new("a", "1").with_topology_keys([""; 0]);
    let node = Node::new("n", CSINodeSpec::new([driver]));
    let old: CSINodeInfo = trip(&node, &["spec.drivers[0].topologyKeys"]);
    assert_eq!(old.spec.unwrap().drivers[0].topology_keys, [""; 0]);
}

/// The form of 1.12 is recognised by its list, which says itself which drivers are installed.
#[test]
fn form_of_1_12() {
    let source = csi_node_info_1_12();
    let losses = ["csiDrivers", "spec", "status"];
    let node: Node = trip(&source, &losses);
    assert_eq!(names(&node), ["a.example.com", "b.example.com"]);
    assert_eq!(node.spec.drivers[1].topology_keys, None);

    // Without the annotation it goes back in the newer form.
    let plain: Converted<Node> = source.convert().unwrap();
    let back: Converted<CSINodeInfo> = plain.object.convert().unwrap();
    assert_eq!(back.object.csi_drivers, None);
    assert_eq!(back.object.spec.unwrap().drivers.len(), 2);

    let none = CSINodeInfo::new("n").with_csi_drivers(Vec::<CSIDriverInfo>::new());
    assert_eq!(names(&trip::<_, Node>(&none, &losses)), [""; 0]);
}

/// An object that came in the older form goes back in it, with what has changed since.
#[test]
fn form_of_1_12_with_changes() {
    let source = csi_node_info_1_12();
    let node: Node = source.clone().convert_preserving().unwrap().object;

    let mut gained = node.clone();
    gained
        .spec
        .drivers
        .push(CSINodeDriver::new("c.example.com", "id-c"));
    let mut lost = node.clone();
    lost.spec.drivers.remove(0);
    let mut changed = node;
    changed.spec.drivers[1].node_id = "new".to_owned();

    let drivers = source.csi_drivers.unwrap();
    let new = CSIDriverInfo::new("c.example.com", "id-c", [""; 0]);
    let other = CSIDriverInfo::new("b.example.com", "new", [""; 0]);
    for (node, expected) in [
        (gained, vec![drivers[0].clone(), drivers[1].clone(), new]),
        (lost, vec![drivers[1].clone()]),
        (changed, vec![drivers[0].clone(), other]),
    ] {
        let back: CSINodeInfo = node.convert_preserving().unwrap().object;
        assert_eq!(back.csi_drivers, Some(expected));
        assert_eq!((back.spec, back.status), (None, None));
    }
}

#[test]
fn other_annotations_are_untouched() {
    let mut source = csi_node_info_1_13();
    let others = [
        ("a".to_owned(), "b".to_owned()),
        (String::new(), String::new()),
    ];
    source.metadata.annotations = Some(others.clone().into());
    let node: Node = source.clone().convert_preserving().unwrap().object;
    let mut annotations = node.metadata.annotations.clone().unwrap();
    assert_eq!(annotations.len(), 3);
    annotations.remove(CONVERSION_DATA_ANNOTATION).unwrap();
    assert_eq!(annotations, others.into());

    let plain: Converted<Node> = source.clone().convert().unwrap();
    assert_eq!(plain.object.metadata, source.metadata);
}
