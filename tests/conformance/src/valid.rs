//! Random objects that the server accepts.

use fastrand::Rng;
use kubernetes_kinds::{Kind as _, Lifecycle, Release};
use serde_json::{Value, json};

use crate::random::{maybe, word};
use crate::{group_snapshots, snapshots, volumes};

/// The kinds that the server has, by the names in its URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `CSIDriver` of v1.
    CsiDriver,
    /// `CSINode` of v1.
    CsiNode,
    /// `CSIStorageCapacity` of v1.
    CsiStorageCapacity,
    /// `StorageClass` of v1.
    StorageClass,
    /// `VolumeAttachment` of v1.
    VolumeAttachment,
    /// `VolumeAttributesClass` of v1.
    VolumeAttributesClass,
    /// `VolumeAttributesClass` of v1beta1.
    VolumeAttributesClassV1beta1,
    /// `PersistentVolume` of the core group.
    PersistentVolume,
    /// `PersistentVolumeClaim` of the core group.
    PersistentVolumeClaim,
    /// `VolumeSnapshot`, a custom resource.
    VolumeSnapshot,
    /// `VolumeSnapshotClass`, a custom resource.
    VolumeSnapshotClass,
    /// `VolumeSnapshotContent`, a custom resource.
    VolumeSnapshotContent,
    /// `VolumeGroupSnapshot`, a custom resource.
    VolumeGroupSnapshot,
    /// `VolumeGroupSnapshotClass`, a custom resource.
    VolumeGroupSnapshotClass,
    /// `VolumeGroupSnapshotContent`, a custom resource.
    VolumeGroupSnapshotContent,
}

impl Kind {
    /// Each of them.
    pub const ALL: [Self; 15] = [
        Self::CsiDriver,
        Self::CsiNode,
        Self::CsiStorageCapacity,
        Self::StorageClass,
        Self::VolumeAttachment,
        Self::VolumeAttributesClass,
        Self::VolumeAttributesClassV1beta1,
        Self::PersistentVolume,
        Self::PersistentVolumeClaim,
        Self::VolumeSnapshot,
        Self::VolumeSnapshotClass,
        Self::VolumeSnapshotContent,
        Self::VolumeGroupSnapshot,
        Self::VolumeGroupSnapshotClass,
        Self::VolumeGroupSnapshotContent,
    ];

    /// The kinds of the core group.
    pub const CORE: [Self; 2] = [Self::PersistentVolume, Self::PersistentVolumeClaim];

    /// The kinds of the snapshot and group snapshot APIs, which a server has once their definitions
    /// are created.
    pub const SNAPSHOT: [Self; 6] = [
        Self::VolumeSnapshot,
        Self::VolumeSnapshotClass,
        Self::VolumeSnapshotContent,
        Self::VolumeGroupSnapshot,
        Self::VolumeGroupSnapshotClass,
        Self::VolumeGroupSnapshotContent,
    ];

    /// Returns the kinds of storage.k8s.io.
    pub fn storage() -> impl Iterator<Item = Self> {
        let others = [Self::CORE.as_slice(), &Self::SNAPSHOT].concat();
        Self::ALL
            .into_iter()
            .filter(move |kind| !others.contains(kind))
    }

