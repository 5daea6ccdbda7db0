//! PersistentVolumeClaims.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_kinds::quantity::wrapping_milli_value;
use kubernetes_validation::{Checker, Path, rules};

use super::resources::STORAGE;
use super::{STORAGE_CLASS, claim_update, data_source, given};
use crate::{PersistentVolumeClaim, PersistentVolumeClaimSpec};

/// Checks what concerns several fields of a claim, and what an update changes.
pub(crate) fn persistent_volume_claim(
    claim: &PersistentVolumeClaim,
    stored: Option<&PersistentVolumeClaim>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let path = &at.field("spec");
    let Some(spec) = &claim.spec else {
        to.is_set(*path, false);
        return;
    };
    let old = stored.map(|stored| given(&stored.spec));
    let selector = old.as_ref().map_or(&None, |old| &old.selector);
    rules::label_selector_of_update(&spec.selector, selector, path.field("selector"), to);
    data_source::check(spec, old.as_deref(), path, to);
    if let Some(stored) = stored {
        claim_update::check((claim, spec), stored, at, to);
    }
}

/// Warns of the annotation that named a StorageClass, and of fractions of bytes.
pub(crate) fn persistent_volume_claim_warnings(
    _stored: Option<&ObjectMeta>,
    meta: &ObjectMeta,
    spec: &Option<PersistentVolumeClaimSpec>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    if meta
        .annotations
        .as_ref()
        .is_some_and(|all| all.contains_key(STORAGE_CLASS))
    {
        let metadata = at.field("metadata");
        let annotations = metadata.field("annotations");
        let message = "deprecated since 1.8: use storageClassName";
        to.warn(annotations.key(STORAGE_CLASS), message);
    }
    let resources = spec.as_ref().and_then(|spec| spec.resources.as_ref());
    let Some(resources) = resources else { return };
    let spec = at.field("spec");
    let at = spec.field("resources");
    whole_bytes(&resources.requests, &at.field("requests"), to);
    whole_bytes(&resources.limits, &at.field("limits"), to);
}

fn whole_bytes(
    resources: &Option<BTreeMap<String, Quantity>>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let quantity = resources
        .as_ref()
        .and_then(|resources| resources.get(STORAGE));
    let milli = quantity.map(|quantity| wrapping_milli_value(&quantity.0));
    if milli.is_some_and(|milli| milli.is_ok_and(|milli| milli % 1000 != 0)) {
        to.warn(at.key(STORAGE), "a volume has a whole number of bytes");
    }
}
