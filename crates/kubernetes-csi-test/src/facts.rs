//! Facts of a driver: the answers of the calls that describe it.

use kubernetes_csi::v1::controller_service_capability::{self, rpc::Type as ControllerRpc};
use kubernetes_csi::v1::node_service_capability::{self, rpc::Type as NodeRpc};
use kubernetes_csi::v1::plugin_capability::{self, service::Type as Service};
use kubernetes_csi::v1::*;

/// Facts of a driver. Of calls that fail, nothing is known; checks of them say so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) services: Vec<Service>,
    pub(crate) controller: Vec<ControllerRpc>,
    pub(crate) has_groups: bool,
    pub(crate) has_node: bool,
    pub(crate) node: Vec<NodeRpc>,
    pub(crate) node_id: Option<String>,
    pub(crate) max_volumes: i64,
    pub(crate) topology: Option<Topology>,
}

pub(crate) fn services(answer: &GetPluginCapabilitiesResponse) -> Vec<Service> {
    let all = answer.capabilities.iter();
    all.filter_map(|capability| match &capability.r#type {
        Some(plugin_capability::Type::Service(service)) => Some(service.r#type()),
        _ => None,
    })
    .collect()
}

pub(crate) fn controller(answer: &ControllerGetCapabilitiesResponse) -> Vec<ControllerRpc> {
    let all = answer.capabilities.iter();
    all.filter_map(|capability| {
        let kind = capability.r#type.as_ref();
        kind.map(|controller_service_capability::Type::Rpc(rpc)| rpc.r#type())
    })
    .collect()
}

pub(crate) fn node(answer: &NodeGetCapabilitiesResponse) -> Vec<NodeRpc> {
    let all = answer.capabilities.iter();
    all.filter_map(|capability| {
        let kind = capability.r#type.as_ref();
        kind.map(|node_service_capability::Type::Rpc(rpc)| rpc.r#type())
    })
    .collect()
}
