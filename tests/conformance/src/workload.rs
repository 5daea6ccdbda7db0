//! Long lists like those of a busy cluster, for benchmarks.
//!
//! The metadata of real objects is larger than the rest of them, chiefly because of
//! `managedFields`, so objects without it would flatter every reader. The fields are in
//! the order in which Kubernetes writes them: the order decides what lies next to what in
//! memory, and a list whose memory is walked out of order is written 10 % slower.

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use groupsnapshot_v1::{VolumeGroupSnapshot, VolumeGroupSnapshotClass, VolumeGroupSnapshotContent};
use kubernetes_kinds::{Kind, ListMapKeys};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use snapshot_v1::{VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
};

/// A kind of which long lists can be made.
pub trait Workload: Kind {
    /// The fields of an object besides its metadata, with the placeholders `$NUMBER`,
    /// `$ID` and `$NODE`.
    const FIELDS: &'static str;

    /// The same for one object in twenty.
    const RARE_FIELDS: &'static str = Self::FIELDS;
}

const METADATA: &str = r#"
    "name": "object-$NUMBER-0a1b2c3d4e5f",
    "uid": "7b1d3c5e-0000-4000-8000-$ID",
    "resourceVersion": "1$NUMBER",
    "generation": 1,
    "creationTimestamp": "2024-05-17T09:21:43Z",
    "labels": {"app.kubernetes.io/name": "example-csi", "app.kubernetes.io/part-of": "storage"},
    "annotations": {"csi.example.com/revision": "$NUMBER"},
    "ownerReferences": [{
        "apiVersion": "v1", "kind": "Node", "name": "$NODE",
        "uid": "5f0a7c0e-0000-4000-8000-000000000000"
    }],
    "finalizers": ["external-attacher/csi-example-com"]
"#;

const MANAGED_METADATA: &str = r#"{
    "f:annotations": {".": {}, "f:csi.example.com/revision": {}},
    "f:finalizers": {".": {}, "v:\"external-attacher/csi-example-com\"": {}},
    "f:labels": {".": {}, "f:app.kubernetes.io/name": {}, "f:app.kubernetes.io/part-of": {}},
    "f:ownerReferences": {".": {}, "k:{\"uid\":\"5f0a7c0e-0000-4000-8000-000000000000\"}": {}}
}"#;

/// A list of `length` objects, in the JSON that a server sends.
///
/// # Errors
///
/// When the fields of the kind are not JSON.
pub fn list<K: Workload>(length: usize) -> serde_json::Result<String> {
    let items: Vec<String> = (0..length)
        .map(item::<K>)
        .collect::<serde_json::Result<_>>()?;
    let list = format!(
        r#"{{"kind":"{}List","apiVersion":"{}","metadata":{{"resourceVersion":"184467"}},"items":[{}]}}"#,
        K::KIND,
        K::API_VERSION,
        items.join(",")
    );
    Ok(list)
}

/// The same objects as a client sends them, without what only a server sets.
///
/// # Errors
///
/// When the fields of the kind are not JSON, or not those of the kind.
pub fn objects<K: Workload + DeserializeOwned>(length: usize) -> serde_json::Result<Vec<K>> {
    let object = |number| {
        let mut object: K = serde_json::from_str(&item::<K>(number)?)?;
        let metadata = object.metadata_mut();
        metadata.managed_fields = None;
        metadata.resource_version = None;
        metadata.uid = None;
        Ok(object)
    };
    (0..length).map(object).collect()
}

