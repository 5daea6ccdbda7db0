//! Volumes, claims and attachments of a CSI driver.

use crate::managed::Entry;
use crate::objects::Objects;

/// Volumes that a provisioner has made and an attacher has attached.
pub static VOLUMES: Objects = Objects {
    kind: "PersistentVolume",
    api_version: "v1",
    template: r#"{
        "metadata": {
            "name": "pvc-<claim-uid>",
            "uid": "<uid>",
            "resourceVersion": "<version>",
            "creationTimestamp": "<created>",
            "annotations": {
                "pv.kubernetes.io/provisioned-by": "ebs.csi.aws.com",
                "volume.kubernetes.io/provisioner-deletion-secret-name": "",
                "volume.kubernetes.io/provisioner-deletion-secret-namespace": ""
            },
            "finalizers": [
                "external-provisioner.volume.kubernetes.io/finalizer",
                "kubernetes.io/pv-protection",
                "external-attacher/ebs-csi-aws-com"
            ],
            "managedFields": "<managed>"
        },
        "spec": {
            "capacity": {"storage": "<size>Gi"},
            "csi": {
                "driver": "ebs.csi.aws.com",
                "volumeHandle": "<handle>",
                "fsType": "ext4",
                "volumeAttributes": {
                    "storage.kubernetes.io/csiProvisionerIdentity":
                        "1772841600123-<at>-ebs.csi.aws.com"
                }
            },
            "accessModes": ["ReadWriteOnce"],
            "claimRef": {
                "kind": "PersistentVolumeClaim",
                "namespace": "team-<team>",
                "name": "data-database-<app>",
                "uid": "<claim-uid>",
                "apiVersion": "v1",
                "resourceVersion": "<version>"
            },
            "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": "fast-encrypted",
            "volumeMode": "Filesystem",
            "nodeAffinity": {
                "required": {
                    "nodeSelectorTerms": [{
                        "matchExpressions": [{
                            "key": "topology.ebs.csi.aws.com/zone",
                            "operator": "In",
                            "values": ["<zone>"]
                        }]
                    }]
                }
            }
        },
        "status": {"phase": "Bound", "lastPhaseTransitionTime": "<changed>"}
    }"#,
    entries: &[
        Entry {
            manager: "csi-provisioner",
            subresource: None,
            fields: &[
                "/metadata/annotations",
                "/spec/accessModes",
                "/spec/capacity",
                "/spec/claimRef",
                "/spec/csi",
                "/spec/nodeAffinity",
                "/spec/persistentVolumeReclaimPolicy",
                "/spec/storageClassName",
                "/spec/volumeMode",
            ],
        },
        Entry {
            manager: "csi-attacher",
            subresource: None,
            fields: &["/metadata/finalizers"],
        },
        Entry {
            manager: "kube-controller-manager",
            subresource: Some("status"),
            fields: &["/status/phase"],
        },
    ],
};

/// The claims of a StatefulSet, bound to such volumes.
pub static CLAIMS: Objects = Objects {
    kind: "PersistentVolumeClaim",
    api_version: "v1",
    template: r#"{
        "metadata": {
            "name": "data-database-<app>",
            "namespace": "team-<team>",
            "uid": "<claim-uid>",
            "resourceVersion": "<version>",
            "creationTimestamp": "<created>",
            "labels": {
                "app.kubernetes.io/component": "primary",
                "app.kubernetes.io/instance": "database-<app>",
                "app.kubernetes.io/name": "postgresql"
            },
            "annotations": {
                "pv.kubernetes.io/bind-completed": "yes",
                "pv.kubernetes.io/bound-by-controller": "yes",
                "volume.beta.kubernetes.io/storage-provisioner": "ebs.csi.aws.com",
                "volume.kubernetes.io/selected-node": "<node>",
                "volume.kubernetes.io/storage-provisioner": "ebs.csi.aws.com"
            },
            "ownerReferences": [{
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "name": "database-<app>",
                "uid": "<owner-uid>",
                "controller": true,
                "blockOwnerDeletion": true
            }],
            "finalizers": ["kubernetes.io/pvc-protection"],
            "managedFields": "<managed>"
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "<size>Gi"}},
            "volumeName": "pvc-<claim-uid>",
            "storageClassName": "fast-encrypted",
            "volumeMode": "Filesystem"
        },
        "status": {
            "phase": "Bound",
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "<size>Gi"}
        }
    }"#,
    entries: &[
        Entry {
            manager: "kube-scheduler",
            subresource: None,
            fields: &["/metadata/annotations/volume.kubernetes.io~1selected-node"],
        },
        Entry {
            manager: "kube-controller-manager",
            subresource: None,
            fields: &[
                "/metadata/annotations",
                "/metadata/labels",
                "/metadata/ownerReferences",
                "/spec/accessModes",
                "/spec/resources",
                "/spec/storageClassName",
                "/spec/volumeMode",
                "/spec/volumeName",
            ],
        },
        Entry {
            manager: "kube-controller-manager",
            subresource: Some("status"),
            fields: &["/status/accessModes", "/status/capacity", "/status/phase"],
        },
    ],
};

/// The attachments of such volumes to nodes.
pub static ATTACHMENTS: Objects = Objects {
    kind: "VolumeAttachment",
    api_version: "storage.k8s.io/v1",
    template: r#"{
        "metadata": {
            "name": "csi-<attachment>",
            "uid": "<uid>",
            "resourceVersion": "<version>",
            "creationTimestamp": "<created>",
            "annotations": {"csi.alpha.kubernetes.io/node-id": "i-0<short>7c31e<short>"},
            "finalizers": ["external-attacher/ebs-csi-aws-com"],
            "managedFields": "<managed>"
        },
        "spec": {
            "attacher": "ebs.csi.aws.com",
            "source": {"persistentVolumeName": "pvc-<claim-uid>"},
            "nodeName": "<node>"
        },
        "status": {"attached": true, "attachmentMetadata": {"devicePath": "/dev/xvda<short>"}}
    }"#,
    entries: &[
        Entry {
            manager: "kube-controller-manager",
            subresource: None,
            fields: &["/spec/attacher", "/spec/nodeName", "/spec/source"],
        },
        Entry {
            manager: "csi-attacher",
            subresource: None,
            fields: &["/metadata/annotations", "/metadata/finalizers"],
        },
        Entry {
            manager: "csi-attacher",
            subresource: Some("status"),
            fields: &["/status/attached", "/status/attachmentMetadata"],
        },
    ],
};
