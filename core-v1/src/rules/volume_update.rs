//! Immutable fields of a PersistentVolume.

use kubernetes_kinds::Release;
use kubernetes_storage_rules::sources;
use kubernetes_validation::{Checker, ErrorType, Feature, IMMUTABLE, Path, Problem, to_value};

use super::{has_attributes_class, node_affinity};
use crate::PersistentVolumeSpec;

/// The gate that lets the node affinity of a PersistentVolume change.
const MUTABLE_NODE_AFFINITY: Feature = Feature {
    gate: "MutablePVNodeAffinity",
    introduced: Release::new(1, 35),
    beta: None,
    on: None,
    stable: None,
};

/// Compares a specification with the stored one.
pub(super) fn check(
    new: &PersistentVolumeSpec,
    old: &PersistentVolumeSpec,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    source(new, old, at, to);
    to.immutable(
        at.field("volumeMode").reported_at("volumeMode"),
        new.volume_mode == old.volume_mode,
        ErrorType::Invalid,
        &new.volume_mode,
        IMMUTABLE,
    );
    if let Some(old) = &old.node_affinity
        && !to.target().has(&MUTABLE_NODE_AFFINITY)
    {
        to.immutable(
            at.field("nodeAffinity").reported_at("nodeAffinity"),
            node_affinity::is_same(new.node_affinity.as_ref(), old),
            ErrorType::Invalid,
            &new.node_affinity,
            "an update may only set it, or replace deprecated node labels in it",
        );
    }
    attributes_class(new, old, at, to);
}

/// Compares the sources. A secret for expansion may be added.
fn source(
    new: &PersistentVolumeSpec,
    old: &PersistentVolumeSpec,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    if !sources::is_same(new, old, true) {
        to.immutable(
            at.reported_at("spec.persistentvolumesource"),
            false,
            ErrorType::Forbidden,
            &only_source(new),
            "the source of a volume is final: create another PersistentVolume",
        );
    }
}

/// Returns the specification without the fields that aren't a source.
fn only_source(spec: &PersistentVolumeSpec) -> PersistentVolumeSpec {
    PersistentVolumeSpec {
        access_modes: None,
        capacity: None,
        claim_ref: None,
        mount_options: None,
        node_affinity: None,
        persistent_volume_reclaim_policy: None,
        storage_class_name: None,
        volume_attributes_class_name: None,
        volume_mode: None,
        ..spec.clone()
    }
}

fn attributes_class(
    new: &PersistentVolumeSpec,
    old: &PersistentVolumeSpec,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let (new, old) = (
        &new.volume_attributes_class_name,
        &old.volume_attributes_class_name,
    );
    let path = at.field("volumeAttributesClassName");
    if new != old && !has_attributes_class(to.target()) {
        let problem = Problem::new(ErrorType::Forbidden, "attributesClass.disabled");
        let message = "the server doesn't know VolumeAttributesClasses";
        to.error(path, problem, to_value(new), message);
    } else if old.is_some() && new.is_none() {
        let problem = Problem::new(ErrorType::Forbidden, "attributesClass.unset");
        to.error(
            path,
            problem,
            to_value(new),
            "it can be changed, but not unset",
        );
    }
}
