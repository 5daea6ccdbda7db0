//! Random PersistentVolumes and claims that the server accepts.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::random::{maybe, word};

const MODES: [&str; 3] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];

fn access_modes(rng: &mut Rng) -> Value {
    match rng.u8(..4) {
        0 => json!(["ReadWriteOncePod"]),
        1 => json!([MODES[rng.usize(..3)], MODES[rng.usize(..3)]]),
        _ => json!([MODES[rng.usize(..3)]]),
    }
}

fn size(rng: &mut Rng) -> Value {
    let sizes = [
        "1Gi",
        "1024Mi",
        "5Gi",
        "1e9",
        "1500m",
        "2.5Gi",
        "100M",
        "1073741824",
    ];
    sizes[rng.usize(..sizes.len())].into()
}

/// A PersistentVolume, mostly of CSI.
pub(crate) fn persistent_volume(rng: &mut Rng) -> Value {
    let mut spec = json!({"accessModes": access_modes(rng), "capacity": {"storage": size(rng)}});
    let (source, value) = source(rng);
    spec[source] = value;
    if source == "csi" {
        maybe(rng, &mut spec, "volumeAttributesClassName", |rng| {
            word(rng).into()
        });
    }
    if source == "local" || rng.bool() {
        spec["nodeAffinity"] = node_affinity(rng);
    }
    let policies = ["Retain", "Delete", "Recycle"];
    maybe(rng, &mut spec, "persistentVolumeReclaimPolicy", |rng| {
        policies[rng.usize(..3)].into()
    });
    maybe(rng, &mut spec, "storageClassName", |rng| word(rng).into());
    maybe(rng, &mut spec, "volumeMode", |rng| {
        ["Block", "Filesystem"][rng.usize(..2)].into()
    });
    maybe(rng, &mut spec, "mountOptions", |_| json!(["ro", "soft"]));
    maybe(
        rng,
        &mut spec,
        "claimRef",
        |rng| json!({"kind": "PersistentVolumeClaim", "namespace": "default", "name": word(rng)}),
    );
    json!({"spec": spec})
}

fn source(rng: &mut Rng) -> (&'static str, Value) {
    let secret = json!({"name": "secret", "namespace": "default"});
    match rng.u8(..20) {
        0 => ("hostPath", json!({"path": "/data"})),
        1 => ("nfs", json!({"server": word(rng), "path": "/exports"})),
        2 => ("local", json!({"path": "/mnt/disk", "fsType": "ext4"})),
        3 => ("rbd", json!({"monitors": [word(rng)], "image": word(rng)})),
        4 => {
            let iqn = "iqn.2001-04.com.example:storage";
            (
                "iscsi",
                json!({"targetPortal": "10.0.0.1", "iqn": iqn, "lun": 1}),
            )
        }
        5 => (
            "azureDisk",
            json!({"diskName": "a", "diskURI": "https://example.com/a"}),
        ),
        6 => ("fc", json!({"wwids": [word(rng)]})),
        7 => {
            let system = json!({"gateway": "g", "system": "s", "volumeName": "v",
                "secretRef": {"name": "secret", "namespace": "default"}});
            ("scaleIO", system)
        }
        8 => ("glusterfs", json!({"endpoints": word(rng), "path": "a"})),
        9 => ("storageos", json!({"volumeName": word(rng)})),
        _ => {
            let mut csi = json!({"driver": "csi.example.com", "volumeHandle": word(rng)});
            maybe(rng, &mut csi, "fsType", |_| "ext4".into());
            maybe(
                rng,
                &mut csi,
                "volumeAttributes",
                |rng| json!({"a": word(rng)}),
            );
            maybe(rng, &mut csi, "controllerExpandSecretRef", |_| {
                secret.clone()
            });
            maybe(rng, &mut csi, "nodeStageSecretRef", |_| secret.clone());
            ("csi", csi)
        }
    }
}