    /// Returns the kinds that Kubernetes itself has.
    pub fn built_in() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| !kind.is_custom())
    }

    /// Returns true for the kind of a custom resource.
    pub fn is_custom(self) -> bool {
        Self::SNAPSHOT.contains(&self)
    }

    /// Returns the releases in which Kubernetes serves it; nothing for custom resources.
    pub fn lifecycle(self) -> Option<Lifecycle> {
        match self {
            Self::CsiDriver => storage_v1::CSIDriver::LIFECYCLE,
            Self::CsiNode => storage_v1::CSINode::LIFECYCLE,
            Self::CsiStorageCapacity => storage_v1::CSIStorageCapacity::LIFECYCLE,
            Self::StorageClass => storage_v1::StorageClass::LIFECYCLE,
            Self::VolumeAttachment => storage_v1::VolumeAttachment::LIFECYCLE,
            Self::VolumeAttributesClass => storage_v1::VolumeAttributesClass::LIFECYCLE,
            Self::VolumeAttributesClassV1beta1 => storage_v1beta1::VolumeAttributesClass::LIFECYCLE,
            Self::PersistentVolume => core_v1::PersistentVolume::LIFECYCLE,
            Self::PersistentVolumeClaim => core_v1::PersistentVolumeClaim::LIFECYCLE,
            Self::VolumeSnapshot => snapshot_v1::VolumeSnapshot::LIFECYCLE,
            Self::VolumeSnapshotClass => snapshot_v1::VolumeSnapshotClass::LIFECYCLE,
            Self::VolumeSnapshotContent => snapshot_v1::VolumeSnapshotContent::LIFECYCLE,
            Self::VolumeGroupSnapshot => groupsnapshot_v1::VolumeGroupSnapshot::LIFECYCLE,
            Self::VolumeGroupSnapshotClass => groupsnapshot_v1::VolumeGroupSnapshotClass::LIFECYCLE,
            Self::VolumeGroupSnapshotContent => {
                groupsnapshot_v1::VolumeGroupSnapshotContent::LIFECYCLE
            }
        }
    }

    /// Its `kind`.
    pub fn name(self) -> &'static str {
        match self {
            Self::CsiDriver => "CSIDriver",
            Self::CsiNode => "CSINode",
            Self::CsiStorageCapacity => "CSIStorageCapacity",
            Self::StorageClass => "StorageClass",
            Self::VolumeAttachment => "VolumeAttachment",
            Self::VolumeAttributesClass | Self::VolumeAttributesClassV1beta1 => {
                "VolumeAttributesClass"
            }
            Self::PersistentVolume => "PersistentVolume",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
            Self::VolumeSnapshot => "VolumeSnapshot",
            Self::VolumeSnapshotClass => "VolumeSnapshotClass",
            Self::VolumeSnapshotContent => "VolumeSnapshotContent",
            Self::VolumeGroupSnapshot => "VolumeGroupSnapshot",
            Self::VolumeGroupSnapshotClass => "VolumeGroupSnapshotClass",
            Self::VolumeGroupSnapshotContent => "VolumeGroupSnapshotContent",
        }
    }

    /// Its `apiVersion`.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::VolumeAttributesClassV1beta1 => "storage.k8s.io/v1beta1",
            Self::PersistentVolume | Self::PersistentVolumeClaim => "v1",
            Self::VolumeSnapshot | Self::VolumeSnapshotClass | Self::VolumeSnapshotContent => {
                "snapshot.storage.k8s.io/v1"
            }
            Self::VolumeGroupSnapshot
            | Self::VolumeGroupSnapshotClass
            | Self::VolumeGroupSnapshotContent => "groupsnapshot.storage.k8s.io/v1",
            _ => "storage.k8s.io/v1",
        }
    }

    /// Returns true if its objects are in namespaces.
    pub fn is_namespaced(self) -> bool {
        matches!(
            self,
            Self::CsiStorageCapacity
                | Self::PersistentVolumeClaim
                | Self::VolumeSnapshot
                | Self::VolumeGroupSnapshot
        )
    }

    /// Returns true if an update needs no resource version.
    pub fn may_lack_version(self) -> bool {
        matches!(
            self,
            Self::StorageClass
                | Self::VolumeAttributesClass
                | Self::VolumeAttributesClassV1beta1
                | Self::PersistentVolume
                | Self::PersistentVolumeClaim
        )
    }

    /// Returns true if the status has a path of its own on servers of a release.
    pub fn has_status(self, release: Release) -> bool {
        let of_storage = [
            Self::VolumeAttachment,
            Self::VolumeSnapshot,
            Self::VolumeSnapshotContent,
            Self::VolumeGroupSnapshot,
            Self::VolumeGroupSnapshotContent,
        ];
        let is_newer = self == Self::CsiNode && release >= Release::new(1, 37);
        of_storage.contains(&self) || Self::CORE.contains(&self) || is_newer
    }

    /// The folder of its group and version in the paths of a server.
    pub fn group_path(self) -> String {
        match self.api_version() {
            "v1" => "api/v1".to_owned(),
            version => format!("apis/{version}"),
        }
    }

    /// The path of its collection.
    pub fn path(self) -> String {
        let (inside, plural) = match self {
            Self::CsiDriver => ("", "csidrivers"),
            Self::CsiNode => ("", "csinodes"),
            Self::CsiStorageCapacity => ("/namespaces/default", "csistoragecapacities"),
            Self::StorageClass => ("", "storageclasses"),
            Self::VolumeAttachment => ("", "volumeattachments"),
            Self::VolumeAttributesClass | Self::VolumeAttributesClassV1beta1 => {
                ("", "volumeattributesclasses")
            }
            Self::PersistentVolume => ("", "persistentvolumes"),
            Self::PersistentVolumeClaim => ("/namespaces/default", "persistentvolumeclaims"),
            Self::VolumeSnapshot => ("/namespaces/default", "volumesnapshots"),
            Self::VolumeSnapshotClass => ("", "volumesnapshotclasses"),
            Self::VolumeSnapshotContent => ("", "volumesnapshotcontents"),
            Self::VolumeGroupSnapshot => ("/namespaces/default", "volumegroupsnapshots"),
            Self::VolumeGroupSnapshotClass => ("", "volumegroupsnapshotclasses"),
            Self::VolumeGroupSnapshotContent => ("", "volumegroupsnapshotcontents"),
        };
        format!("/{}{inside}/{plural}", self.group_path())
    }

    /// A valid object.
    pub fn object(self, rng: &mut Rng, name: &str) -> Value {
        let mut object = match self {
            Self::CsiDriver => csi_driver(rng),
            Self::CsiNode => csi_node(rng),
            Self::CsiStorageCapacity => csi_storage_capacity(rng),
            Self::StorageClass => storage_class(rng),
            Self::VolumeAttachment => volume_attachment(rng),
            Self::VolumeAttributesClass | Self::VolumeAttributesClassV1beta1 => {
                json!({"driverName": driver(rng), "parameters": {"iops": number(rng)}})
            }
            Self::PersistentVolume => volumes::persistent_volume(rng),
            Self::PersistentVolumeClaim => volumes::claim(rng),
            Self::VolumeSnapshot => snapshots::snapshot(rng),
            Self::VolumeSnapshotClass => snapshots::class(rng),
            Self::VolumeSnapshotContent => snapshots::content(rng),
            Self::VolumeGroupSnapshot => group_snapshots::snapshot(rng),
            Self::VolumeGroupSnapshotClass => snapshots::class(rng),
            Self::VolumeGroupSnapshotContent => group_snapshots::content(rng),
        };
        object["apiVersion"] = self.api_version().into();
        object["kind"] = self.name().into();
        object["metadata"] = metadata(rng, name);
        object
    }

    /// A valid status of it, if a test writes it.
    pub fn status(self, rng: &mut Rng) -> Option<Value> {
        match self {
            Self::PersistentVolume => Some(volumes::volume_status(rng)),
            Self::PersistentVolumeClaim => Some(volumes::claim_status(rng)),
            Self::VolumeSnapshot => Some(snapshots::snapshot_status(rng)),
            Self::VolumeSnapshotContent => Some(snapshots::content_status(rng)),
            Self::VolumeGroupSnapshot => Some(group_snapshots::snapshot_status(rng)),
            Self::VolumeGroupSnapshotContent => Some(group_snapshots::content_status(rng)),
            _ => None,
        }
    }
}

