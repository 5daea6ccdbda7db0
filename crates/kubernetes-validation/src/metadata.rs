//! The metadata of every object.
//!
//! The server reports errors of labels, annotations and finalizers at the map or list that holds
//! them, and up to Kubernetes 1.36 those of owners too.

use std::collections::BTreeMap;
use std::hint::black_box;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use kubernetes_kinds::Release;

use crate::checker::to_value;
use crate::managers::{self, Kept};
use crate::{Checker, ErrorType, NameFormat, Path, Problem, selector};

/// The most bytes of all keys and values of the annotations.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// The most bytes of `generateName` that a name has; five letters and digits follow them.
const MAX_GENERATED_BASE: usize = 58;

/// The finalizers of Kubernetes, the only valid ones without a slash.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", ORPHAN, FOREGROUND];
const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// The rules that differ between kinds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) namespaced: bool,
    /// True if an update may lack a resource version.
    pub(super) unconditional_update: bool,
    /// True if an update validates `generateName` as creation does.
    pub(super) checks_names_again: bool,
    /// True if the kind is a custom resource, whose finalizers may be any names, and whose
    /// generation is set before a new object is validated.
    pub(super) is_custom: bool,
}

/// Checks the metadata of a new object.
pub(super) fn check(meta: &ObjectMeta, rules: Rules, kept: Kept<'_>, to: &mut Checker<'_>) {
    let at = &Path::ROOT.field("metadata");
    fetch(meta);
    generate_name(meta, at, to);
    name(meta, at, to);
    if !rules.is_custom {
        generation(meta, at, to);
    }
    common(meta, None, rules, kept, at, to);
}

/// Checks the metadata of an update.
pub(super) fn check_update(
    meta: &ObjectMeta,
    old: &ObjectMeta,
    rules: Rules,
    kept: Kept<'_>,
    to: &mut Checker<'_>,
) {
    let at = &Path::ROOT.field("metadata");
    fetch(meta);
    if rules.checks_names_again {
        generate_name(meta, at, to);
    }
    name(meta, at, to);
    let version = meta.resource_version.as_deref().unwrap_or_default();
    if matches!(version, "" | "0") && !rules.unconditional_update {
        let message = "an update must name the version it is based on";
        let at = at.field("resourceVersion");
        to.invalid(at, "update", &meta.resource_version, message);
    }
    let same_or_unset = |new: &Option<String>, old: &Option<String>| {
        new.as_deref().is_none_or(str::is_empty) || new == old
    };
    let is_same = meta.name.as_deref().is_none_or(str::is_empty) || meta.name == old.name;
    to.immutable(
        at.field("name"),
        is_same,
        ErrorType::Invalid,
        &meta.name,
        crate::IMMUTABLE,
    );
    let is_same = same_or_unset(&meta.namespace, &old.namespace);
    to.immutable(
        at.field("namespace"),
        is_same,
        ErrorType::Invalid,
        &meta.namespace,
        crate::IMMUTABLE,
    );
    let is_same = same_or_unset(&meta.uid, &old.uid);
    to.immutable(
        at.field("uid"),
        is_same,
        ErrorType::Invalid,
        &meta.uid,
        crate::IMMUTABLE,
    );
    if old.deletion_timestamp.is_some() {
        new_finalizers(meta, old, at, to);
    } else {
        let is_same = meta.deletion_timestamp.is_none();
        let at = at.field("deletionTimestamp");
        to.immutable(
            at,
            is_same,
            ErrorType::Invalid,
            &meta.deletion_timestamp,
            crate::IMMUTABLE,
        );
    }
    let is_same = meta.deletion_grace_period_seconds.is_none()
        || meta.deletion_grace_period_seconds == old.deletion_grace_period_seconds;
    let grace = at.field("deletionGracePeriodSeconds");
    to.immutable(
        grace,
        is_same,
        ErrorType::Invalid,
        &meta.deletion_grace_period_seconds,
        crate::IMMUTABLE,
    );
    common(meta, Some(old), rules, kept, at, to);
}

