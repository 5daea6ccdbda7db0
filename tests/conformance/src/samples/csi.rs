//! One object of each kind of csi.storage.k8s.io/v1alpha1.

use storage_v1alpha1::csi::{
    CSIDriver, CSIDriverInfo, CSIDriverInfoSpec, CSIDriverInfoStatus, CSIDriverSpec, CSINodeInfo,
    CSINodeInfoSpec, CSINodeInfoStatus, VolumePluginMechanism,
};

use super::metadata;

const ZONE: &str = "topology.example.com/zone";

/// A driver with every field set.
pub fn csi_driver() -> CSIDriver {
    let spec = CSIDriverSpec::new()
        .with_attach_required(true)
        .with_pod_info_on_mount_version("v1");
    CSIDriver::new("", spec).with_metadata(metadata("csi.example.com"))
}

/// A node in both forms at once, so that every field is set; no kubelet wrote such an object,
/// and it can't be converted.
pub fn csi_node_info() -> CSINodeInfo {
    let old = csi_node_info_1_12();
    CSINodeInfo {
        csi_drivers: old.csi_drivers,
        ..csi_node_info_1_13()
    }
}

/// A node as Kubernetes 1.12 wrote it, with two drivers.
pub fn csi_node_info_1_12() -> CSINodeInfo {
    CSINodeInfo::new("")
        .with_metadata(metadata("node-1"))
        .with_csi_drivers([
            CSIDriverInfo::new("a.example.com", "id-a", [ZONE]),
            CSIDriverInfo::new("b.example.com", "id-b", [""; 0]),
        ])
}

/// A node as Kubernetes 1.13 wrote it, with two drivers of which the second is gone.
pub fn csi_node_info_1_13() -> CSINodeInfo {
    CSINodeInfo::new("")
        .with_metadata(metadata("node-1"))
        .with_spec(CSINodeInfoSpec::new([
            CSIDriverInfoSpec::new("a.example.com", "id-a", [ZONE]),
            CSIDriverInfoSpec::new("b.example.com", "id-b", [""; 0]),
        ]))
        .with_status(CSINodeInfoStatus::new([
            CSIDriverInfoStatus::new(true, "a.example.com", VolumePluginMechanism::Csi),
            CSIDriverInfoStatus::new(false, "b.example.com", VolumePluginMechanism::InTree),
        ]))
}

crate::kind::objects! {
    CSIDriver: crate::arbitrary::csi_v1alpha1::csi_driver, csi_driver;
    CSINodeInfo: crate::arbitrary::csi_v1alpha1::csi_node_info, csi_node_info;
}
