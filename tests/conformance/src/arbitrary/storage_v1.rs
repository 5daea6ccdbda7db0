//! Random objects of storage.k8s.io/v1.

use k8s_openapi::api::core::v1::{TopologySelectorLabelRequirement, TopologySelectorTerm};
use proptest::option::of;
use proptest::prelude::*;
use storage_v1::{
    CSIDriver, CSIDriverSpec, CSINode, CSINodeDriver, CSINodeSpec, CSINodeStatus,
    CSIStorageCapacity, FSGroupPolicy, PersistentVolumeReclaimPolicy, StorageClass, StorageHealth,
    StorageHealthCondition, StorageHealthStatusType, TokenRequest, VolumeAttachment,
    VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeAttributesClass,
    VolumeBindingMode, VolumeError, VolumeLifecycleMode, VolumeNodeResources,
};

use super::volume::persistent_volume_spec;
use super::{
    int32, int64, label_selector, list, map, object_meta, open_enum, quantity, text, time,
};

/// Random drivers.
pub fn csi_driver() -> BoxedStrategy<CSIDriver> {
    let flag = || of(any::<bool>());
    let flags = (flag(), flag(), flag(), flag(), flag(), flag(), flag());
    let token = (text(), of(int64())).prop_map(|(audience, expiration_seconds)| TokenRequest {
        audience,
        expiration_seconds,
    });
    let rest = (
        of(open_enum(FSGroupPolicy::known_values())),
        of(int64()),
        of(list(token)),
        of(list(open_enum(VolumeLifecycleMode::known_values()))),
    );
    (object_meta(), flags, rest)
        .prop_map(|(metadata, flags, rest)| {
            let (attach, pod_info, prevent, republish, se_linux, secrets, capacity) = flags;
            let (fs_group_policy, period, token_requests, volume_lifecycle_modes) = rest;
            let spec = CSIDriverSpec {
                attach_required: attach,
                fs_group_policy,
                node_allocatable_update_period_seconds: period,
                pod_info_on_mount: pod_info,
                prevent_pod_scheduling_if_missing: prevent,
                requires_republish: republish,
                se_linux_mount: se_linux,
                service_account_token_in_secrets: secrets,
                storage_capacity: capacity,
                token_requests,
                volume_lifecycle_modes,
            };
            CSIDriver { metadata, spec }
        })
        .boxed()
}

/// Random nodes.
pub fn csi_node() -> BoxedStrategy<CSINode> {
    let resources = of(int32()).prop_map(|count| VolumeNodeResources { count });
    let driver = (text(), text(), of(resources), of(list(text()))).prop_map(
        |(name, node_id, allocatable, topology_keys)| CSINodeDriver {
            name,
            node_id,
            allocatable,
            topology_keys,
        },
    );
    (object_meta(), list(driver), of(csi_node_status()))
        .prop_map(|(metadata, drivers, status)| CSINode {
            metadata,
            spec: CSINodeSpec { drivers },
            status,
        })
        .boxed()
}

fn csi_node_status() -> impl Strategy<Value = CSINodeStatus> {
    let condition = (
        text(),
        open_enum(StorageHealthStatusType::known_values()),
        of(text()),
        of(time()),
        of(text()),
        of(text()),
    )
        .prop_map(
            |(reason, status, access_mode, last_transition_time, message, volume_mode)| {
                StorageHealthCondition {
                    reason,
                    status,
                    access_mode,
                    last_transition_time,
                    message,
                    volume_mode,
                }
            },
        );
    let health =
        (text(), of(list(condition))).prop_map(|(name, health_conditions)| StorageHealth {
            name,
            health_conditions,
        });
    of(list(health)).prop_map(|storage_health| CSINodeStatus { storage_health })
}

/// Random capacities.
pub fn csi_storage_capacity() -> BoxedStrategy<CSIStorageCapacity> {
    (
        object_meta(),
        text(),
        of(quantity()),
        of(quantity()),
        of(label_selector()),
    )
        .prop_map(
            |(metadata, storage_class_name, capacity, maximum_volume_size, topology)| {
                CSIStorageCapacity {
                    metadata,
                    storage_class_name,
                    capacity,
                    maximum_volume_size,
                    node_topology: topology,
                }
            },
        )
        .boxed()
}

/// Random storage classes.
pub fn storage_class() -> BoxedStrategy<StorageClass> {
    let requirement = (text(), list(text()))
        .prop_map(|(key, values)| TopologySelectorLabelRequirement { key, values });
    let term = of(list(requirement)).prop_map(|match_label_expressions| TopologySelectorTerm {
        match_label_expressions,
    });
    let enums = (
        of(open_enum(PersistentVolumeReclaimPolicy::known_values())),
        of(open_enum(VolumeBindingMode::known_values())),
    );
    let lists = (of(list(term)), of(list(text())), of(map()));
    (object_meta(), text(), of(any::<bool>()), lists, enums)
        .prop_map(
            |(metadata, provisioner, allow_volume_expansion, lists, enums)| {
                let (allowed_topologies, mount_options, parameters) = lists;
                let (reclaim_policy, volume_binding_mode) = enums;
                StorageClass {
                    metadata,
                    provisioner,
                    allow_volume_expansion,
                    allowed_topologies,
                    mount_options,
                    parameters,
                    reclaim_policy,
                    volume_binding_mode,
                }
            },
        )
        .boxed()
}

/// Random attachments.
pub fn volume_attachment() -> BoxedStrategy<VolumeAttachment> {
    let error = || {
        (of(int32()), of(text()), of(time())).prop_map(|(error_code, message, time)| VolumeError {
            error_code,
            message,
            time,
        })
    };
    let status = (any::<bool>(), of(error()), of(map()), of(error())).prop_map(
        |(attached, attach_error, attachment_metadata, detach_error)| VolumeAttachmentStatus {
            attached,
            attach_error,
            attachment_metadata,
            detach_error,
        },
    );
    let source = (of(persistent_volume_spec().prop_map(Box::new)), of(text())).prop_map(
        |(inline_volume_spec, persistent_volume_name)| VolumeAttachmentSource {
            inline_volume_spec,
            persistent_volume_name,
        },
    );
    let spec =
        (text(), text(), source).prop_map(|(attacher, node_name, source)| VolumeAttachmentSpec {
            attacher,
            node_name,
            source,
        });
    (object_meta(), spec, of(status))
        .prop_map(|(metadata, spec, status)| VolumeAttachment {
            metadata,
            spec,
            status,
        })
        .boxed()
}

/// Random attributes classes.
pub fn volume_attributes_class() -> BoxedStrategy<VolumeAttributesClass> {
    (object_meta(), text(), of(map()))
        .prop_map(
            |(metadata, driver_name, parameters)| VolumeAttributesClass {
                metadata,
                driver_name,
                parameters,
            },
        )
        .boxed()
}