fn item<K: Workload>(number: usize) -> serde_json::Result<String> {
    let fields = if number.is_multiple_of(20) {
        K::RARE_FIELDS
    } else {
        K::FIELDS
    };
    let managed = managed_fields::<K>(&serde_json::from_str(&format!("{{{fields}}}"))?)?;
    let item = format!(r#"{{"metadata": {{{METADATA}, "managedFields": {managed}}}, {fields}}}"#);
    let node = format!(
        "ip-10-0-{}-{}.eu-west-1.compute.internal",
        number / 256,
        number % 256
    );
    let item = item
        .replace("$NUMBER", &format!("{number:06}"))
        .replace("$ID", &format!("{number:012}"))
        .replace("$NODE", &node);
    Ok(without_spaces(&item))
}

/// Servers don't indent. Only whitespace outside of strings goes.
fn without_spaces(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keep = |c: &char| {
        let quote = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        in_string ^= quote;
        in_string || !c.is_whitespace()
    };
    json.chars().filter(keep).collect()
}

/// Returns what the server notes of who wrote which field besides the metadata of these objects:
/// one entry for the object, and one for its status.
///
/// # Errors
///
/// Never: the metadata here is JSON.
pub fn managed_fields<K: Workload>(object: &Value) -> serde_json::Result<Value> {
    let mut fields = object.as_object().cloned().unwrap_or_default();
    fields.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    let status = fields.remove("status");
    // Nobody has written an empty one.
    let status = status.filter(|status| *status != json!({}));
    let status =
        status.map(|status| json!({"f:status": owned("status", &status, K::LIST_MAP_KEYS)}));
    let mut object = owned("", &Value::Object(fields), K::LIST_MAP_KEYS);
    object["f:metadata"] = serde_json::from_str(MANAGED_METADATA)?;
    let entry = |manager: &str, fields: Value| {
        json!({
            "manager": manager,
            "operation": "Update",
            "apiVersion": K::API_VERSION,
            "time": "2024-05-17T09:21:44Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        })
    };
    let mut entries = vec![entry("kube-controller-manager", object)];
    if let Some(status) = status {
        let mut entry = entry("csi-attacher", status);
        entry["subresource"] = "status".into();
        entries.push(entry);
    }
    Ok(Value::Array(entries))
}

/// Fields that are there even if nothing is set in them, so that nobody owns the fields themselves.
const PRESENT: &[&str] = &["", "spec", "spec.drivers", "spec.source", "status"];

/// The objects that have one owner.
const ATOMIC: &[&str] = &["nodeTopology"];

/// The lists whose elements are identified by their values.
const SETS: &[&str] = &["spec.volumeLifecycleModes"];

/// Returns what `fieldsV1` says of a value: the tree of its fields, and of its elements if they are
/// identified by keys or values. `tests/e2e/tests/it/cluster/server/kinds.rs` compares it with a
/// server.
fn owned(path: &str, value: &Value, lists: ListMapKeys) -> Value {
    let keys = lists
        .iter()
        .find(|(list, _)| *list == path)
        .map(|(_, keys)| *keys);
    let mut fields: Map<_, _> = match (value, keys) {
        (Value::Object(fields), _) if !ATOMIC.contains(&path) => {
            let field = |(name, value): (&String, &Value)| {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                (format!("f:{name}"), owned(&path, value, lists))
            };
            fields.iter().map(field).collect()
        }
        (Value::Array(elements), Some(keys)) => {
            let element = |value: &Value| {
                let keys: Map<_, _> = keys
                    .iter()
                    .map(|key| ((*key).to_owned(), value[*key].clone()))
                    .collect();
                (
                    format!("k:{}", Value::Object(keys)),
                    owned(&format!("{path}[]"), value, lists),
                )
            };
            elements.iter().map(element).collect()
        }
        (Value::Array(elements), None) if SETS.contains(&path) => {
            let element = |value: &Value| (format!("v:{value}"), json!({}));
            elements.iter().map(element).collect()
        }
        _ => return json!({}),
    };
    if !PRESENT.contains(&path) && !fields.is_empty() {
        fields.insert(".".to_owned(), json!({}));
    }
    Value::Object(fields)
}

impl Workload for CSIDriver {
    const FIELDS: &'static str = r#""spec": {
        "attachRequired": true,
        "podInfoOnMount": false,
        "volumeLifecycleModes": ["Persistent", "Ephemeral"],
        "storageCapacity": true,
        "fsGroupPolicy": "File",
        "tokenRequests": [{"audience": "vault", "expirationSeconds": 3600}],
        "requiresRepublish": false,
        "seLinuxMount": true
    }"#;
}

impl Workload for CSINode {
    const FIELDS: &'static str = r#""spec": {"drivers": [
        {
            "name": "block.csi.example.com",
            "nodeID": "i-$ID",
            "topologyKeys": ["topology.kubernetes.io/zone", "kubernetes.io/os"],
            "allocatable": {"count": 25}
        },
        {
            "name": "files.csi.example.com",
            "nodeID": "$NODE",
            "topologyKeys": null
        },
        {
            "name": "secrets.csi.example.com",
            "nodeID": "$NODE",
            "topologyKeys": ["topology.kubernetes.io/zone"],
            "allocatable": {"count": 0}
        }
    ]}"#;
}

