//! ControllerGetVolumeHealth and ControllerListVolumeHealth.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect, set};
use crate::context::Context;
use crate::fields::{Fields, base};
use crate::pages;

const GET: Need = Need::Controller(Rpc::GetVolumeHealth);
const LIST: Need = Need::Controller(Rpc::ListVolumeHealth);
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<ControllerGetVolumeHealthRequest>::of(
        "controller_get_volume_health",
        &[GET],
        base!(t => of(&t.unknown())),
    );
    let mut all = fields
        .id("volume_id", 128, |r| &mut r.volume_id)
        .secrets()
        .checks;
    all.extend(checks!("controller_get_volume_health", [GET]: health + VOLUMES, unknown_health));
    let fields = Fields::<ControllerListVolumeHealthRequest>::of(
        "controller_list_volume_health",
        &[LIST],
        base!(_t => ControllerListVolumeHealthRequest::default()),
    );
    all.extend(fields.secrets().checks);
    all.extend(checks!("controller_list_volume_health", [LIST]:
        listed_health, unknown_token, negative_max_entries));
    all
}

fn of(volume_id: &str) -> ControllerGetVolumeHealthRequest {
    ControllerGetVolumeHealthRequest {
        volume_id: volume_id.to_owned(),
        ..ControllerGetVolumeHealthRequest::default()
    }
}

/// Checks what is said of a volume.
pub(super) fn is_complete(health: &VolumeHealth) -> Checked {
    let has_all = |entry: &volume_health::VolumeHealthEntry| {
        entry.status() != VolumeHealthErrorType::UnknownVolumeHealthType && !entry.reason.is_empty()
    };
    expect(health.health_statuses.iter().all(has_all), || {
        format!("a problem lacks its status or reason: {health:?}")
    })
}

async fn health(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let answer = t.ok(of(&volume.volume_id)).await?;
    let health = set(answer.volume_health, "volume_health")?;
    expect(health.volume_id == volume.volume_id, || {
        format!("{health:?} is of another volume")
    })?;
    is_complete(&health)
}

async fn unknown_health(t: &Context) -> Checked {
    t.refused(of(&t.unknown()), &[Code::NotFound]).await
}

async fn listed_health(t: &Context) -> Checked {
    let answer = t.ok(ControllerListVolumeHealthRequest::default()).await?;
    answer.entries.iter().try_for_each(|entry| {
        expect(
            !entry.volume_id.is_empty() && !entry.health_statuses.is_empty(),
            || format!("an entry lacks its volume or problems: {entry:?}"),
        )?;
        is_complete(entry)
    })
}

async fn unknown_token(t: &Context) -> Checked {
    pages::unknown_token::<ControllerListVolumeHealthRequest>(t).await
}

async fn negative_max_entries(t: &Context) -> Checked {
    pages::negative_max_entries::<ControllerListVolumeHealthRequest>(t).await
}
