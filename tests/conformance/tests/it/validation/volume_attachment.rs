//! The rules of VolumeAttachment; those of the volume in it are in `volume_sources`.

use conformance::rules::{Probe, Ruled, domain, entry_of, text};
use serde_json::{Value, json};

conformance::each_version! {
    [
        a_good_one,
        attacher,
        names_on_earlier_servers,
        node_name,
        source,
        persistent_volume_name,
        what_an_inline_volume_lacks,
        access_modes,
        csi_volume,
        fixed_spec,
        equal_specs,
    ]
    v1: storage_v1::VolumeAttachment;
    v1beta1: storage_v1beta1::VolumeAttachment;
    v1alpha1: storage_v1alpha1::VolumeAttachment;
}

fn probe<K: Ruled>() -> Probe<K> {
    let source = json!({"persistentVolumeName": "pv"});
    let spec = json!({"attacher": "csi.example.com", "nodeName": "n", "source": source});
    Probe::of(json!({"metadata": {"name": "a"}, "spec": spec}))
}

fn spec(field: &str, value: Value) -> Value {
    json!({"spec": {field: value}})
}

fn inline(patch: Value) -> Value {
    let csi = json!({"driver": "csi.example.com", "volumeHandle": "h"});
    let mut volume = json!({"accessModes": ["ReadWriteOnce"], "csi": csi});
    for (field, value) in patch.as_object().into_iter().flatten() {
        volume[field] = value.clone();
    }
    spec(
        "source",
        json!({"persistentVolumeName": null, "inlineVolumeSpec": volume}),
    )
}

const INLINE: &str = "spec.source.inlineVolumeSpec";

fn a_good_one<K: Ruled>() {
    probe::<K>().create(json!({})).ok();
    probe::<K>().create(inline(json!({}))).ok();
    probe::<K>().update(json!({}), json!({})).ok();
}

fn attacher<K: Ruled>() {
    let given = |name: &str| probe::<K>().create(spec("attacher", json!(name)));
    given("").refused(&["Required spec.attacher"]);
    given("CSI.Example.com").ok();
    for good in [62, 63] {
        given(&text(good)).ok();
    }
    given(&text(64)).refused(&["TooLong spec.attacher"]);
    for bad in ["a_b", "a/b", "-a", "a..b"] {
        given(bad).refused(&["Invalid spec.attacher"]);
    }
    // In lower case they are `i` and `k`; since 1.37 a server takes only one of them.
    let by = |minor: u16, name: &str| {
        let attacher = spec("attacher", json!(name));
        probe::<K>().in_1(minor).create(attacher)
    };
    by(36, "\u{130}").ok();
    by(37, "\u{130}").refused(&["Invalid spec.attacher"]);
    by(37, "\u{130}_").refused(&["Invalid spec.attacher"]);
    by(37, "\u{212a}").ok();
}

/// Until 1.35 an empty name isn't valid either, and an update doesn't check the form of names.
fn names_on_earlier_servers<K: Ruled>() {
    let source = |name: &str| spec("source", json!({"persistentVolumeName": name}));
    for (minor, is_earlier) in [(31, true), (35, true), (36, false)] {
        let with = |errors: &[&'static str], more: &[&'static str]| -> Vec<&'static str> {
            let more = if is_earlier { &[][..] } else { more };
            errors.iter().chain(more).copied().collect()
        };
        let empty = match is_earlier {
            true => vec!["Invalid spec.attacher", "Required spec.attacher"],
            false => vec!["Required spec.attacher"],
        };
        probe::<K>()
            .in_1(minor)
            .create(spec("attacher", json!("")))
            .refused(&empty);
        let update = |change| probe::<K>().in_1(minor).update(json!({}), change);
        let attacher = with(&["Invalid spec"], &["Invalid spec.attacher"]);
        update(spec("attacher", json!("a_b"))).refused(&attacher);
        let name = "Invalid spec.source.persistentVolumeName";
        update(source("A")).refused(&with(&["Invalid spec"], &[name]));
        probe::<K>()
            .in_1(minor)
            .create(source("A"))
            .refused(&[name]);
    }
}

fn node_name<K: Ruled>() {
    let given = |name: &str| probe::<K>().create(spec("nodeName", json!(name)));
    given(&domain(252)).ok();
    given(&domain(253)).ok();
    for bad in [&domain(254), "", "Node", "a_b"] {
        given(bad).refused(&["Invalid spec.nodeName"]);
    }
}

fn source<K: Ruled>() {
    let given = |source: Value| probe::<K>().create(spec("source", source));
    given(json!({"persistentVolumeName": null})).refused(&["Required spec.source"]);
    // Where there are two, the server looks into neither; but the name is checked anyway.
    given(json!({"inlineVolumeSpec": {}})).refused(&["Forbidden spec.source"]);
    let both = json!({"inlineVolumeSpec": {}, "persistentVolumeName": "A"});
    let errors = [
        "Forbidden spec.source",
        "Invalid spec.source.persistentVolumeName",
    ];
    given(both).refused(&errors);
}

fn persistent_volume_name<K: Ruled>() {
    let given =
        |name: &str| probe::<K>().create(spec("source", json!({"persistentVolumeName": name})));
    given(&domain(253)).ok();
    let place = "spec.source.persistentVolumeName";
    for bad in [&domain(254), "PV", "a_b"] {
        given(bad).refused(&[&format!("Invalid {place}")]);
    }
    given("").refused(&[&format!("Required {place}"), &format!("Invalid {place}")]);
}

