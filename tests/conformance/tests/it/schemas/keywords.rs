//! Both sides of every limit that a schema has: the last value that is accepted and the first that
//! is refused, and where.

use conformance::rules::{domain, entries, text};
use k8s_openapi::schemars::JsonSchema;
use serde_json::{Value, json};

use super::{errors, validator};

/// A value for a place, as a JSON pointer, and the errors by the schema. `null` removes the
/// value.
type Row<'a> = (&'a str, Value, &'a [&'a str]);

fn check<K: JsonSchema>(good: &Value, rows: &[Row<'_>]) {
    let validator = validator::<K>();
    assert_eq!(errors(&validator, good), [""; 0]);
    for (place, value, expected) in rows {
        let mut object = good.clone();
        put(&mut object, place, value.clone());
        assert_eq!(errors(&validator, &object), *expected, "{place} {value}");
    }
}

fn put(object: &mut Value, place: &str, value: Value) {
    let (parent, last) = place.rsplit_once('/').unwrap();
    match object.pointer_mut(parent).unwrap() {
        Value::Object(members) if value.is_null() => {
            members.remove(last).unwrap();
        }
        Value::Object(members) => {
            members.insert(last.to_owned(), value);
        }
        Value::Array(list) => list[last.parse::<usize>().unwrap()] = value,
        other => panic!("{place} is in {other}"),
    }
}

/// Does the same as [`put`] on a copy, but the value is `null` itself.
fn null(object: &Value, place: &str) -> Value {
    let (parent, last) = place.rsplit_once('/').unwrap();
    let mut object = object.clone();
    object.pointer_mut(parent).unwrap()[last] = Value::Null;
    object
}

#[test]
fn csi_driver() {
    let good = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "d"},
        "spec": {"tokenRequests": [{"audience": "a", "expirationSeconds": 600}]},
    });
    let seconds = "/spec/tokenRequests/0/expirationSeconds";
    let period = "/spec/nodeAllocatableUpdatePeriodSeconds";
    check::<storage_v1::CSIDriver>(
        &good,
        &[
            ("/apiVersion", Value::Null, &[]),
            (
                "/apiVersion",
                json!("storage.k8s.io/v2"),
                &["/apiVersion enum"],
            ),
            ("/kind", json!("CSINode"), &["/kind enum"]),
            ("/kind", json!(7), &["/kind enum", "/kind type"]),
            ("/metadata", Value::Null, &[]),
            ("/metadata", json!([]), &["/metadata type"]),
            ("/metadata/name", json!(7), &["/metadata/name type"]),
            ("/spec", Value::Null, &[" required spec"]),
            ("/spec", json!(true), &["/spec type"]),
            (
                "/spec/attachRequired",
                json!("true"),
                &["/spec/attachRequired type"],
            ),
            ("/spec/fsGroupPolicy", json!("None"), &[]),
            (
                "/spec/fsGroupPolicy",
                json!("none"),
                &["/spec/fsGroupPolicy enum"],
            ),
            (
                "/spec/volumeLifecycleModes",
                json!(["Ephemeral", "Persistent"]),
                &[],
            ),
            (
                "/spec/volumeLifecycleModes",
                json!(["Persistent", "Other"]),
                &["/spec/volumeLifecycleModes/1 enum"],
            ),
            (
                "/spec/volumeLifecycleModes",
                json!({}),
                &["/spec/volumeLifecycleModes type"],
            ),
            (
                "/spec/tokenRequests/0",
                json!({}),
                &["/spec/tokenRequests/0 required audience"],
            ),
            (
                seconds,
                json!(599),
                &["/spec/tokenRequests/0/expirationSeconds minimum"],
            ),
            (seconds, json!(1_u64 << 32), &[]),
            (
                seconds,
                json!((1_u64 << 32) + 1),
                &["/spec/tokenRequests/0/expirationSeconds maximum"],
            ),
            (
                seconds,
                json!(600.5),
                &["/spec/tokenRequests/0/expirationSeconds type"],
            ),
            (
                period,
                json!(9),
                &["/spec/nodeAllocatableUpdatePeriodSeconds minimum"],
            ),
            (period, json!(10), &[]),
        ],
    );
}

