//! GetCapacity.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::plugin_capability::service::Type as Service;
use kubernetes_csi::v1::*;

use crate::check::{Check, Checked, Need, checks, expect};
use crate::context::Context;
use crate::fields::{Fields, base};

const CAPACITY: Need = Need::Controller(Rpc::GetCapacity);
const PLACES: Need = Need::Service(Service::VolumeAccessibilityConstraints);
const TOPOLOGY: Need = Need::Topology;

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<GetCapacityRequest>::of(
        "get_capacity",
        &[CAPACITY],
        base!(_t => GetCapacityRequest::default()),
    );
    let mut all = fields.map("parameters", |r| &mut r.parameters).checks;
    all.extend(checks!("get_capacity", [CAPACITY]:
        of_all, of_parameters, of_topology + PLACES + TOPOLOGY));
    all
}

async fn bounds(t: &Context, request: GetCapacityRequest) -> Checked {
    let answer = t.ok(request).await?;
    let (least, most) = (answer.minimum_volume_size, answer.maximum_volume_size);
    let is_ordered = least.unwrap_or(0) <= most.unwrap_or(i64::MAX);
    let is_positive = answer.available_capacity >= 0 && least.unwrap_or(0) >= 0;
    expect(is_ordered && is_positive, || {
        format!("sizes that nothing has: {answer:?}")
    })
}

async fn of_all(t: &Context) -> Checked {
    bounds(t, GetCapacityRequest::default()).await
}

async fn of_parameters(t: &Context) -> Checked {
    let request = GetCapacityRequest {
        volume_capabilities: vec![t.settings.capability.clone()],
        parameters: t.settings.parameters.clone(),
        ..GetCapacityRequest::default()
    };
    bounds(t, request).await
}

async fn of_topology(t: &Context) -> Checked {
    let request = GetCapacityRequest {
        accessible_topology: t.facts.topology.clone(),
        ..GetCapacityRequest::default()
    };
    bounds(t, request).await
}
