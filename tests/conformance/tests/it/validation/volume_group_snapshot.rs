//! The kinds of groupsnapshot.storage.k8s.io, custom resources with rules in CEL.

use conformance::arbitrary::{check_all, label_selector};
use conformance::rules::Probe;
use groupsnapshot_v1::{
    VolumeGroupSnapshot, VolumeGroupSnapshotClass, VolumeGroupSnapshotContent,
    VolumeGroupSnapshotSelector,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::StatusSubresource as _;
use kubernetes_validation::{Target, Validate as _};
use proptest::prelude::*;
use serde_json::{Value, json};

fn snapshot() -> Probe<VolumeGroupSnapshot> {
    Probe::of(json!({
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {"source": {"selector": {"matchLabels": {"app": "database"}}}},
    }))
}

fn class() -> Probe<VolumeGroupSnapshotClass> {
    let metadata = json!({"name": "a"});
    Probe::of(json!({
        "metadata": metadata, "driver": "csi.example.com", "deletionPolicy": "Delete",
        "parameters": {"tier": "fast"},
    }))
}

fn content() -> Probe<VolumeGroupSnapshotContent> {
    Probe::of(json!({
        "metadata": {"name": "a"},
        "spec": {
            "driver": "csi.example.com", "deletionPolicy": "Delete",
            "source": {"volumeHandles": ["one", "two"]},
            "volumeGroupSnapshotRef": {"name": "a", "namespace": "b"},
            "volumeGroupSnapshotClassName": "fast",
        },
    }))
}

#[test]
fn one_source() {
    let source = |source: Value| json!({"spec": {"source": source}});
    let name = "volumeGroupSnapshotContentName";
    snapshot().create(json!({})).ok();
    snapshot()
        .create(source(json!({"selector": null, name: ""})))
        .ok();
    for bad in [json!({name: "c"}), json!({"selector": null})] {
        snapshot()
            .create(source(bad))
            .refused(&["Invalid spec.source"]);
    }
    let handles = json!({"volumeGroupSnapshotHandle": "g", "volumeSnapshotHandles": []});
    content()
        .create(source(
            json!({"volumeHandles": null, "groupSnapshotHandles": handles}),
        ))
        .ok();
    for bad in [
        json!({"groupSnapshotHandles": handles}),
        json!({"volumeHandles": null}),
    ] {
        content()
            .create(source(bad))
            .refused(&["Invalid spec.source"]);
    }
}

#[test]
fn names_and_references() {
    let named = |name: &str| json!({"spec": {"volumeGroupSnapshotClassName": name}});
    snapshot().create(named("a")).ok();
    snapshot()
        .create(named(""))
        .refused(&["Invalid spec.volumeGroupSnapshotClassName"]);
    content().create(named("")).ok();
    let refers = |to: Value| json!({"spec": {"volumeGroupSnapshotRef": to}});
    for bad in [json!({"name": null}), json!({"namespace": null})] {
        content()
            .create(refers(bad))
            .refused(&["Invalid spec.volumeGroupSnapshotRef"]);
    }
    content()
        .create(json!({"spec": {"deletionPolicy": "Keep"}}))
        // Rules in CEL are not evaluated then.
        .refused(&["Invalid <nil> ()", "NotSupported spec.deletionPolicy"]);
}

#[test]
fn a_class_never_changes() {
    class().update(json!({}), json!({})).ok();
    for (field, value) in [
        ("driver", json!("other.example.com")),
        ("deletionPolicy", json!("Retain")),
        ("parameters", json!({"tier": "slow"})),
        ("parameters", json!({"size": ""})),
    ] {
        class()
            .update(json!({}), json!({field: value}))
            .refused(&[&format!("Invalid {field}")]);
    }
    // A rule of a field isn't asked where the field comes or goes.
    class().update(json!({}), json!({"parameters": null})).ok();
}

#[test]
fn what_an_update_must_not_change() {
    let spec = |spec: Value| json!({"spec": spec});
    let selectors = [
        json!({"matchLabels": {"app": "web"}}),
        json!({"matchExpressions": []}),
        json!({"matchLabels": null}),
    ];
    for selector in selectors {
        snapshot()
            .update(json!({}), spec(json!({"source": {"selector": selector}})))
            .refused(&["Invalid spec.source.selector"]);
    }
    let other = json!({"selector": null, "volumeGroupSnapshotContentName": "c"});
    snapshot()
        .update(json!({}), spec(json!({"source": other})))
        .refused(&["Invalid spec.source"]);
    snapshot()
        .update(
            json!({}),
            spec(json!({"volumeGroupSnapshotClassName": "a"})),
        )
        .ok();
    for (patch, error) in [
        (json!({"driver": "other"}), "driver"),
        (
            json!({"source": {"volumeHandles": ["two", "one"]}}),
            "source.volumeHandles",
        ),
        (
            json!({"volumeGroupSnapshotRef": {"name": "z"}}),
            "volumeGroupSnapshotRef",
        ),
        (
            json!({"volumeGroupSnapshotRef": {"namespace": "z"}}),
            "volumeGroupSnapshotRef",
        ),
        (
            json!({"volumeGroupSnapshotClassName": "z"}),
            "volumeGroupSnapshotClassName",
        ),
    ] {
        content()
            .update(json!({}), spec(patch))
            .refused(&[&format!("Invalid spec.{error}")]);
    }
    // A uid may come, and then stays.
    let uid = |uid: Value| spec(json!({"volumeGroupSnapshotRef": {"uid": uid}}));
    content().update(json!({}), uid(json!("u"))).ok();
    for other in [json!("v"), Value::Null] {
        content()
            .update(uid(json!("u")), uid(other))
            .refused(&["Invalid spec.volumeGroupSnapshotRef"]);
    }
    content()
        .update(json!({}), spec(json!({"deletionPolicy": "Retain"})))
        .ok();
}

#[test]
fn what_a_status_must_not_change() {
    let errors = |stored: &VolumeGroupSnapshot, name: Option<&str>| {
        let mut object = stored.clone();
        let status = object.status_mut().get_or_insert_default();
        status.bound_volume_group_snapshot_content_name = name.map(str::to_owned);
        let target = Target::new(groupsnapshot_v1::KUBERNETES);
        let report = object.default_and_validate_status(stored, &target);
        let errors = report.errors.iter();
        errors
            .map(|error| error.path.to_string())
            .collect::<Vec<_>>()
    };
    let bound = snapshot().object(json!({
        "metadata": {"resourceVersion": "1", "uid": "u"},
        "status": {"boundVolumeGroupSnapshotContentName": "c"},
    }));
    assert_eq!(errors(&bound, Some("c")), [""; 0]);
    assert_eq!(errors(&bound, None), [""; 0]);
    let changed = errors(&bound, Some("d"));
    assert_eq!(changed, ["status.boundVolumeGroupSnapshotContentName"]);
}

/// A selector is the `LabelSelector` of k8s-openapi with the same JSON.
#[test]
fn selectors_are_label_selectors() {
    check_all(&label_selector(), |selector| {
        let own = VolumeGroupSnapshotSelector::from(selector.clone());
        let json = serde_json::to_value(&own).unwrap();
        prop_assert_eq!(&json, &serde_json::to_value(&selector).unwrap());
        prop_assert_eq!(LabelSelector::from(own), selector);
        Ok(())
    });
}
