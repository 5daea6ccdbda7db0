//! Amounts of resources.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::Release;
use kubernetes_kinds::quantity::{Amount, wrapping_value};
use kubernetes_validation::{Checker, ErrorType, NameFormat, Path, Problem, to_value};

use crate::{ClaimResourceStatus, PersistentVolumeClaimStatus, VolumeResourceRequirements};

/// The resource of volumes that Kubernetes knows.
pub(super) const STORAGE: &str = "storage";

type Resources = Option<BTreeMap<String, Quantity>>;

/// Returns the amount of storage; none if it is absent or can't be read.
pub(super) fn storage(resources: &BTreeMap<String, Quantity>) -> Option<Amount> {
    Amount::try_from(resources.get(STORAGE)?).ok()
}

/// Checks that a quantity is positive.
fn positive(quantity: &Quantity, at: Path<'_>, to: &mut Checker<'_>) {
    if Amount::try_from(quantity).is_ok_and(|a| a.is_negative() || a.is_zero()) {
        to.invalid(at, "positive", &quantity.0, "it must be more than 0");
    }
}

/// Checks that a quantity isn't negative as a number of 64 bits, and returns whether that is so:
/// some of 2⁶³ and more are, and some of −2⁶³ and less are not.
fn fits(quantity: &Quantity, at: Path<'_>, to: &mut Checker<'_>) -> bool {
    match wrapping_value(&quantity.0) {
        Ok(value) if value < 0 => {
            let message = "it must be 0 or more, and less than 2^63";
            to.invalid(at, "minimum", &quantity.0, message);
            false
        }
        _ => true,
    }
}

/// Checks that the capacity of a PersistentVolume is some storage, and nothing else.
pub(crate) fn capacity(capacity: &Resources, at: Path<'_>, to: &mut Checker<'_>) {
    let resources = capacity.iter().flatten();
    let has_storage = capacity.as_ref().is_some_and(|c| c.contains_key(STORAGE));
    if !has_storage || resources.clone().count() > 1 {
        let problem = Problem::new(ErrorType::NotSupported, "capacity.storage");
        let message = "it must be `storage`, and nothing else";
        to.error(at, problem, to_value(capacity), message);
    }
    for (name, quantity) in resources {
        if fits(quantity, at.key(name), to) {
            positive(quantity, at.key(name), to);
        }
    }
}

/// Checks that a claim asks for some storage.
pub(crate) fn claim_resources(
    resources: &Option<VolumeResourceRequirements>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let requests = resources
        .as_ref()
        .and_then(|resources| resources.requests.as_ref());
    match requests.and_then(|requests| requests.get(STORAGE)) {
        None => {
            let path = at.reported_at("spec.resources[storage]");
            to.required(path, "requests.storage", "a claim must ask for storage");
        }
        // The server leaves the field out of the path.
        Some(quantity) => {
            let list = at.field("requests");
            positive(quantity, list.key(STORAGE).reported_without_index(), to);
        }
    }
}

/// Checks that the quantities of a status can be read.
pub(crate) fn status_quantities(
    status: &Option<PersistentVolumeClaimStatus>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let Some(status) = status else { return };
    for (field, resources) in [
        ("allocatedResources", &status.allocated_resources),
        ("capacity", &status.capacity),
    ] {
        for (name, quantity) in resources.iter().flatten() {
            to.quantity(at.field(field).key(name), quantity);
        }
    }
}

/// Checks the capacity of a bound claim.
pub(crate) fn status_capacity(capacity: &Resources, at: Path<'_>, to: &mut Checker<'_>) {
    for (name, quantity) in capacity.iter().flatten() {
        fits(quantity, at.key(name), to);
    }
}

/// Checks the amounts that are set aside for a claim.
pub(crate) fn allocated_resources(resources: &Resources, at: Path<'_>, to: &mut Checker<'_>) {
    for (name, quantity) in resources.iter().flatten() {
        if resource_name(name, at, to)
            && fits(quantity, at.key(name), to)
            && Amount::try_from(quantity).is_ok_and(|amount| amount.is_negative())
        {
            to.invalid(at.key(name), "minimum", &quantity.0, "it must be 0 or more");
        }
    }
}

/// The first release that reports `allocatedResourceStatuses` by its name.
const SPELT_AS_IT_IS: Release = Release::new(1, 34);

/// Checks how far resources of a claim have been resized.
pub(crate) fn resource_statuses(
    statuses: &Option<BTreeMap<String, ClaimResourceStatus>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let at = match to.target().is_before(SPELT_AS_IT_IS) {
        true => at.reported_as("allocatedResourceStatus"),
        false => at,
    };
    for (name, status) in statuses.iter().flatten() {
        resource_name(name, at, to);
        // The server reports the map.
        let at = at.key(name).reported_above(1);
        to.known(at, status.as_str(), ClaimResourceStatus::known_values());
    }
}

/// Checks that a resource is storage, or one of a domain other than Kubernetes' own, and returns
/// whether that is so. The server reports the map.
fn resource_name(name: &str, at: Path<'_>, to: &mut Checker<'_>) -> bool {
    let at = at.key(name).reported_above(1);
    if !NameFormat::QualifiedName.matches(name) {
        to.format(at, name, NameFormat::QualifiedName);
        return false;
    }
    let is_native = !name.contains('/') || name.contains("kubernetes.io/");
    if is_native && name != STORAGE {
        let problem = Problem::new(ErrorType::NotSupported, "resource.name");
        let message = "it must be `storage`, or a name with a domain of your own";
        to.error(at, problem, to_value(name), message);
        return false;
    }
    true
}