/// Checks the metadata of an object inside another: any name that is valid in a path is accepted.
#[cfg(feature = "custom-resources")]
#[inline]
pub(super) fn check_embedded(meta: &ObjectMeta, at: &Path<'_>, to: &mut Checker<'_>) {
    let names = [("name", &meta.name), ("generateName", &meta.generate_name)];
    for (field, name) in names {
        let name = name.as_deref().unwrap_or_default();
        let is_relative = field == "name" && matches!(name, "." | "..");
        if is_relative || name.contains(['/', '%']) {
            let message = "it is part of a path, so it can't have `/` or `%`, or be `.` or `..`";
            to.invalid(at.field(field), "format", name, message);
        }
    }
    generation(meta, at, to);
    let rules = Rules {
        namespaced: true,
        unconditional_update: true,
        checks_names_again: false,
        is_custom: true,
    };
    // A server warns only of the finalizers of the object that it is asked to store.
    common(
        meta,
        Some(meta),
        rules,
        &|entries| vec![true; entries.len()],
        at,
        to,
    );
}

fn generation(meta: &ObjectMeta, at: &Path<'_>, to: &mut Checker<'_>) {
    let generation = meta.generation.unwrap_or_default();
    if generation < 0 {
        to.minimum(at.field("generation"), generation, 0);
    }
}

/// Checks that a `generateName` becomes a name when letters follow it, so it may end in a dash.
fn generate_name(meta: &ObjectMeta, at: &Path<'_>, to: &mut Checker<'_>) {
    let Some(prefix) = meta.generate_name.as_deref().filter(|p| !p.is_empty()) else {
        return;
    };
    // The server replaces the last two bytes by one letter.
    let is_right = match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let kept = rest
                .as_bytes()
                .split_last()
                .map_or(&[][..], |(_, kept)| kept);
            String::from_utf8(kept.to_vec())
                .is_ok_and(|kept| NameFormat::DnsSubdomain.matches(&(kept + "a")))
        }
        _ => NameFormat::DnsSubdomain.matches(prefix),
    };
    if !is_right {
        let message = "with letters added to it, it must be a DNS subdomain; it may end in `-`";
        to.invalid(at.field("generateName"), "format", prefix, message);
    }
}

fn name(meta: &ObjectMeta, at: &Path<'_>, to: &mut Checker<'_>) {
    let given = |name: &Option<String>| name.clone().filter(|name| !name.is_empty());
    let path = at.field("name");
    match meta.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => to.format(path, name, NameFormat::DnsSubdomain),
        None => match given(&meta.generate_name) {
            None => to.required(path, "name", "give it a `name` or a `generateName`"),
            Some(base) => {
                let end = (0..=base.len().min(MAX_GENERATED_BASE))
                    .rev()
                    .find(|end| base.is_char_boundary(*end));
                let name = format!("{}00000", &base[..end.unwrap_or_default()]);
                // The server reports the generated name, not the field that it is made from.
                let path = at.field("generateName").reported_as("name");
                to.format(path, &name, NameFormat::DnsSubdomain);
            }
        },
    }
}

/// Reads a byte of each part of the metadata, so that the processor fetches them at the same time.
///
/// Each map, list and text is an allocation of its own. In a long list of objects none of them is
/// in a cache, and the rules would wait for one after the other.
fn fetch(meta: &ObjectMeta) {
    let first = |text: Option<&String>| text.and_then(|text| text.as_bytes().first()).copied();
    let key = |map: &Option<BTreeMap<String, String>>| first(map.as_ref()?.keys().next());
    let entry = meta.managed_fields.as_ref().and_then(|all| all.first());
    let owner = meta.owner_references.as_ref().and_then(|all| all.first());
    black_box([
        key(&meta.labels),
        key(&meta.annotations),
        first(entry.and_then(|entry| entry.manager.as_ref())),
        first(entry.and_then(|entry| entry.fields_type.as_ref())),
        first(meta.finalizers.as_ref().and_then(|all| all.first())),
        first(owner.map(|owner| &owner.api_version)),
    ]);
}

