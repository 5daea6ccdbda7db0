//! Capabilities of the services, and the calls that follow from them.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::node_service_capability::rpc::Type as NodeRpc;
use kubernetes_csi::v1::plugin_capability::service::Type as Service;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::call::Call;
use crate::check::{Check, Checked, Need, Stop, checks, expect};
use crate::context::Context;
use crate::facts;

const CONTROLLER: Need = Need::Service(Service::ControllerService);
const GROUPS: Need = Need::Service(Service::GroupControllerService);

pub(super) fn checks() -> Vec<Check> {
    let mut all = checks!("controller_get_capabilities", [CONTROLLER]:
        known, each_once, dependent, announced_calls_are_there, other_calls_are_unimplemented);
    all.extend(checks!("group_controller_get_capabilities", [GROUPS]: known_groups));
    all.extend(checks!("group_controller", []: calls_follow_from_capabilities));
    all.extend(checks!("node_get_capabilities", [Need::Node]:
        known_of_node, node_each_once, announced_node_calls_are_there,
        other_node_calls_are_unimplemented));
    all.extend(checks!("node_get_info", [Need::Node]: node_info));
    all
}

async fn known(t: &Context) -> Checked {
    let answer = t.ok(ControllerGetCapabilitiesRequest {}).await?;
    let types = facts::controller(&answer);
    let are_known = types.len() == answer.capabilities.len() && !types.contains(&Rpc::Unknown);
    expect(are_known, || {
        format!("a capability isn't of CSI 1.13: {answer:?}")
    })
}

async fn each_once(t: &Context) -> Checked {
    let answer = t.ok(ControllerGetCapabilitiesRequest {}).await?;
    once(&facts::controller(&answer))
}

fn once<T: PartialEq + std::fmt::Debug>(all: &[T]) -> Checked {
    let is_again = |index: usize| all[..index].contains(&all[index]);
    expect(!(0..all.len()).any(is_again), || {
        format!("a capability is there twice: {all:?}")
    })
}

/// Capabilities that are nothing without another one.
async fn dependent(t: &Context) -> Checked {
    let answer = t.ok(ControllerGetCapabilitiesRequest {}).await?;
    let all = facts::controller(&answer);
    let needs = [
        (Rpc::ListVolumeHealth, Rpc::GetVolumeHealth),
        (Rpc::PublishReadonly, Rpc::PublishUnpublishVolume),
        (Rpc::ListVolumesPublishedNodes, Rpc::ListVolumes),
        (Rpc::CloneVolume, Rpc::CreateDeleteVolume),
    ];
    for (one, needed) in needs {
        expect(!all.contains(&one) || all.contains(&needed), || {
            format!("{one:?} is there without {needed:?}: {all:?}")
        })?;
    }
    Ok(())
}

/// Sends an empty request, and checks whether the call is there.
async fn call<R: Call + Default>(t: &Context, is_there: bool) -> Checked {
    let answered = t.send(R::default()).await;
    let is_unimplemented = answered.is_err_and(|status| status.code() == Code::Unimplemented);
    match (is_there, is_unimplemented) {
        (true, true) => Err(Stop::Failed(format!(
            "{} is UNIMPLEMENTED, although the driver has its capability",
            R::NAME
        ))),
        (false, false) => Err(Stop::Failed(format!(
            "{} isn't UNIMPLEMENTED, although the driver lacks its capability",
            R::NAME
        ))),
        _ => Ok(()),
    }
}

/// Checks each call whose capability is there, or each one whose capability isn't.
macro_rules! calls {
    ($t:ident, $announced:expr, $are_there:expr; $($rpc:path: $($request:ident),+;)*) => {
        $(if $announced.contains(&$rpc) == $are_there {
            $(call::<$request>($t, $are_there).await?;)+
        })*
    };
}

