//! Builders for metadata, parts of k8s-openapi, and enumerations as texts.

use k8s_openapi::Metadata;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use kubernetes_kinds::{conditions, selectors};
use serde_json::json;
use storage_v1::prelude::*;
use storage_v1::{
    LabelSelector, ObjectMeta, PersistentVolumeReclaimPolicy, StorageHealthCondition, Time,
    TopologySelectorTerm, VolumeBindingMode, apply,
};

#[test]
fn metadata_keeps_the_name_of_the_object() {
    let labels = |name: Option<&str>| ObjectMeta {
        name: name.map(str::to_owned),
        labels: Some([("a".to_owned(), "b".to_owned())].into()),
        ..ObjectMeta::default()
    };
    let class = StorageClass::new("fast", "csi.example.com").with_metadata(labels(None));
    assert_eq!(class.name_any(), "fast");
    assert_eq!(class.labels()["a"], "b");
    let class = class.with_metadata(labels(Some("slow")));
    assert_eq!(class.name_any(), "slow");
    let generated = ObjectMeta {
        generate_name: Some("fast-".to_owned()),
        ..ObjectMeta::default()
    };
    let class = class.with_metadata(generated);
    assert_eq!((class.metadata.name, class.metadata.labels), (None, None));

    let capacity = apply::CSIStorageCapacity::new("one", "storage");
    let capacity = capacity.with_metadata(labels(None));
    assert_eq!(capacity.metadata.name.as_deref(), Some("one"));
    assert_eq!(capacity.metadata.namespace.as_deref(), Some("storage"));
}

#[test]
fn finalizers_and_owners_are_added_once() {
    let mut owner = ConfigMap::default().with_name("owner");
    assert_eq!(owner_reference(&owner), None, "no server has created it");
    owner.metadata.uid = Some("uid-1".to_owned());
    let reference = owner_reference(&owner).unwrap();
    let kube_owner = kube::Resource::owner_ref(&owner, &()).unwrap();
    assert_eq!(reference, kube_owner);
    let controller = controller_reference(&owner).unwrap();
    let kube_owner = kube::Resource::controller_owner_ref(&owner, &()).unwrap();
    assert_eq!(controller.controller, kube_owner.controller);
    assert_eq!(controller.block_owner_deletion, Some(true));

    let class = StorageClass::new("fast", "csi.example.com")
        .with_finalizer("example.com/guard")
        .with_finalizer("example.com/other")
        .with_finalizer("example.com/guard")
        .with_owner_reference(reference)
        .with_owner_reference(controller.clone());
    assert_eq!(
        class.finalizers(),
        ["example.com/guard", "example.com/other"]
    );
    assert_eq!(class.owner_references(), [controller]);
}

#[test]
fn parts_of_other_groups_are_what_a_server_reads() {
    let term: TopologySelectorTerm = topology_term([("topology.kubernetes.io/zone", ["a", "b"])]);
    let class = StorageClass::new("fast", "csi.example.com").with_allowed_topologies([term]);
    let expected = json!([{"matchLabelExpressions": [
        {"key": "topology.kubernetes.io/zone", "values": ["a", "b"]},
    ]}]);
    assert_eq!(
        serde_json::to_value(&class).unwrap()["allowedTopologies"],
        expected
    );
    assert!(class.allows_node(&[("topology.kubernetes.io/zone", "b")]));

    let selector: LabelSelector = label_selector([("app", "storage")])
        .with_in("tier", ["gold", "silver"])
        .with_not_in("region", ["moon"])
        .with_exists("disk")
        .with_does_not_exist("draining");
    let expected = json!({
        "matchLabels": {"app": "storage"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["gold", "silver"]},
            {"key": "region", "operator": "NotIn", "values": ["moon"]},
            {"key": "disk", "operator": "Exists"},
            {"key": "draining", "operator": "DoesNotExist"},
        ],
    });
    assert_eq!(serde_json::to_value(&selector).unwrap(), expected);
    let node = [("app", "storage"), ("tier", "gold"), ("disk", "")];
    assert_eq!(selectors::matches(&selector, &node), Ok(true));
    assert_eq!(selectors::check(&selector), []);
    // kube's own builder makes the same.
    let kube: LabelSelector = kube::core::Selector::from_iter([
        kube::core::Expression::Equal("app".into(), "storage".into()),
        kube::core::Expression::Exists("disk".into()),
    ])
    .into();
    let ours = label_selector([("app", "storage")]).with_exists("disk");
    assert_eq!(ours, kube);
    let all = label_selector([("", ""); 0]);
    assert_eq!(selectors::matches(&all, &node), Ok(true));
}