fn metadata(rng: &mut Rng, name: &str) -> Value {
    let mut metadata = json!({"name": name});
    maybe(
        rng,
        &mut metadata,
        "labels",
        |rng| json!({"app.kubernetes.io/name": word(rng), "tier": ""}),
    );
    maybe(
        rng,
        &mut metadata,
        "annotations",
        |rng| json!({"example.com/Note": word(rng)}),
    );
    maybe(rng, &mut metadata, "finalizers", |_| {
        json!(["example.com/keep", "orphan"])
    });
    maybe(rng, &mut metadata, "ownerReferences", |rng| {
        let uid = "6ac0d2c4-4f0b-4f7c-9d6e-0c1c3d9b7a11";
        let controller = rng.bool();
        json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "a", "uid": uid,
            "controller": controller}])
    });
    metadata
}

fn number(rng: &mut Rng) -> String {
    rng.u32(..1000).to_string()
}

fn driver(rng: &mut Rng) -> String {
    format!("{}.csi.example.com", word(rng))
}

fn csi_driver(rng: &mut Rng) -> Value {
    let mut spec = json!({});
    for flag in [
        "attachRequired",
        "podInfoOnMount",
        "preventPodSchedulingIfMissing",
        "requiresRepublish",
        "seLinuxMount",
        "storageCapacity",
    ] {
        maybe(rng, &mut spec, flag, |rng| rng.bool().into());
    }
    let policies = ["File", "None", "ReadWriteOnceWithFSType"];
    maybe(rng, &mut spec, "fsGroupPolicy", |rng| {
        policies[rng.usize(..3)].into()
    });
    let modes = [
        json!(["Ephemeral"]),
        json!(["Persistent", "Ephemeral"]),
        json!([]),
    ];
    maybe(rng, &mut spec, "volumeLifecycleModes", |rng| {
        modes[rng.usize(..3)].clone()
    });
    maybe(
        rng,
        &mut spec,
        "nodeAllocatableUpdatePeriodSeconds",
        |rng| rng.u32(10..100).into(),
    );
    if rng.bool() {
        let seconds = rng.u32(600..9000);
        let audience = word(rng);
        spec["tokenRequests"] =
            json!([{"audience": audience, "expirationSeconds": seconds}, {"audience": ""}]);
        maybe(rng, &mut spec, "serviceAccountTokenInSecrets", |rng| {
            rng.bool().into()
        });
    }
    json!({"spec": spec})
}

