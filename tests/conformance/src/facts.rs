//! Kubernetes' facts about each kind, written down here rather than taken from the types under
//! test, so that a wrong constant there is not repeated here.

use kubernetes_kinds::{Lifecycle, Release, Replacement};
use kubernetes_test_apiserver::ResourceType;

/// A kind whose facts are known.
pub trait Facts {
    /// Its names, its scope, and whether it has a status subresource.
    const RESOURCE: ResourceType;

    /// The releases that introduced, deprecated and removed it, and what replaces it; nothing for
    /// custom resources.
    const LIFECYCLE: Option<Lifecycle>;
}

/// The kinds of all versions, for a server.
pub fn resources() -> Vec<ResourceType> {
    macro_rules! resources {
        ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
            vec![$(<$kind as Facts>::RESOURCE),*]
        };
    }
    storage_all::for_each_kind!(resources)
}

const CORE_V1: &str = "v1";
const V1: &str = "storage.k8s.io/v1";
const V1BETA1: &str = "storage.k8s.io/v1beta1";
const V1ALPHA1: &str = "storage.k8s.io/v1alpha1";
const GROUP_SNAPSHOT_V1: &str = "groupsnapshot.storage.k8s.io/v1";
const SNAPSHOT_V1: &str = "snapshot.storage.k8s.io/v1";
const CSI_V1ALPHA1: &str = "csi.storage.k8s.io/v1alpha1";