async fn controller_calls(t: &Context, are_there: bool) -> Checked {
    let announced = &t.facts.controller;
    calls! { t, announced, are_there;
        Rpc::CreateDeleteVolume: CreateVolumeRequest, DeleteVolumeRequest;
        Rpc::PublishUnpublishVolume:
            ControllerPublishVolumeRequest, ControllerUnpublishVolumeRequest;
        Rpc::ListVolumes: ListVolumesRequest;
        Rpc::GetCapacity: GetCapacityRequest;
        Rpc::CreateDeleteSnapshot: CreateSnapshotRequest, DeleteSnapshotRequest;
        Rpc::ListSnapshots: ListSnapshotsRequest;
        Rpc::ExpandVolume: ControllerExpandVolumeRequest;
        Rpc::GetVolume: ControllerGetVolumeRequest;
        Rpc::ModifyVolume: ControllerModifyVolumeRequest;
        Rpc::GetSnapshot: GetSnapshotRequest;
        Rpc::GetVolumeHealth: ControllerGetVolumeHealthRequest;
        Rpc::ListVolumeHealth: ControllerListVolumeHealthRequest;
    }
    Ok(())
}

async fn announced_calls_are_there(t: &Context) -> Checked {
    controller_calls(t, true).await?;
    call::<ValidateVolumeCapabilitiesRequest>(t, true).await
}

async fn other_calls_are_unimplemented(t: &Context) -> Checked {
    controller_calls(t, false).await
}

async fn known_groups(t: &Context) -> Checked {
    let answer = t.ok(GroupControllerGetCapabilitiesRequest {}).await?;
    let is_known = |capability: &GroupControllerServiceCapability| {
        use group_controller_service_capability::{Type, rpc};
        let Some(Type::Rpc(one)) = capability.r#type else {
            return false;
        };
        one.r#type() != rpc::Type::Unknown
    };
    expect(answer.capabilities.iter().all(is_known), || {
        format!("a capability isn't of CSI 1.13: {answer:?}")
    })
}

async fn calls_follow_from_capabilities(t: &Context) -> Checked {
    let has = t.facts.has_groups;
    call::<CreateVolumeGroupSnapshotRequest>(t, has).await?;
    call::<DeleteVolumeGroupSnapshotRequest>(t, has).await?;
    call::<GetVolumeGroupSnapshotRequest>(t, has).await?;
    let has = t.facts.services.contains(&Service::SnapshotMetadataService);
    call::<GetMetadataAllocatedRequest>(t, has).await?;
    call::<GetMetadataDeltaRequest>(t, has).await
}

async fn known_of_node(t: &Context) -> Checked {
    let answer = t.ok(NodeGetCapabilitiesRequest {}).await?;
    let types = facts::node(&answer);
    let are_known = types.len() == answer.capabilities.len() && !types.contains(&NodeRpc::Unknown);
    expect(are_known, || {
        format!("a capability isn't of CSI 1.13: {answer:?}")
    })
}

async fn node_each_once(t: &Context) -> Checked {
    let answer = t.ok(NodeGetCapabilitiesRequest {}).await?;
    once(&facts::node(&answer))
}

async fn node_calls(t: &Context, are_there: bool) -> Checked {
    let announced = &t.facts.node;
    calls! { t, announced, are_there;
        NodeRpc::StageUnstageVolume: NodeStageVolumeRequest, NodeUnstageVolumeRequest;
        NodeRpc::GetVolumeStats: NodeGetVolumeStatsRequest;
        NodeRpc::ExpandVolume: NodeExpandVolumeRequest;
        NodeRpc::GetVolumeHealth: NodeGetVolumeHealthRequest;
        NodeRpc::GetStorageHealth: NodeGetStorageHealthRequest;
    }
    Ok(())
}

async fn announced_node_calls_are_there(t: &Context) -> Checked {
    node_calls(t, true).await?;
    call::<NodePublishVolumeRequest>(t, true).await?;
    call::<NodeUnpublishVolumeRequest>(t, true).await
}

async fn other_node_calls_are_unimplemented(t: &Context) -> Checked {
    node_calls(t, false).await
}

async fn node_info(t: &Context) -> Checked {
    let info = t.ok(NodeGetInfoRequest {}).await?;
    expect(
        !info.node_id.is_empty() && info.node_id.len() <= 256,
        || format!("`node_id` has to have 1 to 256 bytes: {info:?}"),
    )?;
    expect(info.max_volumes_per_node >= 0, || {
        format!("a limit below zero: {info:?}")
    })?;
    let constraints = Service::VolumeAccessibilityConstraints;
    let has = t.facts.services.contains(&constraints);
    expect(has || info.accessible_topology.is_none(), || {
        format!("a topology without VOLUME_ACCESSIBILITY_CONSTRAINTS: {info:?}")
    })
}