impl Workload for CSIStorageCapacity {
    const FIELDS: &'static str = r#"
        "nodeTopology": {"matchLabels": {"kubernetes.io/hostname": "$NODE"}},
        "storageClassName": "fast",
        "capacity": "$NUMBERGi",
        "maximumVolumeSize": "64Ti"
    "#;
}

impl Workload for StorageClass {
    const FIELDS: &'static str = r#"
        "provisioner": "block.csi.example.com",
        "parameters": {
            "csi.storage.k8s.io/fstype": "ext4",
            "encrypted": "true",
            "pool": "pool-$NUMBER",
            "type": "gp3"
        },
        "reclaimPolicy": "Delete",
        "mountOptions": ["noatime", "discard"],
        "allowVolumeExpansion": true,
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowedTopologies": [{"matchLabelExpressions": [
            {"key": "topology.kubernetes.io/zone", "values": ["eu-west-1a", "eu-west-1b"]}
        ]}]
    "#;
}

impl Workload for VolumeAttachment {
    const FIELDS: &'static str = r#"
        "spec": {
            "attacher": "block.csi.example.com",
            "source": {"persistentVolumeName": "pvc-7b1d3c5e-0000-4000-8000-$ID"},
            "nodeName": "$NODE"
        },
        "status": {"attached": true, "attachmentMetadata": {"devicePath": "/dev/xvdba"}}
    "#;

    /// Migrated volumes are described in the attachment itself.
    const RARE_FIELDS: &'static str = r#"
        "spec": {
            "attacher": "block.csi.example.com",
            "source": {"inlineVolumeSpec": {
                "csi": {
                    "driver": "block.csi.example.com",
                    "volumeHandle": "vol-$ID",
                    "fsType": "ext4"
                },
                "accessModes": ["ReadWriteOnce"]
            }},
            "nodeName": "$NODE"
        },
        "status": {"attached": true, "attachmentMetadata": {"devicePath": "/dev/xvdba"}}
    "#;
}

impl Workload for PersistentVolume {
    const FIELDS: &'static str = r#"
        "spec": {
            "capacity": {"storage": "10Gi"},
            "csi": {
                "driver": "block.csi.example.com",
                "volumeHandle": "vol-$ID",
                "fsType": "ext4",
                "volumeAttributes": {"storage.kubernetes.io/csiProvisionerIdentity": "$NUMBER"}
            },
            "accessModes": ["ReadWriteOnce"],
            "claimRef": {
                "kind": "PersistentVolumeClaim", "namespace": "default", "name": "data-$NUMBER",
                "uid": "7b1d3c5e-0000-4000-8000-$ID", "apiVersion": "v1",
                "resourceVersion": "1$NUMBER"
            },
            "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": "fast",
            "volumeMode": "Filesystem",
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{
                "key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eu-west-1a"]
            }]}]}}
        },
        "status": {"phase": "Bound", "lastPhaseTransitionTime": "2024-05-17T09:21:44Z"}
    "#;
}

impl Workload for PersistentVolumeClaim {
    const FIELDS: &'static str = r#"
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "10Gi"}},
            "volumeName": "pvc-7b1d3c5e-0000-4000-8000-$ID",
            "storageClassName": "fast",
            "volumeMode": "Filesystem"
        },
        "status": {
            "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "10Gi"}
        }
    "#;
}

impl Workload for VolumeAttributesClass {
    const FIELDS: &'static str = r#"
        "driverName": "block.csi.example.com",
        "parameters": {"iops": "1$NUMBER", "throughput": "250"}
    "#;
}

impl Workload for VolumeSnapshot {
    const FIELDS: &'static str = r#"
        "spec": {
            "source": {"persistentVolumeClaimName": "data-$NUMBER"},
            "volumeSnapshotClassName": "nightly"
        },
        "status": {
            "boundVolumeSnapshotContentName": "snapcontent-7b1d3c5e-0000-4000-8000-$ID",
            "creationTime": "2024-05-17T09:21:44Z",
            "readyToUse": true,
            "restoreSize": "10Gi"
        }
    "#;
}

impl Workload for VolumeSnapshotClass {
    const FIELDS: &'static str = r#"
        "driver": "block.csi.example.com",
        "parameters": {"tier": "archive-$NUMBER"},
        "deletionPolicy": "Delete"
    "#;
}