/// The names of a kind, its list, and both in paths.
type Names = [&'static str; 3];

const DRIVER: Names = ["CSIDriver", "CSIDriverList", "csidrivers"];
const NODE: Names = ["CSINode", "CSINodeList", "csinodes"];
const NODE_INFO: Names = ["CSINodeInfo", "CSINodeInfoList", "csinodeinfos"];
const CAPACITY: Names = [
    "CSIStorageCapacity",
    "CSIStorageCapacityList",
    "csistoragecapacities",
];
const CLASS: Names = ["StorageClass", "StorageClassList", "storageclasses"];
const ATTACHMENT: Names = [
    "VolumeAttachment",
    "VolumeAttachmentList",
    "volumeattachments",
];
const ATTRIBUTES: Names = [
    "VolumeAttributesClass",
    "VolumeAttributesClassList",
    "volumeattributesclasses",
];

const VOLUME: Names = [
    "PersistentVolume",
    "PersistentVolumeList",
    "persistentvolumes",
];
const CLAIM: Names = [
    "PersistentVolumeClaim",
    "PersistentVolumeClaimList",
    "persistentvolumeclaims",
];

const SNAPSHOT: Names = ["VolumeSnapshot", "VolumeSnapshotList", "volumesnapshots"];
const SNAPSHOT_CLASS: Names = [
    "VolumeSnapshotClass",
    "VolumeSnapshotClassList",
    "volumesnapshotclasses",
];
const CONTENT: Names = [
    "VolumeSnapshotContent",
    "VolumeSnapshotContentList",
    "volumesnapshotcontents",
];

const GROUP_SNAPSHOT: Names = [
    "VolumeGroupSnapshot",
    "VolumeGroupSnapshotList",
    "volumegroupsnapshots",
];
const GROUP_SNAPSHOT_CLASS: Names = [
    "VolumeGroupSnapshotClass",
    "VolumeGroupSnapshotClassList",
    "volumegroupsnapshotclasses",
];
const GROUP_CONTENT: Names = [
    "VolumeGroupSnapshotContent",
    "VolumeGroupSnapshotContentList",
    "volumegroupsnapshotcontents",
];

const fn cluster(api_version: &'static str, names: Names) -> ResourceType {
    let [kind, list_kind, plural] = names;
    ResourceType {
        api_version,
        plural,
        kind,
        list_kind,
        namespaced: false,
        status: false,
        custom: false,
    }
}

const fn namespaced(api_version: &'static str, names: Names) -> ResourceType {
    ResourceType {
        namespaced: true,
        ..cluster(api_version, names)
    }
}

const fn namespaced_with_status(api_version: &'static str, names: Names) -> ResourceType {
    ResourceType {
        namespaced: true,
        ..with_status(api_version, names)
    }
}

const fn with_status(api_version: &'static str, names: Names) -> ResourceType {
    ResourceType {
        status: true,
        ..cluster(api_version, names)
    }
}

const fn custom(resource: ResourceType) -> ResourceType {
    ResourceType {
        custom: true,
        ..resource
    }
}

/// A kind that is served since 1.`introduced`.
const fn served(introduced: u16) -> Option<Lifecycle> {
    Some(Lifecycle {
        introduced: Release::new(1, introduced),
        deprecated: None,
        removed: None,
        replacement: None,
    })
}

/// A kind that is no longer served, because storage.k8s.io/v1 has another; all in releases 1.x.
const fn gone(
    introduced: u16,
    deprecated: Option<u16>,
    removed: u16,
    kind: &'static str,
) -> Option<Lifecycle> {
    Some(Lifecycle {
        introduced: Release::new(1, introduced),
        deprecated: match deprecated {
            Some(minor) => Some(Release::new(1, minor)),
            None => None,
        },
        removed: Some(Release::new(1, removed)),
        replacement: Some(Replacement {
            api_version: V1,
            kind,
        }),
    })
}

macro_rules! facts {
    ($($kind:ty => $resource:expr, $lifecycle:expr;)*) => {$(
        impl Facts for $kind {
            const RESOURCE: ResourceType = $resource;
            const LIFECYCLE: Option<Lifecycle> = $lifecycle;
        }
    )*};
}

facts! {
    core_v1::PersistentVolume => with_status(CORE_V1, VOLUME), served(0);
    core_v1::PersistentVolumeClaim => namespaced_with_status(CORE_V1, CLAIM), served(0);

    storage_v1::CSIDriver => cluster(V1, DRIVER), served(18);
    storage_v1::CSINode => with_status(V1, NODE), served(17);
    storage_v1::CSIStorageCapacity => namespaced(V1, CAPACITY), served(24);
    storage_v1::StorageClass => cluster(V1, CLASS), served(6);
    storage_v1::VolumeAttachment => with_status(V1, ATTACHMENT), served(13);
    storage_v1::VolumeAttributesClass => cluster(V1, ATTRIBUTES), served(34);

    storage_v1beta1::CSIDriver =>
        cluster(V1BETA1, DRIVER), gone(14, Some(19), 22, "CSIDriver");
    storage_v1beta1::CSINode =>
        cluster(V1BETA1, NODE), gone(14, Some(17), 22, "CSINode");
    storage_v1beta1::CSIStorageCapacity =>
        namespaced(V1BETA1, CAPACITY), gone(21, Some(24), 27, "CSIStorageCapacity");
    storage_v1beta1::StorageClass =>
        cluster(V1BETA1, CLASS), gone(4, Some(19), 22, "StorageClass");
    storage_v1beta1::VolumeAttachment =>
        cluster(V1BETA1, ATTACHMENT), gone(10, Some(19), 22, "VolumeAttachment");
    storage_v1beta1::VolumeAttributesClass =>
        cluster(V1BETA1, ATTRIBUTES), gone(31, Some(34), 37, "VolumeAttributesClass");

    storage_v1alpha1::CSIStorageCapacity =>
        namespaced(V1ALPHA1, CAPACITY), gone(19, Some(21), 24, "CSIStorageCapacity");
    storage_v1alpha1::VolumeAttachment =>
        cluster(V1ALPHA1, ATTACHMENT), gone(9, Some(21), 24, "VolumeAttachment");
    storage_v1alpha1::VolumeAttributesClass =>
        cluster(V1ALPHA1, ATTRIBUTES), gone(29, Some(32), 35, "VolumeAttributesClass");

    storage_v1alpha1::csi::CSIDriver =>
        cluster(CSI_V1ALPHA1, DRIVER), gone(12, None, 14, "CSIDriver");
    storage_v1alpha1::csi::CSINodeInfo =>
        cluster(CSI_V1ALPHA1, NODE_INFO), gone(12, None, 14, "CSINode");

    snapshot_v1::VolumeSnapshot =>
        custom(namespaced_with_status(SNAPSHOT_V1, SNAPSHOT)), None;
    snapshot_v1::VolumeSnapshotClass =>
        custom(cluster(SNAPSHOT_V1, SNAPSHOT_CLASS)), None;
    snapshot_v1::VolumeSnapshotContent =>
        custom(with_status(SNAPSHOT_V1, CONTENT)), None;

    groupsnapshot_v1::VolumeGroupSnapshot =>
        custom(namespaced_with_status(GROUP_SNAPSHOT_V1, GROUP_SNAPSHOT)), None;
    groupsnapshot_v1::VolumeGroupSnapshotClass =>
        custom(cluster(GROUP_SNAPSHOT_V1, GROUP_SNAPSHOT_CLASS)), None;
    groupsnapshot_v1::VolumeGroupSnapshotContent =>
        custom(with_status(GROUP_SNAPSHOT_V1, GROUP_CONTENT)), None;
}
