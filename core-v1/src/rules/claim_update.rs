//! Immutable fields of a PersistentVolumeClaim.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::Release;
use kubernetes_kinds::quantity::Amount;
use kubernetes_validation::{
    Checker, ErrorType, Feature, IMMUTABLE, Path, Problem, Semantic as _, to_value,
};

use super::resources::{STORAGE, storage};
use super::{STORAGE_CLASS, data_source, given, has_attributes_class};
use crate::{PersistentVolumeClaim, PersistentVolumeClaimPhase, PersistentVolumeClaimSpec};

/// The gate that lets the size of a claim be lowered after a failed expansion.
const RECOVER_EXPANSION: Feature = Feature {
    gate: "RecoverVolumeExpansionFailure",
    introduced: Release::new(1, 23),
    beta: Some(Release::new(1, 32)),
    on: Some(Release::new(1, 32)),
    stable: Some(Release::new(1, 34)),
};

/// The first release in which the name of a VolumeAttributesClass may go until the volume has one.
const CLASS_MAY_GO: Release = Release::new(1, 34);

/// Compares a claim, whose specification is also given, with the stored one.
pub(super) fn check(
    (claim, spec): (&PersistentVolumeClaim, &PersistentVolumeClaimSpec),
    stored: &PersistentVolumeClaim,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let new = &*data_source::normalized(Cow::Borrowed(spec), to.target());
    let old = &*data_source::normalized(given(&stored.spec), to.target());
    let path = &at.field("spec");
    let class = storage_class(claim, stored, at, to);
    let is_bound = claim
        .status
        .as_ref()
        .and_then(|status| status.phase.as_ref())
        == Some(&PersistentVolumeClaimPhase::Bound);
    let is_older = to.target().is_before(CLASS_MAY_GO);
    let class_may_change = is_bound && (!is_older || new.volume_attributes_class_name.is_some());
    if !is_same(new, old, class, (is_bound, class_may_change)) {
        let message = "a claim is final, but for the size and the VolumeAttributesClass of a bound \
                       one";
        to.immutable(*path, false, ErrorType::Forbidden, spec, message);
    }
    size(claim, stored, path, to);
    to.immutable(
        path.field("volumeMode").reported_at("volumeMode"),
        spec.volume_mode == old.volume_mode,
        ErrorType::Invalid,
        &spec.volume_mode,
        IMMUTABLE,
    );
    attributes_class(claim, stored, path, to);
}

/// The name of the StorageClass may differ, or must not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Fixed,
    Free,
}

/// Checks the annotation that named a StorageClass, and returns whether the field may be set now.
fn storage_class(
    claim: &PersistentVolumeClaim,
    stored: &PersistentVolumeClaim,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) -> Class {
    let (new, old) = (class_annotation(claim), class_annotation(stored));
    let (new_field, had_field) = (class_field(claim), class_field(stored).is_some());
    let moves = !had_field && old.is_some() && new_field == old && (new.is_none() || new == old);
    if moves {
        return Class::Free;
    }
    let metadata = at.field("metadata");
    let annotations = metadata.field("annotations");
    to.immutable(
        annotations.key_as_field(STORAGE_CLASS),
        new.unwrap_or_default() == old.unwrap_or_default(),
        ErrorType::Invalid,
        &new,
        IMMUTABLE,
    );
    let is_set = !had_field && new_field.is_some();
    if is_set && (old.is_none() || new_field == old) {
        Class::Free
    } else {
        Class::Fixed
    }
}

fn class_annotation(claim: &PersistentVolumeClaim) -> Option<&str> {
    Some(
        claim
            .metadata
            .annotations
            .as_ref()?
            .get(STORAGE_CLASS)?
            .as_str(),
    )
}

fn class_field(claim: &PersistentVolumeClaim) -> Option<&str> {
    claim.spec.as_ref()?.storage_class_name.as_deref()
}

