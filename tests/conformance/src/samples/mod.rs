//! One object of each kind of storage.k8s.io/v1 with every field set, and in [`csi`] those of
//! csi.storage.k8s.io. Those of older versions of storage.k8s.io are the same but for their
//! `apiVersion`.

pub mod csi;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    CSIPersistentVolumeSource, PersistentVolumeSpec, TopologySelectorLabelRequirement,
    TopologySelectorTerm,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use storage_v1::{
    CSIDriver, CSIDriverSpec, CSINode, CSINodeDriver, CSINodeSpec, CSINodeStatus,
    CSIStorageCapacity, FSGroupPolicy, PersistentVolumeReclaimPolicy, StorageClass, StorageHealth,
    StorageHealthCondition, StorageHealthStatusType, TokenRequest, VolumeAttachment,
    VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeAttributesClass,
    VolumeBindingMode, VolumeError, VolumeLifecycleMode, VolumeNodeResources,
};

use crate::arbitrary::storage_v1 as arbitrary;

fn metadata(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some(pairs("app", "storage")),
        ..ObjectMeta::default()
    }
}

fn pairs(key: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(key.to_owned(), value.to_owned())])
}

fn time() -> Time {
    Time(Timestamp::UNIX_EPOCH)
}

/// A driver.
pub fn csi_driver() -> CSIDriver {
    let spec = CSIDriverSpec::new()
        .with_attach_required(true)
        .with_fs_group_policy(FSGroupPolicy::File)
        .with_node_allocatable_update_period_seconds(60)
        .with_pod_info_on_mount(true)
        .with_prevent_pod_scheduling_if_missing(true)
        .with_requires_republish(true)
        .with_se_linux_mount(true)
        .with_service_account_token_in_secrets(true)
        .with_storage_capacity(true)
        .with_token_requests([TokenRequest::new("vault").with_expiration_seconds(3600_i64)])
        .with_volume_lifecycle_modes([
            VolumeLifecycleMode::Persistent,
            VolumeLifecycleMode::Ephemeral,
        ]);
    CSIDriver::new("", spec).with_metadata(metadata("csi.example.com"))
}

/// A node with one driver in trouble.
pub fn csi_node() -> CSINode {
    let driver = CSINodeDriver::new("csi.example.com", "i-0abc")
        .with_allocatable(VolumeNodeResources::new().with_count(25))
        .with_topology_keys(["topology.example.com/zone"]);
    let condition =
        StorageHealthCondition::new("Timeout", StorageHealthStatusType::StorageUnreachable)
            .with_access_mode("ReadWriteOnce")
            .with_last_transition_time(time())
            .with_message("no answer")
            .with_volume_mode("Filesystem");
    let health = StorageHealth::new("csi.example.com").with_health_conditions([condition]);
    CSINode::new("", CSINodeSpec::new([driver]))
        .with_metadata(metadata("node-1"))
        .with_status(CSINodeStatus::new().with_storage_health([health]))
}

/// A capacity.
pub fn csi_storage_capacity() -> CSIStorageCapacity {
    let topology = LabelSelector {
        match_labels: Some(pairs("topology.kubernetes.io/zone", "a")),
        ..LabelSelector::default()
    };
    let metadata = ObjectMeta {
        namespace: Some("storage".to_owned()),
        ..metadata("csisc-1")
    };
    CSIStorageCapacity::new("", "fast")
        .with_metadata(metadata)
        .with_capacity(Quantity("10Gi".to_owned()))
        .with_maximum_volume_size(Quantity("1Gi".to_owned()))
        .with_node_topology(topology)
}

/// A storage class.
pub fn storage_class() -> StorageClass {
    let term = TopologySelectorTerm {
        match_label_expressions: Some(vec![TopologySelectorLabelRequirement {
            key: "topology.kubernetes.io/zone".to_owned(),
            values: vec!["a".to_owned()],
        }]),
    };
    StorageClass::new("", "csi.example.com")
        .with_metadata(metadata("fast"))
        .with_allow_volume_expansion(true)
        .with_allowed_topologies([term])
        .with_mount_options(["noatime"])
        .with_parameters([("type", "ssd")])
        .with_reclaim_policy(PersistentVolumeReclaimPolicy::Retain)
        .with_volume_binding_mode(VolumeBindingMode::WaitForFirstConsumer)
}

/// An attachment with both kinds of source and both errors, as no server would have it.
pub fn volume_attachment() -> VolumeAttachment {
    let volume = PersistentVolumeSpec {
        access_modes: Some(vec!["ReadWriteOnce".to_owned()]),
        csi: Some(CSIPersistentVolumeSource {
            driver: "csi.example.com".to_owned(),
            volume_handle: "vol-1".to_owned(),
            ..CSIPersistentVolumeSource::default()
        }),
        ..PersistentVolumeSpec::default()
    };
    let source = VolumeAttachmentSource::new()
        .with_inline_volume_spec(volume)
        .with_persistent_volume_name("pv-1");
    let error = VolumeError::new()
        .with_error_code(8)
        .with_message("full")
        .with_time(time());
    let status = VolumeAttachmentStatus::new(true)
        .with_attach_error(error.clone())
        .with_attachment_metadata([("devicePath", "/dev/xvdb")])
        .with_detach_error(error);
    VolumeAttachment::new(
        "",
        VolumeAttachmentSpec::new("csi.example.com", "node-1", source),
    )
    .with_metadata(metadata("csi-1"))
    .with_status(status)
}

/// An attributes class.
pub fn volume_attributes_class() -> VolumeAttributesClass {
    VolumeAttributesClass::new("", "csi.example.com")
        .with_metadata(metadata("gold"))
        .with_parameters([("iops", "5000")])
}

crate::kind::objects! {
    CSIDriver: arbitrary::csi_driver, csi_driver;
    CSINode: arbitrary::csi_node, csi_node;
    CSIStorageCapacity: arbitrary::csi_storage_capacity, csi_storage_capacity;
    StorageClass: arbitrary::storage_class, storage_class;
    VolumeAttachment: arbitrary::volume_attachment, volume_attachment;
    VolumeAttributesClass: arbitrary::volume_attributes_class, volume_attributes_class;
}
