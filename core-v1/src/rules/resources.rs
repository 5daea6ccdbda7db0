//! Amounts of resources.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::quantity::Amount;
use kubernetes_validation::{Checker, ErrorType, NameFormat, Path, Problem, to_value};

use crate::{ClaimResourceStatus, VolumeResourceRequirements};

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

/// Checks that a quantity isn't negative.
fn not_negative(quantity: &Quantity, at: Path<'_>, to: &mut Checker<'_>) {
    if Amount::try_from(quantity).is_ok_and(|amount| amount.is_negative()) {
        to.invalid(at, "minimum", &quantity.0, "it must be 0 or more");
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
        positive(quantity, at.key(name), to);
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

/// Checks the capacity of a bound claim.
pub(crate) fn status_capacity(capacity: &Resources, at: Path<'_>, to: &mut Checker<'_>) {
    for (name, quantity) in capacity.iter().flatten() {
        not_negative(quantity, at.key(name), to);
    }
}

/// Checks the amounts that are set aside for a claim.
pub(crate) fn allocated_resources(resources: &Resources, at: Path<'_>, to: &mut Checker<'_>) {
    for (name, quantity) in resources.iter().flatten() {
        if resource_name(name, at, to) {
            not_negative(quantity, at.key(name), to);
        }
    }
}

/// Checks how far resources of a claim have been resized.
pub(crate) fn resource_statuses(
    statuses: &Option<BTreeMap<String, ClaimResourceStatus>>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
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