#[test]
fn enumerations_are_parsed_openly_or_not() {
    let policy = PersistentVolumeReclaimPolicy::parse_known("Retain");
    assert_eq!(policy, Ok(PersistentVolumeReclaimPolicy::Retain));
    let error = PersistentVolumeReclaimPolicy::parse_known("retain\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"retain\\n\" is not a known PersistentVolumeReclaimPolicy, expected one of: Delete, \
         Recycle, Retain"
    );
    assert_eq!(error.known, PersistentVolumeReclaimPolicy::known_values());
    let open: VolumeBindingMode = "Later".parse().unwrap();
    assert!(matches!(open, VolumeBindingMode::Unknown(_)));

    // A struct that requires one is read as Go reads it, whose zero value is the empty text.
    let condition: StorageHealthCondition = serde_json::from_str("{}").unwrap();
    assert_eq!(condition, StorageHealthCondition::default());
    assert_eq!(condition.status.as_str(), "");
    let driver: CSIDriver =
        serde_json::from_value(json!({"spec": {"volumeLifecycleModes": [null]}})).unwrap();
    assert_eq!(driver.spec.volume_lifecycle_modes.unwrap()[0].as_str(), "");
}

#[test]
fn conditions_change_as_in_kubernetes() {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    let condition = |type_: &str, status: &str, reason: &str, seconds| Condition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: String::new(),
        last_transition_time: Time(Timestamp::from_second(seconds).unwrap()),
        observed_generation: None,
    };
    let mut list = vec![condition("Ready", "False", "Starting", 1)];
    assert!(conditions::set(
        &mut list,
        condition("Idle", "True", "Nothing", 2)
    ));
    // Another reason is a change, but no transition.
    assert!(conditions::set(
        &mut list,
        condition("Ready", "False", "Waiting", 3)
    ));
    assert_eq!(list[0], condition("Ready", "False", "Waiting", 1));
    assert!(!conditions::set(
        &mut list,
        condition("Ready", "False", "Waiting", 4)
    ));
    assert!(conditions::set(
        &mut list,
        condition("Ready", "True", "Done", 5)
    ));
    assert_eq!(list[0], condition("Ready", "True", "Done", 5));
    assert!(conditions::is_true(&list, "Ready") && !conditions::is_true(&list, "Other"));
    assert!(conditions::remove(&mut list, "Ready"));
    assert!(!conditions::remove(&mut list, "Ready"));
    assert_eq!(conditions::find(&list, "Idle").unwrap().reason, "Nothing");
    assert_eq!(list.len(), 1);
}

/// The prelude has the traits by name and the kinds.
#[test]
fn the_prelude_is_enough() {
    fn named<K: Kind + Metadata<Ty = ObjectMeta>>(object: &K) -> Option<&str> {
        object.metadata().name.as_deref()
    }
    let mut driver = CSIDriver::new("csi.example.com", storage_v1::CSIDriverSpec::new());
    assert_eq!(named(&driver), Some("csi.example.com"));
    let target = Target::new(storage_v1::KUBERNETES);
    assert!(driver.default_and_validate(&target).into_result().is_ok());
    let node = storage_v1alpha1::csi::CSINodeInfo::default();
    assert_eq!(Lean::from(node).metadata().name, None);
}
