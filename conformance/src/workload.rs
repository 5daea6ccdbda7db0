//! Long lists like those of a busy cluster, for benchmarks.
//!
//! The metadata of real objects is larger than the rest of them, chiefly because of
//! `managedFields`, so objects without it would flatter every reader. The fields are in
//! the order in which Kubernetes writes them: the order decides what lies next to what in
//! memory, and a list whose memory is walked out of order is written 10 % slower.

use k8s_openapi::Resource;
use serde_json::{Map, Value, json};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
    VolumeAttributesClass,
};

/// A kind of which long lists can be made.
pub trait Workload: Resource {
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
    "f:labels": {".": {}, "f:app.kubernetes.io/name": {}, "f:app.kubernetes.io/part-of": {}},
    "f:ownerReferences": {".": {}, "k:{\"uid\":\"5f0a7c0e-0000-4000-8000-000000000000\"}": {}}
}"#;

/// A list of `length` objects, in the JSON that a server sends.
///
/// # Errors
///
/// When the fields of the kind are not JSON.
pub fn list<K: Workload>(length: usize) -> serde_json::Result<String> {
    let items: Vec<String> =
        (0..length).map(item::<K>).collect::<serde_json::Result<_>>()?;
    let list = format!(
        r#"{{"kind":"{}List","apiVersion":"{}","metadata":{{"resourceVersion":"184467"}},"items":[{}]}}"#,
        K::KIND,
        K::API_VERSION,
        items.join(",")
    );
    Ok(list)
}

fn item<K: Workload>(number: usize) -> serde_json::Result<String> {
    let fields = if number.is_multiple_of(20) {
        K::RARE_FIELDS
    } else {
        K::FIELDS
    };
    let managed = managed_fields(K::API_VERSION, fields)?;
    let item = format!(
        r#"{{"metadata": {{{METADATA}, "managedFields": [{managed}]}}, {fields}}}"#
    );
    let node =
        format!("ip-10-0-{}-{}.eu-west-1.compute.internal", number / 256, number % 256);
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

/// What the server notes of who wrote which field: one entry for the object, and one for
/// its status.
fn managed_fields(api_version: &str, fields: &str) -> serde_json::Result<String> {
    let mut fields: Map<String, Value> = serde_json::from_str(&format!("{{{fields}}}"))?;
    let status =
        fields.remove("status").map(|status| json!({"f:status": owned(&status)}));
    let mut object = owned(&Value::Object(fields));
    object["f:metadata"] = serde_json::from_str(MANAGED_METADATA)?;
    let entry = |manager: &str, fields: &Value, end: &str| {
        format!(
            r#"{{"manager":"{manager}","operation":"Update","apiVersion":"{api_version}",
            "time":"2024-05-17T09:21:44Z","fieldsType":"FieldsV1","fieldsV1":{fields}{end}}}"#
        )
    };
    let mut entries = vec![entry("kube-controller-manager", &object, "")];
    if let Some(status) = status {
        entries.push(entry("csi-attacher", &status, r#","subresource":"status""#));
    }
    Ok(entries.join(","))
}

/// What `fieldsV1` says of a value: the tree of its fields.
fn owned(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(name, value)| (format!("f:{name}"), owned(value)));
            Value::Object(fields.collect())
        }
        _ => json!({}),
    }
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

impl Workload for VolumeAttributesClass {
    const FIELDS: &'static str = r#"
        "driverName": "block.csi.example.com",
        "parameters": {"iops": "1$NUMBER", "throughput": "250"}
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
