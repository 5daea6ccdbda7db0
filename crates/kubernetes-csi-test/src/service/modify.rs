//! ControllerModifyVolume, and CreateVolume with the same parameters.

use std::collections::BTreeMap;

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks};
use crate::context::Context;
use crate::fields::{Fields, base};

const MODIFY: Need = Need::Controller(Rpc::ModifyVolume);
const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const PARAMETERS: Need = Need::MutableParameters;

pub(super) fn checks() -> Vec<Check> {
    let mut all = checks!("create_volume", [MODIFY, VOLUMES]:
        with_mutable_parameters + PARAMETERS, with_unknown_mutable_parameters);
    let fields = Fields::<ControllerModifyVolumeRequest>::of(
        "controller_modify_volume",
        &[MODIFY, VOLUMES],
        base!(t => modify(&t.shared().await?.volume_id, &wanted(t))),
    );
    all.extend(
        fields
            .id("volume_id", 128, |r| &mut r.volume_id)
            .required("mutable_parameters", |r| r.mutable_parameters.clear())
            .map("mutable_parameters", |r| &mut r.mutable_parameters)
            .secrets()
            .checks,
    );
    all.extend(checks!("controller_modify_volume", [MODIFY, VOLUMES]:
        modified + PARAMETERS, modified_twice + PARAMETERS, modified_again + PARAMETERS,
        to_unknown_parameters, of_unknown_volume + PARAMETERS));
    all
}

/// Returns the parameters of the author, or any.
fn wanted(t: &Context) -> BTreeMap<String, String> {
    match t.settings.mutable_parameters.is_empty() {
        true => unknown(),
        false => t.settings.mutable_parameters.clone(),
    }
}

fn unknown() -> BTreeMap<String, String> {
    BTreeMap::from([("csi-test-unknown-parameter".to_owned(), "1".to_owned())])
}

fn modify(volume_id: &str, parameters: &BTreeMap<String, String>) -> ControllerModifyVolumeRequest {
    ControllerModifyVolumeRequest {
        volume_id: volume_id.to_owned(),
        mutable_parameters: parameters.clone(),
        ..ControllerModifyVolumeRequest::default()
    }
}

fn create(t: &Context, parameters: BTreeMap<String, String>) -> CreateVolumeRequest {
    CreateVolumeRequest {
        mutable_parameters: parameters,
        ..t.create()
    }
}

async fn with_mutable_parameters(t: &Context) -> Checked {
    t.create_volume(create(t, wanted(t))).await.map(drop)
}

async fn with_unknown_mutable_parameters(t: &Context) -> Checked {
    t.refused(create(t, unknown()), &[Code::InvalidArgument])
        .await
}

async fn modified(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.ok(modify(&volume.volume_id, &wanted(t))).await.map(drop)
}

async fn modified_twice(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.ok(modify(&volume.volume_id, &wanted(t))).await?;
    t.ok(modify(&volume.volume_id, &wanted(t))).await.map(drop)
}

/// A volume that was made with the parameters has them already.
async fn modified_again(t: &Context) -> Checked {
    let volume = t.create_volume(create(t, wanted(t))).await?;
    t.ok(modify(&volume.volume_id, &wanted(t))).await.map(drop)
}

async fn to_unknown_parameters(t: &Context) -> Checked {
    let volume = t.volume().await?;
    t.refused(
        modify(&volume.volume_id, &unknown()),
        &[Code::InvalidArgument],
    )
    .await
}

async fn of_unknown_volume(t: &Context) -> Checked {
    t.refused(modify(&t.unknown(), &wanted(t)), &[Code::NotFound])
        .await
}
