//! Asks a driver what it can do.

use kubernetes_csi::v1::group_controller_service_capability as group;
use kubernetes_csi::v1::plugin_capability::service::Type as Service;
use kubernetes_csi::v1::*;

use crate::context::Context;
use crate::facts::{Facts, controller, node, services};

/// Asks the driver.
pub(crate) async fn facts(t: &Context) -> Facts {
    let mut facts = Facts::default();
    if let Ok(answer) = t.send(GetPluginCapabilitiesRequest {}).await {
        facts.services = services(&answer);
    }
    if facts.services.contains(&Service::ControllerService)
        && let Ok(answer) = t.send(ControllerGetCapabilitiesRequest {}).await
    {
        facts.controller = controller(&answer);
    }
    if facts.services.contains(&Service::GroupControllerService)
        && let Ok(answer) = t.send(GroupControllerGetCapabilitiesRequest {}).await
    {
        facts.has_groups = answer.capabilities.iter().any(|capability| {
            let wanted = group::rpc::Type::CreateDeleteGetVolumeGroupSnapshot;
            let Some(group::Type::Rpc(rpc)) = capability.r#type else {
                return false;
            };
            rpc.r#type() == wanted
        });
    }
    if let Ok(answer) = t.send(NodeGetCapabilitiesRequest {}).await {
        facts.has_node = true;
        facts.node = node(&answer);
    }
    if facts.has_node
        && let Ok(info) = t.send(NodeGetInfoRequest {}).await
    {
        facts.node_id = Some(info.node_id);
        facts.max_volumes = info.max_volumes_per_node;
        facts.topology = info.accessible_topology;
    }
    if t.settings.node_id.is_some() {
        facts.node_id.clone_from(&t.settings.node_id);
    }
    facts
}
