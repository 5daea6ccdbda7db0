//! The source of a new volume's content: `dataSource` and `dataSourceRef`, which mirror each other.

use std::borrow::Cow;

use kubernetes_kinds::Release;
use kubernetes_validation::{Checker, Feature, NameFormat, Path, Target};

use crate::{
    PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference,
    TypedObjectReference,
};

const CLAIM: &str = "PersistentVolumeClaim";
const SNAPSHOT: (&str, &str) = ("VolumeSnapshot", "snapshot.storage.k8s.io");

/// The feature of `dataSourceRef`.
const ANY_DATA_SOURCE: Feature = Feature {
    gate: "AnyVolumeDataSource",
    introduced: Release::new(1, 22),
    beta: Some(Release::new(1, 24)),
    on: Some(Release::new(1, 24)),
    stable: Some(Release::new(1, 33)),
};

/// The feature of its `namespace`.
const CROSS_NAMESPACE: Feature = Feature {
    gate: "CrossNamespaceVolumeDataSource",
    introduced: Release::new(1, 26),
    beta: None,
    on: None,
    stable: None,
};

/// Drops a reference that the server drops, and copies the other one.
pub(crate) fn data_sources(
    claim: &mut PersistentVolumeClaim,
    stored: Option<&PersistentVolumeClaim>,
    target: &Target,
) {
    let Some(spec) = &mut claim.spec else { return };
    let old = stored.and_then(|stored| stored.spec.as_ref());
    let had_reference = old.is_some_and(|old| old.data_source_ref.is_some());
    if spec.data_source_ref.as_ref().is_some_and(has_namespace)
        && !had_reference
        && !target.has(&CROSS_NAMESPACE)
    {
        spec.data_source_ref = None;
    }
    let had_source = had_reference || old.is_some_and(|old| old.data_source.is_some());
    if !had_source
        && spec.data_source_ref.is_none()
        && !spec.data_source.as_ref().is_some_and(is_claim_or_snapshot)
    {
        spec.data_source = None;
    }
    normalize(spec, target);
}

/// Returns a specification with both references: that of an older server may have one only.
pub(super) fn normalized<'s>(
    mut spec: Cow<'s, PersistentVolumeClaimSpec>,
    target: &Target,
) -> Cow<'s, PersistentVolumeClaimSpec> {
    if spec.data_source.is_some() != spec.data_source_ref.is_some() {
        normalize(spec.to_mut(), target);
    }
    spec
}

/// Copies one reference to the other, if that is unset.
fn normalize(spec: &mut PersistentVolumeClaimSpec, target: &Target) {
    if !target.has(&ANY_DATA_SOURCE) {
        return;
    }
    match (&mut spec.data_source, &mut spec.data_source_ref) {
        (Some(source), reference @ None) => {
            let mut copy = TypedObjectReference::new(&source.kind, &source.name);
            copy.api_group = source.api_group.clone();
            *reference = Some(copy);
        }
        (source @ None, Some(reference)) if !has_namespace(reference) => {
            let mut copy = TypedLocalObjectReference::new(&reference.kind, &reference.name);
            copy.api_group = reference.api_group.clone();
            *source = Some(copy);
        }
        _ => {}
    }
}

fn has_namespace(reference: &TypedObjectReference) -> bool {
    reference
        .namespace
        .as_deref()
        .is_some_and(|namespace| !namespace.is_empty())
}

fn is_claim_or_snapshot(source: &TypedLocalObjectReference) -> bool {
    let group = source.api_group.as_deref().unwrap_or_default();
    (source.kind == CLAIM && group.is_empty()) || (source.kind.as_str(), group) == SNAPSHOT
}

/// Checks both references. `stored` may have one with a group that isn't a group name.
pub(super) fn check(
    spec: &PersistentVolumeClaimSpec,
    stored: Option<&PersistentVolumeClaimSpec>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let groups = |spec: &PersistentVolumeClaimSpec| {
        let source = spec.data_source.as_ref().and_then(|s| s.api_group.as_ref());
        let reference = spec
            .data_source_ref
            .as_ref()
            .and_then(|r| r.api_group.as_ref());
        source.is_some() || reference.is_some()
    };
    let checks_group = !stored.is_some_and(groups);
    if let Some(source) = &spec.data_source {
        let group = source.api_group.as_deref();
        let parts = (group, source.kind.as_str(), source.name.as_str());
        reference(parts, checks_group, &at.field("dataSource"), to);
    }
    let Some(other) = &spec.data_source_ref else {
        return;
    };
    let path = at.field("dataSourceRef");
    let group = other.api_group.as_deref();
    reference((group, &other.kind, &other.name), checks_group, &path, to);
    if let Some(namespace) = other.namespace.as_deref().filter(|n| !n.is_empty()) {
        to.format(path.field("namespace"), namespace, NameFormat::DnsLabel);
    }
    let Some(source) = &spec.data_source else {
        return;
    };
    let is_same = source.api_group == other.api_group
        && source.kind == other.kind
        && source.name == other.name;
    // The server reports the specification.
    let path = at.field("dataSource").reported_above(1);
    if has_namespace(other) {
        let message = "remove it: dataSourceRef has a namespace";
        to.invalid(path, "dataSource.namespace", source, message);
    } else if !is_same {
        let message = "it must say the same as dataSourceRef";
        to.invalid(path, "dataSource.same", source, message);
    }
}

/// Checks the group, kind and name of an object.
fn reference(
    (group, kind, name): (Option<&str>, &str, &str),
    checks_group: bool,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    to.min_length(at.field("name"), name);
    to.min_length(at.field("kind"), kind);
    match group.filter(|group| !group.is_empty()) {
        None if kind != CLAIM => {
            let message = "in the core group, only a PersistentVolumeClaim can be the source";
            to.invalid(*at, "dataSource.kind", kind, message);
        }
        Some(group) if checks_group => {
            to.format(at.field("apiGroup"), group, NameFormat::DnsSubdomain);
        }
        _ => {}
    }
}