fn csi_node(rng: &mut Rng) -> Value {
    let drivers: Vec<_> = (0..rng.usize(..4))
        .map(|index| {
            let mut driver = json!({"name": format!("d{index}.Example.com"), "nodeID": word(rng)});
            maybe(rng, &mut driver, "topologyKeys", |_| {
                json!(["topology.kubernetes.io/zone", "rack"])
            });
            maybe(
                rng,
                &mut driver,
                "allocatable",
                |rng| json!({"count": rng.u32(..9)}),
            );
            driver
        })
        .collect();
    json!({"spec": {"drivers": drivers}})
}

fn csi_storage_capacity(rng: &mut Rng) -> Value {
    let mut object = json!({"storageClassName": word(rng)});
    let sizes = ["1Gi", "1024Mi", "0", "0.5", "1e3", "100500m", "1500"];
    maybe(rng, &mut object, "capacity", |rng| {
        sizes[rng.usize(..sizes.len())].into()
    });
    maybe(rng, &mut object, "maximumVolumeSize", |rng| {
        ["1Gi", "-1", "3000Ki"][rng.usize(..3)].into()
    });
    maybe(rng, &mut object, "nodeTopology", |rng| {
        let value = word(rng);
        json!({"matchLabels": {"topology.kubernetes.io/zone": value},
            "matchExpressions": [
                {"key": "rack", "operator": "In", "values": ["a", "b"]},
                {"key": "beta.kubernetes.io/os", "operator": "Exists"}]})
    });
    object
}

fn storage_class(rng: &mut Rng) -> Value {
    let mut object = json!({"provisioner": driver(rng)});
    maybe(
        rng,
        &mut object,
        "parameters",
        |rng| json!({"type": word(rng), "empty": ""}),
    );
    maybe(rng, &mut object, "reclaimPolicy", |rng| {
        ["Delete", "Retain"][rng.usize(..2)].into()
    });
    maybe(rng, &mut object, "volumeBindingMode", |rng| {
        ["Immediate", "WaitForFirstConsumer"][rng.usize(..2)].into()
    });
    maybe(rng, &mut object, "allowVolumeExpansion", |rng| {
        rng.bool().into()
    });
    maybe(rng, &mut object, "mountOptions", |_| json!(["ro", ""]));
    maybe(rng, &mut object, "allowedTopologies", |rng| {
        let zone = word(rng);
        json!([
            {"matchLabelExpressions": [
                {"key": "topology.kubernetes.io/zone", "values": [zone, "other"]},
                {"key": "rack", "values": ["1"]}]},
            {"matchLabelExpressions": [{"key": "rack", "values": ["2"]}]}])
    });
    object
}

fn volume_attachment(rng: &mut Rng) -> Value {
    let source = if rng.bool() {
        json!({"persistentVolumeName": word(rng)})
    } else {
        let secret = json!({"name": "secret", "namespace": "default"});
        let mut csi = json!({"driver": driver(rng), "volumeHandle": word(rng)});
        maybe(
            rng,
            &mut csi,
            "volumeAttributes",
            |rng| json!({"a": word(rng)}),
        );
        maybe(rng, &mut csi, "nodeExpandSecretRef", |_| secret.clone());
        let mut spec = json!({"accessModes": ["ReadWriteOnce", "ReadOnlyMany"], "csi": csi});
        maybe(rng, &mut spec, "volumeMode", |_| "Filesystem".into());
        maybe(rng, &mut spec, "persistentVolumeReclaimPolicy", |_| {
            "Retain".into()
        });
        json!({"inlineVolumeSpec": spec})
    };
    let node = word(rng);
    json!({"spec": {"attacher": driver(rng), "nodeName": node, "source": source}})
}
