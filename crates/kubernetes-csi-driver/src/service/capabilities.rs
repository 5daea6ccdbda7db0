//! The capabilities that follow from the parts of a driver.

use kubernetes_csi::v1::plugin_capability::{
    Service, Type, VolumeExpansion, service, volume_expansion,
};
use kubernetes_csi::v1::{
    ControllerServiceCapability, NodeServiceCapability, PluginCapability,
    controller_service_capability as controller, node_service_capability as node,
};

use crate::driver::{Driver, Growth};

/// Returns the capabilities of the driver as a whole.
pub(super) fn plugin_capabilities(driver: &Driver) -> Vec<PluginCapability> {
    let services = [
        (
            driver.controller.is_some(),
            service::Type::ControllerService,
        ),
        (
            driver.has_topology,
            service::Type::VolumeAccessibilityConstraints,
        ),
        (
            driver.group_snapshots.is_some(),
            service::Type::GroupControllerService,
        ),
        (
            driver.has_snapshot_topology,
            service::Type::SnapshotAccessibilityConstraints,
        ),
        (
            driver.metadata.is_some(),
            service::Type::SnapshotMetadataService,
        ),
    ];
    let services = services.into_iter().filter(|(has, _)| *has);
    let services = services.map(|(_, service)| {
        Type::Service(Service {
            r#type: service.into(),
        })
    });
    let growth = driver.growth.map(|growth| {
        let growth = match growth {
            Growth::Online => volume_expansion::Type::Online,
            Growth::Offline => volume_expansion::Type::Offline,
        };
        Type::VolumeExpansion(VolumeExpansion {
            r#type: growth.into(),
        })
    });
    let all = services.chain(growth);
    all.map(|capability| PluginCapability {
        r#type: Some(capability),
    })
    .collect()
}

/// Returns the capabilities of the controller part.
pub(super) fn controller_capabilities(driver: &Driver) -> Vec<ControllerServiceCapability> {
    let clones = driver
        .volumes
        .as_ref()
        .is_some_and(|volumes| volumes.can_clone());
    let lists_nodes = driver
        .list_volumes
        .as_ref()
        .is_some_and(|list| list.lists_nodes());
    let attaches_read_only = driver
        .attachments
        .as_ref()
        .is_some_and(|attachments| attachments.can_attach_read_only());
    let all = [
        (
            driver.volumes.is_some(),
            controller::rpc::Type::CreateDeleteVolume,
        ),
        (
            driver.attachments.is_some(),
            controller::rpc::Type::PublishUnpublishVolume,
        ),
        (
            driver.list_volumes.is_some(),
            controller::rpc::Type::ListVolumes,
        ),
        (
            driver.capacity.is_some(),
            controller::rpc::Type::GetCapacity,
        ),
        (
            driver.snapshots.is_some(),
            controller::rpc::Type::CreateDeleteSnapshot,
        ),
        (
            driver.list_snapshots.is_some(),
            controller::rpc::Type::ListSnapshots,
        ),
        (clones, controller::rpc::Type::CloneVolume),
        (attaches_read_only, controller::rpc::Type::PublishReadonly),
        (
            driver.expansion.is_some(),
            controller::rpc::Type::ExpandVolume,
        ),
        (
            lists_nodes,
            controller::rpc::Type::ListVolumesPublishedNodes,
        ),
        (
            driver.get_volume.is_some(),
            controller::rpc::Type::GetVolume,
        ),
        (
            driver.has_modes_of_one_node(),
            controller::rpc::Type::SingleNodeMultiWriter,
        ),
        (
            driver.modification.is_some(),
            controller::rpc::Type::ModifyVolume,
        ),
        (
            driver.get_snapshot.is_some(),
            controller::rpc::Type::GetSnapshot,
        ),
        (
            driver.volume_health.is_some(),
            controller::rpc::Type::GetVolumeHealth,
        ),
        (
            driver.list_volume_health.is_some(),
            controller::rpc::Type::ListVolumeHealth,
        ),
    ];
    let all = all.into_iter().filter(|(has, _)| *has);
    all.map(|(_, rpc)| ControllerServiceCapability {
        r#type: Some(controller::Type::Rpc(controller::Rpc {
            r#type: rpc.into(),
        })),
    })
    .collect()
}

/// Returns the capabilities of the node part.
pub(super) fn node_capabilities(driver: &Driver) -> Vec<NodeServiceCapability> {
    let all = [
        (
            driver.staging.is_some(),
            node::rpc::Type::StageUnstageVolume,
        ),
        (driver.stats.is_some(), node::rpc::Type::GetVolumeStats),
        (
            driver.node_expansion.is_some(),
            node::rpc::Type::ExpandVolume,
        ),
        (
            driver.has_modes_of_one_node(),
            node::rpc::Type::SingleNodeMultiWriter,
        ),
        (driver.has_mount_group, node::rpc::Type::VolumeMountGroup),
        (
            driver.node_volume_health.is_some(),
            node::rpc::Type::GetVolumeHealth,
        ),
        (
            driver.storage_health.is_some(),
            node::rpc::Type::GetStorageHealth,
        ),
    ];
    let all = all.into_iter().filter(|(has, _)| *has);
    all.map(|(_, rpc)| NodeServiceCapability {
        r#type: Some(node::Type::Rpc(node::Rpc { r#type: rpc.into() })),
    })
    .collect()
}