impl Workload for VolumeSnapshotContent {
    const FIELDS: &'static str = r#"
        "spec": {
            "volumeSnapshotRef": {
                "apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot",
                "namespace": "default", "name": "data-$NUMBER",
                "uid": "7b1d3c5e-0000-4000-8000-$ID", "resourceVersion": "1$NUMBER"
            },
            "deletionPolicy": "Delete",
            "driver": "block.csi.example.com",
            "volumeSnapshotClassName": "nightly",
            "source": {"volumeHandle": "vol-$ID"},
            "sourceVolumeMode": "Filesystem"
        },
        "status": {
            "snapshotHandle": "snap-$ID",
            "creationTime": 1715937704000000000,
            "restoreSize": 10737418240,
            "readyToUse": true
        }
    "#;
}

impl Workload for VolumeGroupSnapshot {
    const FIELDS: &'static str = r#"
        "spec": {
            "source": {"selector": {"matchLabels": {"app": "database-$NUMBER"}}},
            "volumeGroupSnapshotClassName": "nightly"
        },
        "status": {
            "boundVolumeGroupSnapshotContentName": "groupsnapcontent-7b1d3c5e-0000-4000-8000-$ID",
            "creationTime": "2024-05-17T09:21:44Z",
            "readyToUse": true
        }
    "#;
}

impl Workload for VolumeGroupSnapshotClass {
    const FIELDS: &'static str = <VolumeSnapshotClass as Workload>::FIELDS;
}

impl Workload for VolumeGroupSnapshotContent {
    const FIELDS: &'static str = r#"
        "spec": {
            "volumeGroupSnapshotRef": {
                "apiVersion": "groupsnapshot.storage.k8s.io/v1", "kind": "VolumeGroupSnapshot",
                "namespace": "default", "name": "data-$NUMBER",
                "uid": "7b1d3c5e-0000-4000-8000-$ID", "resourceVersion": "1$NUMBER"
            },
            "deletionPolicy": "Delete",
            "driver": "block.csi.example.com",
            "volumeGroupSnapshotClassName": "nightly",
            "source": {"volumeHandles": ["vol-$ID", "log-$ID"]}
        },
        "status": {
            "volumeGroupSnapshotHandle": "group-$ID",
            "volumeSnapshotInfoList": [
                {
                    "volumeHandle": "vol-$ID", "snapshotHandle": "snap-$ID",
                    "creationTime": 1715937704000000000, "readyToUse": true,
                    "restoreSize": 10737418240
                },
                {
                    "volumeHandle": "log-$ID", "snapshotHandle": "snap-log-$ID",
                    "creationTime": 1715937704000000000, "readyToUse": true,
                    "restoreSize": 1073741824
                }
            ],
            "creationTime": "2024-05-17T09:21:44Z",
            "readyToUse": true
        }
    "#;
}

/// Older versions have the fields of the newest.
macro_rules! older {
    ($name:ident: $older:ty, $newest:ty;) => {
        impl Workload for $older {
            const FIELDS: &'static str = <$newest as Workload>::FIELDS;
            const RARE_FIELDS: &'static str = <$newest as Workload>::RARE_FIELDS;
        }
    };
}

storage_all::for_each_conversion! { crate::pairs, lossless {older;} }

impl Workload for storage_v1alpha1::csi::CSIDriver {
    const FIELDS: &'static str =
        r#""spec": {"attachRequired": true, "podInfoOnMountVersion": "v1"}"#;

    /// A version that never had a meaning.
    const RARE_FIELDS: &'static str =
        r#""spec": {"attachRequired": true, "podInfoOnMountVersion": "v2"}"#;
}

impl Workload for storage_v1alpha1::csi::CSINodeInfo {
    const FIELDS: &'static str = r#"
        "spec": {"drivers": [
            {
                "name": "block.csi.example.com",
                "nodeID": "i-$ID",
                "topologyKeys": ["topology.kubernetes.io/zone", "kubernetes.io/os"]
            },
            {"name": "files.csi.example.com", "nodeID": "$NODE", "topologyKeys": null}
        ]},
        "status": {"drivers": [
            {
                "name": "block.csi.example.com",
                "available": true,
                "volumePluginMechanism": "in-tree"
            },
            {
                "name": "files.csi.example.com",
                "available": true,
                "volumePluginMechanism": "in-tree"
            }
        ]}
    "#;

    /// The form of Kubernetes 1.12.
    const RARE_FIELDS: &'static str = r#""csiDrivers": [
        {
            "driver": "block.csi.example.com",
            "nodeID": "i-$ID",
            "topologyKeys": ["topology.kubernetes.io/zone"]
        }
    ]"#;
}