fn node_affinity(rng: &mut Rng) -> Value {
    let zones = [
        "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/zone",
        "beta.kubernetes.io/os",
    ];
    let zone = zones[rng.usize(..3)];
    let mut terms = vec![json!({"matchExpressions": [
        {"key": zone, "operator": "In", "values": [word(rng), "b"]},
        {"key": "rack", "operator": "Exists"},
        {"key": "generation", "operator": "Gt", "values": ["3"]},
    ]})];
    if rng.bool() {
        terms.push(json!({"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": [word(rng)]},
        ]}));
    }
    json!({"required": {"nodeSelectorTerms": terms}})
}

/// The status of a PersistentVolume.
pub(crate) fn volume_status(rng: &mut Rng) -> Value {
    let phases = ["Pending", "Available", "Bound", "Released", "Failed"];
    let mut status = json!({"phase": phases[rng.usize(..5)]});
    maybe(rng, &mut status, "message", |rng| word(rng).into());
    maybe(rng, &mut status, "reason", |rng| word(rng).into());
    status
}

/// A claim.
pub(crate) fn claim(rng: &mut Rng) -> Value {
    let mut resources = json!({"requests": {"storage": size(rng)}});
    maybe(
        rng,
        &mut resources,
        "limits",
        |_| json!({"storage": "10Gi"}),
    );
    let mut spec = json!({"accessModes": access_modes(rng), "resources": resources});
    maybe(rng, &mut spec, "storageClassName", |rng| {
        [word(rng), String::new()][rng.usize(..2)].clone().into()
    });
    maybe(rng, &mut spec, "volumeAttributesClassName", |rng| {
        word(rng).into()
    });
    maybe(rng, &mut spec, "volumeName", |rng| word(rng).into());
    maybe(rng, &mut spec, "volumeMode", |rng| {
        ["Block", "Filesystem"][rng.usize(..2)].into()
    });
    maybe(rng, &mut spec, "selector", |rng| {
        json!({"matchLabels": {"tier": word(rng)},
            "matchExpressions": [{"key": "rack", "operator": "In", "values": ["a", "b"]}]})
    });
    let snapshot = json!({"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot",
        "name": word(rng)});
    match rng.u8(..6) {
        0 => spec["dataSource"] = snapshot,
        1 => spec["dataSourceRef"] = snapshot,
        2 => spec["dataSource"] = json!({"kind": "PersistentVolumeClaim", "name": word(rng)}),
        3 => {
            spec["dataSourceRef"] =
                json!({"apiGroup": "example.com", "kind": "Backup", "name": word(rng)});
        }
        _ => {}
    }
    json!({"spec": spec})
}

/// The status of a claim, mostly of one that is bound.
pub(crate) fn claim_status(rng: &mut Rng) -> Value {
    let phases = ["Pending", "Lost", "Bound", "Bound", "Bound"];
    let mut status = json!({"phase": phases[rng.usize(..5)]});
    maybe(rng, &mut status, "accessModes", access_modes);
    maybe(
        rng,
        &mut status,
        "capacity",
        |rng| json!({"storage": size(rng)}),
    );
    maybe(
        rng,
        &mut status,
        "allocatedResources",
        |rng| json!({"storage": size(rng), "example.com/inodes": "5"}),
    );
    maybe(
        rng,
        &mut status,
        "allocatedResourceStatuses",
        |_| json!({"storage": "NodeResizePending"}),
    );
    maybe(
        rng,
        &mut status,
        "currentVolumeAttributesClassName",
        |rng| word(rng).into(),
    );
    maybe(
        rng,
        &mut status,
        "modifyVolumeStatus",
        |rng| json!({"status": "InProgress", "targetVolumeAttributesClassName": word(rng)}),
    );
    maybe(rng, &mut status, "conditions", |_| {
        json!([{"type": "Resizing", "status": "True",
            "lastTransitionTime": "2024-01-02T03:04:05Z", "message": "m"}])
    });
    status
}
