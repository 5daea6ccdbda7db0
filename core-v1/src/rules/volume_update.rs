//! What an update of a PersistentVolume must not change.

use k8s_openapi::api::core::v1 as upstream;
use kubernetes_kinds::Release;
use kubernetes_validation::{
    Checker, ErrorType, Feature, IMMUTABLE, Path, Problem, to_value, volumes,
};

use super::{has_attributes_class, node_affinity};
use crate::PersistentVolumeSpec;

/// With it, the node affinity of a PersistentVolume may change.
const MUTABLE_NODE_AFFINITY: Feature = Feature {
    gate: "MutablePVNodeAffinity",
    introduced: Release::new(1, 35),
    beta: None,
    on: None,
    stable: None,
};

/// Compares a specification, which is also given as that of `k8s_openapi`, with the stored one.
pub(super) fn check(
    (new, new_source): (&PersistentVolumeSpec, upstream::PersistentVolumeSpec),
    old: &PersistentVolumeSpec,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    source(new_source, old, at, to);
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

/// Compares the sources.
fn source(
    new: upstream::PersistentVolumeSpec,
    old: &PersistentVolumeSpec,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let mut new = only_source(new);
    let old = only_source(super::upstream(old));
    // A secret for expansion may be added.
    if let (Some(new), Some(old)) = (&mut new.csi, &old.csi)
        && old.controller_expand_secret_ref.is_none()
    {
        new.controller_expand_secret_ref = None;
    }
    let value = |spec| to_value(spec).unwrap_or_default();
    to.immutable(
        at.reported_at("spec.persistentvolumesource"),
        new == old || volumes::is_same(value(&new), value(&old)),
        ErrorType::Forbidden,
        &new,
        "the source of a volume is final: create another PersistentVolume",
    );
}

/// The same without what isn't part of the source.
fn only_source(spec: upstream::PersistentVolumeSpec) -> upstream::PersistentVolumeSpec {
    upstream::PersistentVolumeSpec {
        access_modes: None,
        capacity: None,
        claim_ref: None,
        mount_options: None,
        node_affinity: None,
        persistent_volume_reclaim_policy: None,
        storage_class_name: None,
        volume_attributes_class_name: None,
        volume_mode: None,
        ..spec
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
