//! Identity.

use kubernetes_csi::v1::plugin_capability::{Type, service, volume_expansion};
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, checks, expect};
use crate::context::Context;
use crate::facts;

pub(super) fn checks() -> Vec<Check> {
    let mut all = checks!("get_plugin_info", []: name, version);
    all.extend(checks!("get_plugin_capabilities", []: known, each_once, dependent));
    all.extend(checks!("probe", []: answers));
    all
}

async fn name(t: &Context) -> Checked {
    let name = t.ok(GetPluginInfoRequest {}).await?.name;
    let is_end = |c: char| c.is_ascii_alphanumeric();
    let is_label = |label: &str| {
        label.starts_with(is_end)
            && label.ends_with(is_end)
            && label.chars().all(|c| is_end(c) || c == '-')
    };
    expect(name.len() <= 63 && name.split('.').all(is_label), || {
        format!("the name {name:?} is no domain name of at most 63 characters")
    })
}

async fn version(t: &Context) -> Checked {
    let info = t.ok(GetPluginInfoRequest {}).await?;
    expect(!info.vendor_version.is_empty(), || {
        format!("{info:?} has no `vendor_version`")
    })
}

async fn known(t: &Context) -> Checked {
    let answer = t.ok(GetPluginCapabilitiesRequest {}).await?;
    let is_known = |capability: &PluginCapability| match &capability.r#type {
        Some(Type::Service(one)) => one.r#type() != service::Type::Unknown,
        Some(Type::VolumeExpansion(one)) => one.r#type() != volume_expansion::Type::Unknown,
        None => false,
    };
    expect(answer.capabilities.iter().all(is_known), || {
        format!("a capability isn't of CSI 1.13: {answer:?}")
    })
}

async fn each_once(t: &Context) -> Checked {
    let answer = t.ok(GetPluginCapabilitiesRequest {}).await?;
    let all = &answer.capabilities;
    let is_again = |index: usize| all[..index].contains(&all[index]);
    expect(!(0..all.len()).any(is_again), || {
        format!("a capability is there twice: {answer:?}")
    })
}

/// Services that work on what another one makes.
async fn dependent(t: &Context) -> Checked {
    let answer = t.ok(GetPluginCapabilitiesRequest {}).await?;
    let services = facts::services(&answer);
    let needs = services.contains(&service::Type::GroupControllerService)
        || services.contains(&service::Type::SnapshotMetadataService);
    let has = services.contains(&service::Type::ControllerService);
    expect(has || !needs, || {
        format!("CONTROLLER_SERVICE is missing: {answer:?}")
    })
}

async fn answers(t: &Context) -> Checked {
    t.ok_or(ProbeRequest {}, &[Code::FailedPrecondition])
        .await
        .map(drop)
}