#[test]
fn csi_node() {
    let good = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
        "spec": {"drivers": [{
            "name": "d", "nodeID": "i", "topologyKeys": ["a/b"], "allocatable": {"count": 0},
        }]},
        "status": {"storageHealth": [{"name": "d", "healthConditions": [{
            "reason": "r", "status": "StorageUnavailable",
        }]}]},
    });
    let status = good
        .pointer("/status/storageHealth/0/healthConditions/0")
        .unwrap();
    let known = storage_v1::StorageHealthStatusType::known_values()[0];
    let mut good = good.clone();
    let mut condition = status.clone();
    condition["status"] = known.into();
    put(
        &mut good,
        "/status/storageHealth/0/healthConditions/0",
        condition.clone(),
    );
    let conditions = "/status/storageHealth/0/healthConditions";
    let times = |count: usize| Value::from(vec![condition.clone(); count]);
    check::<storage_v1::CSINode>(
        &good,
        &[
            ("/spec/drivers", Value::Null, &["/spec required drivers"]),
            (
                "/spec/drivers/0/name",
                Value::Null,
                &["/spec/drivers/0 required name"],
            ),
            (
                "/spec/drivers/0/name",
                json!(""),
                &[
                    "/spec/drivers/0/name minLength",
                    "/spec/drivers/0/name pattern",
                ],
            ),
            ("/spec/drivers/0/name", json!("D.e-F"), &[]),
            (
                "/spec/drivers/0/name",
                json!("d_e"),
                &["/spec/drivers/0/name pattern"],
            ),
            ("/spec/drivers/0/name", json!(text(63)), &[]),
            (
                "/spec/drivers/0/name",
                json!(text(64)),
                &["/spec/drivers/0/name maxLength"],
            ),
            (
                "/spec/drivers/0/nodeID",
                json!(""),
                &["/spec/drivers/0/nodeID minLength"],
            ),
            ("/spec/drivers/0/nodeID", json!(text(256)), &[]),
            (
                "/spec/drivers/0/nodeID",
                json!(text(257)),
                &["/spec/drivers/0/nodeID maxLength"],
            ),
            (
                "/spec/drivers/0/allocatable/count",
                json!(-1),
                &["/spec/drivers/0/allocatable/count minimum"],
            ),
            (
                "/spec/drivers/0/topologyKeys",
                json!(["a", "B/c"]),
                &["/spec/drivers/0/topologyKeys/1 pattern"],
            ),
            (
                "/spec/drivers/0/topologyKeys",
                json!([""]),
                &[
                    "/spec/drivers/0/topologyKeys/0 minLength",
                    "/spec/drivers/0/topologyKeys/0 pattern",
                ],
            ),
            (conditions, times(16), &[]),
            (
                conditions,
                times(17),
                &["/status/storageHealth/0/healthConditions maxItems"],
            ),
            (
                "/status/storageHealth/0/healthConditions/0/reason",
                json!(text(257)),
                &["/status/storageHealth/0/healthConditions/0/reason maxLength"],
            ),
            (
                "/status/storageHealth/0/healthConditions/0/message",
                json!(text(1024)),
                &[],
            ),
            (
                "/status/storageHealth/0/healthConditions/0/message",
                json!(text(1025)),
                &["/status/storageHealth/0/healthConditions/0/message maxLength"],
            ),
            (
                "/status/storageHealth/0/healthConditions/0/status",
                json!("Fine"),
                &["/status/storageHealth/0/healthConditions/0/status enum"],
            ),
            (
                "/status/storageHealth/0/healthConditions/0/lastTransitionTime",
                json!("yesterday"),
                &["/status/storageHealth/0/healthConditions/0/lastTransitionTime format"],
            ),
            (
                "/status/storageHealth/0/name",
                Value::Null,
                &["/status/storageHealth/0 required name"],
            ),
        ],
    );
    // Go writes this for a nil list.
    let null = null(&good, "/spec/drivers/0/topologyKeys");
    let errors = errors(&validator::<storage_v1::CSINode>(), &null);
    assert_eq!(errors, ["/spec/drivers/0/topologyKeys type"]);
}

#[test]
fn csi_storage_capacity() {
    let good = json!({"storageClassName": "fast", "capacity": "5Gi"});
    check::<storage_v1::CSIStorageCapacity>(
        &good,
        &[
            (
                "/storageClassName",
                Value::Null,
                &[" required storageClassName"],
            ),
            ("/storageClassName", json!(domain(253)), &[]),
            (
                "/storageClassName",
                json!(domain(254)),
                &["/storageClassName maxLength"],
            ),
            (
                "/storageClassName",
                json!("Fast"),
                &["/storageClassName pattern"],
            ),
            ("/capacity", json!(5), &[]),
            (
                "/nodeTopology",
                json!({"matchLabels": {"a": 1}}),
                &["/nodeTopology/matchLabels/a type"],
            ),
            ("/nodeTopology", json!("a"), &["/nodeTopology type"]),
        ],
    );
}