fn common(
    meta: &ObjectMeta,
    stored: Option<&ObjectMeta>,
    rules: Rules,
    kept: Kept<'_>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    if let Some(namespace) = meta.namespace.as_deref().filter(|n| !n.is_empty()) {
        let at = at.field("namespace");
        if rules.namespaced {
            to.format(at, namespace, NameFormat::DnsLabel);
        } else {
            to.forbidden(at, "scope", "the kind is cluster-scoped: remove it");
        }
    }
    if let Some(map) = &meta.labels {
        selector::labels(map, &at.field("labels"), to);
    }
    if let Some(annotations) = &meta.annotations {
        let at = at.field("annotations");
        for key in annotations.keys() {
            to.format_lowered(
                at.key(key).reported_above(1),
                key,
                NameFormat::QualifiedName,
            );
        }
        to.max_total_length(at, annotations, MAX_ANNOTATIONS);
    }
    let entries = meta.managed_fields.as_deref().unwrap_or_default();
    managers::check(entries, kept, at, to);
    owners(meta.owner_references.as_deref().unwrap_or_default(), at, to);
    finalizers(meta, stored, rules, at, to);
}

/// Removes the namespace of a cluster-scoped object, as the server does before it validates.
pub(super) fn clear_namespace(meta: &mut ObjectMeta, rules: Rules) {
    if !rules.namespaced {
        meta.namespace = None;
    }
}

/// Removes what says that an object is being deleted, as the server does with a new one.
pub(super) fn clear_deletion(meta: &mut ObjectMeta) {
    meta.deletion_timestamp = None;
    meta.deletion_grace_period_seconds = None;
}

/// Sets the fields that a write of the status can't change to the stored values.
pub(super) fn reset_for_status(meta: &mut ObjectMeta, stored: &ObjectMeta, is_custom: bool) {
    let stored = stored.clone();
    if is_custom {
        let resource_version = meta.resource_version.take();
        *meta = ObjectMeta {
            resource_version,
            ..stored
        };
        return;
    }
    meta.deletion_timestamp = stored.deletion_timestamp;
    meta.generation = stored.generation;
    meta.self_link = stored.self_link;
    meta.labels = stored.labels;
    meta.annotations = stored.annotations;
    meta.finalizers = stored.finalizers;
    meta.owner_references = stored.owner_references;
    meta.managed_fields = stored.managed_fields;
}

/// Sets the fields that a write of the status doesn't change, even if it changes metadata, to the
/// stored values.
#[inline]
pub(super) fn keep_managers(meta: &mut ObjectMeta, stored: &ObjectMeta) {
    meta.managed_fields.clone_from(&stored.managed_fields);
}

/// Drops repeated owners, as the server does before it validates.
pub(super) fn drop_repeated_owners(meta: &mut ObjectMeta) {
    let Some(owners) = meta
        .owner_references
        .as_mut()
        .filter(|o| has_repeated_owners(o))
    else {
        return;
    };
    let mut kept: Vec<OwnerReference> = Vec::with_capacity(owners.len());
    for owner in owners.drain(..) {
        if !kept.contains(&owner) {
            kept.push(owner);
        }
    }
    *owners = kept;
}

/// Returns true if an owner is listed more than once.
fn has_repeated_owners(owners: &[OwnerReference]) -> bool {
    owners
        .iter()
        .enumerate()
        .any(|(index, owner)| is_repeated(owners, index, owner))
}

fn is_repeated(owners: &[OwnerReference], index: usize, owner: &OwnerReference) -> bool {
    owners.get(..index).unwrap_or_default().contains(owner)
}

/// Warns of owners that are listed more than once.
pub(super) fn warn_of_repeated_owners(meta: &ObjectMeta, to: &mut Checker<'_>) {
    if has_repeated_owners(meta.owner_references.as_deref().unwrap_or_default()) {
        let at = Path::ROOT.field("metadata");
        let message = "an owner is listed more than once; the server keeps one";
        to.warn(at.field("ownerReferences"), message);
    }
}

/// Returns true if a finalizer has a domain or is one of Kubernetes' own.
fn is_qualified(finalizer: &str) -> bool {
    finalizer.contains('/') || STANDARD_FINALIZERS.contains(&finalizer)
}