fn what_an_inline_volume_lacks<K: Ruled>() {
    let given = |patch: Value| probe::<K>().create(inline(patch));
    let forbidden = [
        ("claimRef", json!({})),
        ("capacity", json!({"storage": "1Gi"})),
        ("nodeAffinity", json!({})),
        ("storageClassName", json!("fast")),
        ("persistentVolumeReclaimPolicy", json!("Delete")),
        ("volumeMode", json!("Block")),
        ("volumeMode", json!("")),
    ];
    for (field, value) in forbidden {
        given(json!({ field: value })).refused(&[&format!("Forbidden {INLINE}.{field}")]);
    }
    let harmless = [
        ("capacity", json!({})),
        ("storageClassName", json!("")),
        ("persistentVolumeReclaimPolicy", json!("Retain")),
        ("persistentVolumeReclaimPolicy", json!("")),
        ("volumeMode", json!("Filesystem")),
        ("mountOptions", json!(["", ""])),
        // Not looked at here.
        ("volumeAttributesClassName", json!("")),
    ];
    for (field, value) in harmless {
        given(json!({ field: value })).ok();
    }
}

fn access_modes<K: Ruled>() {
    let given = |modes: Value| probe::<K>().create(inline(json!({"accessModes": modes})));
    let place = format!("{INLINE}.accessModes");
    given(json!([])).refused(&[&format!("Required {place}")]);
    given(json!(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"])).ok();
    given(json!(["ReadWriteOncePod", "ReadWriteOncePod"])).ok();
    let other = format!("NotSupported {place} ({place}[1])");
    given(json!(["ReadWriteOncePod", "Other"])).refused(&[&other]);
    let alone = given(json!(["ReadWriteOnce", "ReadWriteOncePod"]));
    alone.refused(&[&format!("Forbidden {place}")]);
}

fn csi_volume<K: Ruled>() {
    let given = |member: &str, value: Value| {
        let mut csi = json!({"driver": "csi.example.com", "volumeHandle": "h"});
        csi[member] = value;
        probe::<K>().create(inline(json!({ "csi": csi })))
    };
    let place = format!("{INLINE}.csi");
    given("driver", json!("")).refused(&[&format!("Required {place}.driver")]);
    given("driver", json!(text(63))).ok();
    given("driver", json!(text(64))).refused(&[&format!("TooLong {place}.driver")]);
    given("driver", json!("a_b")).refused(&[&format!("Invalid {place}.driver")]);
    given("volumeHandle", json!("")).refused(&[&format!("Required {place}.volumeHandle")]);
    let secrets = [
        "controllerPublish",
        "controllerExpand",
        "nodePublish",
        "nodeExpand",
    ];
    for secret in secrets.map(|secret| format!("{secret}SecretRef")) {
        given(&secret, json!({"name": domain(253), "namespace": text(63)})).ok();
        given(&secret, json!({})).refused(&[
            &format!("Required {place}.{secret}.name"),
            &format!("Required {place}.{secret}.namespace"),
        ]);
        given(&secret, json!({"name": domain(254), "namespace": text(64)})).refused(&[
            &format!("Invalid {place}.{secret}.name"),
            &format!("Invalid {place}.{secret}.namespace"),
        ]);
    }
    // It stages, which the server doesn't check.
    given("nodeStageSecretRef", json!({})).ok();
}

fn fixed_spec<K: Ruled>() {
    let changes = [
        spec("attacher", json!("other.example.com")),
        spec("nodeName", json!("other")),
        spec("source", json!({"persistentVolumeName": "other"})),
        inline(json!({})),
    ];
    for change in changes {
        probe::<K>()
            .update(json!({}), change)
            .refused(&["Invalid spec"]);
    }
}

fn equal_specs<K: Ruled>() {
    let equal = |one: Value, other: Value| {
        probe::<K>()
            .update(inline(one.clone()), inline(other.clone()))
            .ok();
        probe::<K>().update(inline(other), inline(one)).ok();
    };
    equal(
        json!({}),
        json!({"mountOptions": [], "storageClassName": ""}),
    );
    equal(
        json!({}),
        json!({"persistentVolumeReclaimPolicy": "", "capacity": {}}),
    );
    let mode = inline(json!({"volumeMode": "Filesystem"}));
    probe::<K>()
        .update(inline(json!({})), mode)
        .refused(&["Invalid spec"]);
}

fn status(field: &str, value: Value) -> Value {
    json!({"status": {"attached": false, field: value}})
}

/// Checks the status, which is written by itself in v1, and with the rest in older versions.
fn status_of(write: impl Fn(Value) -> conformance::rules::Answer) {
    let given = |field: &str, value: Value| write(status(field, value));
    given("attachmentMetadata", entry_of(256 << 10)).ok();
    let metadata = given("attachmentMetadata", entry_of((256 << 10) + 1));
    metadata.refused(&["TooLong status.attachmentMetadata"]);
    given("attachmentMetadata", json!({"": ""})).ok();
    for error in ["attachError", "detachError"] {
        given(error, json!({"message": text(1024)})).ok();
        let long = given(error, json!({"message": text(1025)}));
        long.refused(&[&format!("TooLong status.{error}.message")]);
        given(error, json!({"errorCode": 0})).ok();
        let code = given(error, json!({"errorCode": -1}));
        code.refused(&[&format!("Invalid status.{error}.errorCode")]);
    }
}

#[test]
fn v1_status() {
    let probe = probe::<storage_v1::VolumeAttachment>();
    status_of(|patch| probe.status(patch));
    let bad = status("attachmentMetadata", entry_of(1 << 20));
    probe.create(bad.clone()).ok();
    probe.update(json!({}), bad).ok();
}

#[test]
fn status_of_older_versions() {
    let probe_beta = probe::<storage_v1beta1::VolumeAttachment>();
    status_of(|patch| probe_beta.create(patch));
    let probe_alpha = probe::<storage_v1alpha1::VolumeAttachment>();
    status_of(|patch| probe_alpha.update(json!({}), patch));
}
