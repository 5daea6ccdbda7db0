//! DeleteVolume, ValidateVolumeCapabilities, ListVolumes and ControllerGetVolume.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::plugin_capability::service::Type as Service;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect, set};
use crate::context::{Context, delete};
use crate::fields::{Fields, base};
use crate::pages;

const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const LIST: Need = Need::Controller(Rpc::ListVolumes);
const GET: Need = Need::Controller(Rpc::GetVolume);
const SNAPSHOTS: Need = Need::Controller(Rpc::CreateDeleteSnapshot);
const CONTROLLER: Need = Need::Service(Service::ControllerService);

pub(super) fn checks() -> Vec<Check> {
    let mut all = Fields::<DeleteVolumeRequest>::of(
        "delete_volume",
        &[VOLUMES],
        base!(t => delete(&t.volume().await?.volume_id)),
    )
    .removes()
    .id("volume_id", 128, |r| &mut r.volume_id)
    .secrets()
    .checks;
    all.extend(checks!("delete_volume", [VOLUMES]:
        deleted, unknown_deleted, deleted_twice, deleted_with_snapshot + SNAPSHOTS));
    let fields = Fields::<ValidateVolumeCapabilitiesRequest>::of(
        "validate_volume_capabilities",
        &[CONTROLLER, VOLUMES],
        base!(t => validate(t, &t.shared().await?.volume_id)),
    );
    all.extend(
        fields
            .id("volume_id", 128, |r| &mut r.volume_id)
            .required("volume_capabilities", |r| r.volume_capabilities.clear())
            .map("volume_context", |r| &mut r.volume_context)
            .map("parameters", |r| &mut r.parameters)
            .map("mutable_parameters", |r| &mut r.mutable_parameters)
            .secrets()
            .checks,
    );
    all.extend(checks!("validate_volume_capabilities", [CONTROLLER]:
        unknown_validated, confirmed + VOLUMES));
    all.extend(checks!("list_volumes", [LIST]:
        listed, listed_new + VOLUMES, listed_in_pages + VOLUMES, unknown_token, negative_max_entries));
    let fields = Fields::<ControllerGetVolumeRequest>::of(
        "controller_get_volume",
        &[GET],
        base!(t => get(&t.unknown())),
    );
    all.extend(fields.id("volume_id", 128, |r| &mut r.volume_id).checks);
    all.extend(checks!("controller_get_volume", [GET]: got + VOLUMES, unknown_got));
    all
}

fn validate(t: &Context, volume_id: &str) -> ValidateVolumeCapabilitiesRequest {
    ValidateVolumeCapabilitiesRequest {
        volume_id: volume_id.to_owned(),
        volume_capabilities: vec![t.settings.capability.clone()],
        ..ValidateVolumeCapabilitiesRequest::default()
    }
}

fn get(volume_id: &str) -> ControllerGetVolumeRequest {
    ControllerGetVolumeRequest {
        volume_id: volume_id.to_owned(),
    }
}

/// A volume that is deleted isn't there, for any call.
async fn deleted(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.ok(delete(&volume.volume_id)).await?;
    t.refused(validate(t, &volume.volume_id), &[Code::NotFound])
        .await
}

async fn unknown_deleted(t: &Context) -> Checked {
    t.ok(delete(&t.unknown())).await.map(drop)
}

async fn deleted_twice(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.ok(delete(&volume.volume_id)).await?;
    t.ok(delete(&volume.volume_id)).await.map(drop)
}

/// Snapshots stay, or the volume does.
async fn deleted_with_snapshot(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.snapshot(&volume.volume_id).await?;
    let deleted = t
        .ok_or(delete(&volume.volume_id), &[Code::FailedPrecondition])
        .await?;
    match deleted {
        Some(_) => {
            t.refused(validate(t, &volume.volume_id), &[Code::NotFound])
                .await
        }
        None => t.ok(validate(t, &volume.volume_id)).await.map(drop),
    }
}

async fn unknown_validated(t: &Context) -> Checked {
    t.refused(validate(t, &t.unknown()), &[Code::NotFound])
        .await
}

async fn confirmed(t: &Context) -> Checked {
    let volume = t.shared().await?;
    let request = ValidateVolumeCapabilitiesRequest {
        volume_context: volume.volume_context.clone(),
        parameters: t.settings.parameters.clone(),
        ..validate(t, &volume.volume_id)
    };
    let answer = t.ok(request.clone()).await?;
    let has_all = answer
        .confirmed
        .as_ref()
        .is_some_and(|confirmed| confirmed.volume_capabilities == request.volume_capabilities);
    expect(has_all, || {
        format!("what the volume was made for isn't confirmed: {answer:?}")
    })
}

async fn listed(t: &Context) -> Checked {
    let ids = pages::all(t, &ListVolumesRequest::default(), 0).await?;
    expect(ids.iter().all(|id| !id.is_empty()), || {
        format!("an id is empty: {ids:?}")
    })
}

async fn listed_new(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let list = ListVolumesRequest::default();
    let ids = pages::all(t, &list, 0).await?;
    expect(ids.contains(&volume.volume_id), || {
        format!("{volume:?} isn't listed: {ids:?}")
    })?;
    t.ok(delete(&volume.volume_id)).await?;
    let ids = pages::all(t, &list, 0).await?;
    expect(!ids.contains(&volume.volume_id), || {
        format!("{volume:?} is deleted, and listed: {ids:?}")
    })
}

async fn listed_in_pages(t: &Context) -> Checked {
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(t.volume().await?.volume_id);
    }
    pages::have_each_once(t, &ListVolumesRequest::default(), &ids).await
}

async fn unknown_token(t: &Context) -> Checked {
    pages::unknown_token::<ListVolumesRequest>(t).await
}

async fn negative_max_entries(t: &Context) -> Checked {
    pages::negative_max_entries::<ListVolumesRequest>(t).await
}

async fn got(t: &Context) -> Checked {
    let made = t.volume().await?;
    let volume = set(t.ok(get(&made.volume_id)).await?.volume, "volume")?;
    let is_it = volume.volume_id == made.volume_id && volume.capacity_bytes == made.capacity_bytes;
    expect(is_it, || {
        format!("{volume:?} isn't what was made: {made:?}")
    })?;
    t.ok(delete(&made.volume_id)).await?;
    t.refused(get(&made.volume_id), &[Code::NotFound]).await
}

async fn unknown_got(t: &Context) -> Checked {
    t.refused(get(&t.unknown()), &[Code::NotFound]).await
}