fn owners(owners: &[OwnerReference], at: &Path<'_>, to: &mut Checker<'_>) {
    let list = &at.field("ownerReferences");
    let mut has_controller = false;
    let has_index = !to.target().is_before(OWNERS_HAVE_INDEXES);
    let own = |(index, owner): &(usize, &OwnerReference)| !is_repeated(owners, *index, owner);
    for (index, owner) in owners.iter().enumerate().filter(own) {
        let at = &list.index(index);
        owner_parts(owner, at, has_index, to);
        if matches!(owner.api_version.as_str(), "v1" | "/v1") && owner.kind == "Event" {
            let at = if has_index { *at } else { at.reported_above(1) };
            let message = "an Event can't own anything";
            to.invalid(at, "owner.event", &owner.kind, message);
        }
        if owner.controller == Some(true) {
            if has_controller {
                let at = at.field("controller").reported_above(2);
                to.invalid(
                    at,
                    "owner.controller",
                    &true,
                    "only one owner can be the controller",
                );
            }
            has_controller = true;
        }
    }
}

/// The first release that reports the parts of an owner with its index, and absent ones as
/// required.
const OWNERS_HAVE_INDEXES: Release = Release::new(1, 37);

/// Checks the fields of an owner.
fn owner_parts(owner: &OwnerReference, at: &Path<'_>, has_index: bool, to: &mut Checker<'_>) {
    let version = match owner.api_version.split_once('/') {
        None => owner.api_version.as_str(),
        Some((_, version)) if !version.contains('/') => version,
        Some(_) => "",
    };
    let parts = [
        ("apiVersion", version, &owner.api_version),
        ("kind", owner.kind.as_str(), &owner.kind),
        ("name", owner.name.as_str(), &owner.name),
        ("uid", owner.uid.as_str(), &owner.uid),
    ];
    for (field, part, value) in parts {
        if !part.is_empty() {
            continue;
        }
        let message = match field {
            "apiVersion" => "it must name a version, `v1` or `group/v1`",
            _ => "it must not be empty",
        };
        let at = at.field(field);
        if !has_index {
            to.invalid(at.reported_without_index(), "owner", value, message);
        } else if value.is_empty() {
            to.required(at, "owner", message);
        } else {
            to.invalid(at, "owner", value, message);
        }
    }
}

fn finalizers(
    meta: &ObjectMeta,
    stored: Option<&ObjectMeta>,
    rules: Rules,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let finalizers = meta.finalizers.as_deref().unwrap_or_default();
    let stored = stored
        .and_then(|meta| meta.finalizers.as_deref())
        .unwrap_or_default();
    let list = &at.field("finalizers");
    for (index, finalizer) in finalizers.iter().enumerate() {
        let at = list.index(index);
        to.format(at.reported_above(1), finalizer, NameFormat::QualifiedName);
        if is_qualified(finalizer) {
            continue;
        }
        if !rules.is_custom {
            let message = "it must be qualified, `domain/name`, as it is none of Kubernetes' own";
            to.invalid(at, "finalizer.qualified", finalizer, message);
            continue;
        }
        // For a custom resource, a server warns once, and only of new finalizers.
        let before = finalizers.get(..index).unwrap_or_default();
        if !stored.contains(finalizer) && !before.contains(finalizer) {
            let message = "name it `domain/name`, so that it is nobody else's";
            to.warn(at.reported_above(1), message);
        }
    }
    let has = |wanted: &str| finalizers.iter().any(|finalizer| finalizer == wanted);
    if has(ORPHAN) && has(FOREGROUND) {
        let message = "orphan and foregroundDeletion exclude each other";
        to.invalid(*list, "finalizer.exclusive", finalizers, message);
    }
}

/// Checks that an object that is being deleted gets no more finalizers.
fn new_finalizers(meta: &ObjectMeta, old: &ObjectMeta, at: &Path<'_>, to: &mut Checker<'_>) {
    let list = &at.field("finalizers");
    let old = old.finalizers.as_deref().unwrap_or_default();
    let new = meta.finalizers.as_deref().unwrap_or_default();
    for (index, finalizer) in new.iter().enumerate().filter(|(_, f)| !old.contains(f)) {
        let problem = Problem::new(ErrorType::Forbidden, "finalizer.new");
        let message = "the object is being deleted, so no finalizer can be added";
        to.error(
            list.index(index).reported_above(1),
            problem,
            to_value(finalizer),
            message,
        );
    }
}