/// Returns true if a server finds two specifications equal, apart from what may change.
fn is_same(
    new: &PersistentVolumeClaimSpec,
    old: &PersistentVolumeClaimSpec,
    class: Class,
    (is_bound, class_may_change): (bool, bool),
) -> bool {
    let storage_may_change = is_bound && requests(new).is_some();
    let had_name = !volume_name(old).is_empty();
    new.access_modes.is_same(&old.access_modes)
        && new.data_source == old.data_source
        && new.data_source_ref == old.data_source_ref
        && are_same(limits(new), limits(old), false)
        && are_same(requests(new), requests(old), storage_may_change)
        && new.selector.is_same(&old.selector)
        && (class == Class::Free || new.storage_class_name == old.storage_class_name)
        && (class_may_change
            || new.volume_attributes_class_name == old.volume_attributes_class_name)
        && new.volume_mode == old.volume_mode
        && (!had_name || volume_name(new) == volume_name(old))
}

fn volume_name(spec: &PersistentVolumeClaimSpec) -> &str {
    spec.volume_name.as_deref().unwrap_or_default()
}

type Resources = BTreeMap<String, Quantity>;

fn requests(spec: &PersistentVolumeClaimSpec) -> Option<&Resources> {
    spec.resources.as_ref()?.requests.as_ref()
}

fn limits(spec: &PersistentVolumeClaimSpec) -> Option<&Resources> {
    spec.resources.as_ref()?.limits.as_ref()
}

/// Returns true if resources are the same, storage left out if it may change.
fn are_same(new: Option<&Resources>, old: Option<&Resources>, storage_may_change: bool) -> bool {
    fn amounts(
        resources: Option<&Resources>,
        storage_may_change: bool,
    ) -> impl Iterator<Item = (&str, Option<Amount>)> {
        let resources = resources.into_iter().flatten();
        resources
            .filter(move |(name, _)| !storage_may_change || *name != STORAGE)
            .map(|(name, quantity)| (name.as_str(), Amount::try_from(quantity).ok()))
    }
    amounts(new, storage_may_change).eq(amounts(old, storage_may_change))
}

/// Checks that a claim asks for no less storage, or after a failed expansion for more than it has.
fn size(
    claim: &PersistentVolumeClaim,
    stored: &PersistentVolumeClaim,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let zero = Amount::from(0_i64);
    let size = |claim: &PersistentVolumeClaim| {
        let size = claim.spec.as_ref().and_then(requests).and_then(storage);
        size.unwrap_or(zero.clone())
    };
    let (new, old) = (size(claim), size(stored));
    if new >= old {
        return;
    }
    let status = given(&stored.status);
    let recovers = to.target().has(&RECOVER_EXPANSION)
        || status.allocated_resources.is_some()
        || status.allocated_resource_statuses.is_some();
    let resources = at.field("resources");
    let list = resources.field("requests");
    let is_there = claim.spec.as_ref().and_then(requests);
    let path = match is_there.is_some_and(|requests| requests.contains_key(STORAGE)) {
        true => list.key_as_field(STORAGE),
        false => at.reported_at("spec.resources.requests.storage"),
    };
    if !recovers {
        to.forbidden(
            path,
            "requests.lower",
            "a claim can't ask for less than before",
        );
    } else if new <= status.capacity.as_ref().and_then(storage).unwrap_or(zero) {
        let message = "a claim must ask for more than status.capacity, or as much as before";
        to.forbidden(path, "requests.lower", message);
    }
}

fn attributes_class(
    claim: &PersistentVolumeClaim,
    stored: &PersistentVolumeClaim,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    fn name(claim: &PersistentVolumeClaim) -> Option<&str> {
        claim.spec.as_ref()?.volume_attributes_class_name.as_deref()
    }
    let (new, old) = (name(claim), name(stored));
    let path = at.field("volumeAttributesClassName");
    if new == old {
        return;
    }
    let is_known = has_attributes_class(to.target());
    let status = stored.status.as_ref();
    let current = status.and_then(|status| status.current_volume_attributes_class_name.as_deref());
    let has_current = match to.target().is_before(CLASS_MAY_GO) {
        true => old.is_some(),
        false => current.is_some(),
    };
    if !is_known {
        let problem = Problem::new(ErrorType::Forbidden, "attributesClass.disabled");
        let message = "the server doesn't know VolumeAttributesClasses";
        to.error(path, problem, to_value(&new), message);
    } else if has_current && new.is_none_or(str::is_empty) {
        let problem = Problem::new(ErrorType::Forbidden, "attributesClass.unset");
        let message = "the volume has a class, so it can be changed, but not unset";
        to.error(path, problem, to_value(&new), message);
    }
}