#[test]
fn storage_class() {
    let good = json!({"provisioner": "example.com/p"});
    check::<storage_v1::StorageClass>(
        &good,
        &[
            ("/provisioner", Value::Null, &[" required provisioner"]),
            (
                "/provisioner",
                json!(""),
                &["/provisioner minLength", "/provisioner pattern"],
            ),
            ("/provisioner", json!("a/b/c"), &["/provisioner pattern"]),
            (
                "/provisioner",
                json!(format!("{}/{}", domain(253), text(63))),
                &[],
            ),
            ("/provisioner", json!(text(64)), &["/provisioner pattern"]),
            (
                "/provisioner",
                json!(format!("{}/{}", domain(254), text(63))),
                &["/provisioner maxLength"],
            ),
            ("/parameters", entries(512), &[]),
            ("/parameters", entries(513), &["/parameters maxProperties"]),
            ("/parameters", json!({"a": 1}), &["/parameters/a type"]),
            ("/reclaimPolicy", json!("Retain"), &[]),
            ("/reclaimPolicy", json!("Recycle"), &["/reclaimPolicy enum"]),
            ("/volumeBindingMode", json!("Immediate"), &[]),
            (
                "/volumeBindingMode",
                json!("Never"),
                &["/volumeBindingMode enum"],
            ),
            ("/mountOptions", json!("ro"), &["/mountOptions type"]),
            ("/mountOptions", json!([7]), &["/mountOptions/0 type"]),
            (
                "/allowVolumeExpansion",
                json!(1),
                &["/allowVolumeExpansion type"],
            ),
            (
                "/allowedTopologies",
                json!([{"matchLabelExpressions": [{"key": "a"}]}]),
                &["/allowedTopologies/0/matchLabelExpressions/0 required values"],
            ),
        ],
    );
}

#[test]
fn volume_attachment() {
    let good = json!({
        "spec": {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "p"}},
        "status": {"attached": true, "attachError": {"message": "m"}},
    });
    let name = "/spec/source/persistentVolumeName";
    check::<storage_v1::VolumeAttachment>(
        &good,
        &[
            ("/spec/attacher", Value::Null, &["/spec required attacher"]),
            (
                "/spec/attacher",
                json!(text(64)),
                &["/spec/attacher maxLength"],
            ),
            ("/spec/attacher", json!("a b"), &["/spec/attacher pattern"]),
            ("/spec/nodeName", Value::Null, &["/spec required nodeName"]),
            ("/spec/nodeName", json!("N"), &["/spec/nodeName pattern"]),
            ("/spec/source", Value::Null, &["/spec required source"]),
            ("/spec/source", json!({}), &["/spec/source minProperties"]),
            (
                "/spec/source/inlineVolumeSpec",
                json!({}),
                &["/spec/source maxProperties"],
            ),
            (name, json!(domain(253)), &[]),
            (
                name,
                json!(domain(254)),
                &["/spec/source/persistentVolumeName maxLength"],
            ),
            (
                "/status/attached",
                Value::Null,
                &["/status required attached"],
            ),
            ("/status/attachError/message", json!(text(1024)), &[]),
            (
                "/status/attachError/message",
                json!(text(1025)),
                &["/status/attachError/message maxLength"],
            ),
            ("/status/attachError/errorCode", json!(0), &[]),
            (
                "/status/attachError/errorCode",
                json!(-1),
                &["/status/attachError/errorCode minimum"],
            ),
            (
                "/status/attachError/time",
                json!(0),
                &["/status/attachError/time type"],
            ),
            (
                "/status/attachmentMetadata",
                json!({"a": null}),
                &["/status/attachmentMetadata/a type"],
            ),
        ],
    );
}

#[test]
fn volume_attributes_class() {
    let good = json!({"driverName": "d", "parameters": {"iops": "1"}});
    check::<storage_v1::VolumeAttributesClass>(
        &good,
        &[
            ("/driverName", Value::Null, &[" required driverName"]),
            ("/driverName", json!("-"), &["/driverName pattern"]),
            ("/parameters", json!({}), &["/parameters minProperties"]),
            ("/parameters", entries(512), &[]),
            ("/parameters", entries(513), &["/parameters maxProperties"]),
        ],
    );
}

#[test]
fn csi_node_info() {
    let good = json!({"status": {"drivers": [{
        "name": "d", "available": true, "volumePluginMechanism": "csi-plugin",
    }]}});
    check::<storage_v1alpha1::csi::CSINodeInfo>(
        &good,
        &[
            (
                "/status/drivers/0/volumePluginMechanism",
                json!("none"),
                &["/status/drivers/0/volumePluginMechanism pattern"],
            ),
            (
                "/status/drivers/0/available",
                json!("yes"),
                &["/status/drivers/0/available type"],
            ),
            ("/spec", json!({}), &["/spec required drivers"]),
            (
                "/csiDrivers",
                json!([{}]),
                &[
                    "/csiDrivers/0 required driver",
                    "/csiDrivers/0 required nodeID",
                    "/csiDrivers/0 required topologyKeys",
                ],
            ),
        ],
    );
}
