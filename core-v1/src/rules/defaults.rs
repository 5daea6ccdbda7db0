//! Defaults that differ from those of keywords: what Go has even if it is unset, and quantities.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::quantity::Amount;

use crate::{
    PersistentVolumeClaimPhase, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus,
    PersistentVolumePhase, PersistentVolumeReclaimPolicy, PersistentVolumeSpec,
    PersistentVolumeStatus,
};

/// Sets the specification, and makes empty texts that have a default unset.
pub(crate) fn persistent_volume_spec(spec: &mut Option<PersistentVolumeSpec>) {
    let spec = spec.get_or_insert_default();
    round(&mut spec.capacity);
    let is_empty = |policy: &PersistentVolumeReclaimPolicy| policy.as_str().is_empty();
    if spec
        .persistent_volume_reclaim_policy
        .as_ref()
        .is_some_and(is_empty)
    {
        spec.persistent_volume_reclaim_policy = None;
    }
    if let Some(host_path) = &mut spec.host_path {
        host_path.type_.get_or_insert_with(|| String::new().into());
    }
    if let Some(rbd) = &mut spec.rbd {
        unset(&mut rbd.pool);
        unset(&mut rbd.user);
        unset(&mut rbd.keyring);
    }
    if let Some(iscsi) = &mut spec.iscsi {
        unset(&mut iscsi.iscsi_interface);
    }
    if let Some(scale_io) = &mut spec.scale_io {
        unset(&mut scale_io.fs_type);
        unset(&mut scale_io.storage_mode);
    }
}

/// Sets the status, and makes an empty phase unset.
pub(crate) fn persistent_volume_status(status: &mut Option<PersistentVolumeStatus>) {
    let status = status.get_or_insert_default();
    let is_empty = |phase: &PersistentVolumePhase| phase.as_str().is_empty();
    if status.phase.as_ref().is_some_and(is_empty) {
        status.phase = None;
    }
}

/// Sets the specification, and rounds its quantities.
pub(crate) fn persistent_volume_claim_spec(spec: &mut Option<PersistentVolumeClaimSpec>) {
    let resources = spec
        .get_or_insert_default()
        .resources
        .get_or_insert_default();
    round(&mut resources.limits);
    round(&mut resources.requests);
}

/// Sets the status, makes an empty phase unset, and rounds quantities.
pub(crate) fn persistent_volume_claim_status(status: &mut Option<PersistentVolumeClaimStatus>) {
    let status = status.get_or_insert_default();
    let is_empty = |phase: &PersistentVolumeClaimPhase| phase.as_str().is_empty();
    if status.phase.as_ref().is_some_and(is_empty) {
        status.phase = None;
    }
    round(&mut status.capacity);
    round(&mut status.allocated_resources);
}

/// Makes an empty text unset, so that the default is set.
fn unset(field: &mut Option<String>) {
    if field.as_deref() == Some("") {
        *field = None;
    }
}

/// Rounds quantities up to thousandths. Only a fraction, one of the suffixes `n` and `u`, or an
/// exponent can be finer.
fn round(resources: &mut Option<BTreeMap<String, Quantity>>) {
    for quantity in resources
        .iter_mut()
        .flat_map(|resources| resources.values_mut())
    {
        if !quantity.0.contains(['.', 'n', 'u', 'e', 'E']) {
            continue;
        }
        // One that can't be read is an error of its own.
        let Ok(amount) = Amount::try_from(&*quantity) else {
            continue;
        };
        let rounded = amount.rounded_to_milli();
        if rounded != amount {
            *quantity = Quantity::from(&rounded);
        }
    }
}
