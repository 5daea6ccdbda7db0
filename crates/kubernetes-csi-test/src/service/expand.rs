//! ControllerExpandVolume.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect, set};
use crate::context::{Context, at_least};
use crate::fields::{Fields, base};

const EXPAND: Need = Need::Controller(Rpc::ExpandVolume);
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const GET: Need = Need::Controller(Rpc::GetVolume);

pub(super) fn checks() -> Vec<Check> {
    let fields = Fields::<ControllerExpandVolumeRequest>::of(
        "controller_expand_volume",
        &[EXPAND, VOLUMES],
        base!(t => larger(t, &t.volume().await?.volume_id)),
    );
    let mut all = fields
        .id("volume_id", 128, |r| &mut r.volume_id)
        .required("capacity_range", |r| r.capacity_range = None)
        .size(|r| &mut r.capacity_range)
        .capability(|r| r.volume_capability.as_mut())
        .secrets()
        .checks;
    all.extend(checks!("controller_expand_volume", [EXPAND, VOLUMES]:
        grown, grown_twice, large_enough, huge_size, of_unknown_volume, known_size + GET));
    all
}

fn larger(t: &Context, volume_id: &str) -> ControllerExpandVolumeRequest {
    ControllerExpandVolumeRequest {
        volume_id: volume_id.to_owned(),
        capacity_range: Some(at_least(t.settings.expanded_size)),
        volume_capability: Some(t.settings.capability.clone()),
        ..ControllerExpandVolumeRequest::default()
    }
}

fn is_large_enough(answer: &ControllerExpandVolumeResponse, required: i64) -> Checked {
    expect(answer.capacity_bytes >= required, || {
        format!("required were {required} bytes: {answer:?}")
    })
}

async fn grown(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let answer = t.ok(larger(t, &volume.volume_id)).await?;
    is_large_enough(&answer, t.settings.expanded_size)
}

async fn grown_twice(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let first = t.ok(larger(t, &volume.volume_id)).await?;
    let again = t.ok(larger(t, &volume.volume_id)).await?;
    expect(first.capacity_bytes == again.capacity_bytes, || {
        format!("a repeated call returns another size: {first:?}, then {again:?}")
    })
}

/// A volume that has the size already stays as it is.
async fn large_enough(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = ControllerExpandVolumeRequest {
        capacity_range: Some(at_least(t.settings.volume_size)),
        ..larger(t, &volume.volume_id)
    };
    is_large_enough(&t.ok(request).await?, t.settings.volume_size)
}

async fn huge_size(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let request = ControllerExpandVolumeRequest {
        capacity_range: Some(at_least(i64::MAX)),
        ..larger(t, &volume.volume_id)
    };
    let codes = [Code::OutOfRange, Code::ResourceExhausted];
    match t.ok_or(request, &codes).await? {
        Some(answer) => is_large_enough(&answer, i64::MAX),
        None => Ok(()),
    }
}

async fn of_unknown_volume(t: &Context) -> Checked {
    t.refused(larger(t, &t.unknown()), &[Code::NotFound]).await
}

async fn known_size(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.ok(larger(t, &volume.volume_id)).await?;
    let get = ControllerGetVolumeRequest {
        volume_id: volume.volume_id,
    };
    let volume = set(t.ok(get).await?.volume, "volume")?;
    let (has, required) = (volume.capacity_bytes, t.settings.expanded_size);
    expect(has == 0 || has >= required, || {
        format!("grown to {required} bytes, the volume is said to have {has}")
    })
}
