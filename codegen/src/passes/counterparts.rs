//! Counterparts: the releases of k8s-openapi that have each type, and each of its fields.
//!
//! k8s-openapi is made from the documents of each release. What a release has follows from when
//! types and fields were introduced, so that no document of it is needed.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Analysed, ApiVersion, Availability, Counterpart, Field, K8sOpenapiModule, Role, SchemaName,
};
use crate::name::RustPath;
use crate::release::Release;

/// Returns the counterparts of the structs.
pub(super) fn run(version: &ApiVersion<Analysed>) -> BTreeMap<SchemaName, Counterpart> {
    let Some(home) = &version.home else {
        return BTreeMap::new();
    };
    let since = introduced(version);
    let has: BTreeMap<_, _> = since
        .iter()
        .filter_map(|(name, first)| {
            let fields = version.object(name)?.fields.iter();
            let has = |field| has(home, *first, of_field(field));
            Some((name.clone(), fields.map(has).collect()))
        })
        .collect();
    let all = since.iter().filter_map(|(name, first)| {
        Some((
            name.clone(),
            counterpart(version, home, *first, &has, name)?,
        ))
    });
    all.collect()
}

/// The first release of each struct. A part is as old as the oldest field that holds it; a kind
/// that doesn't say how old it is, as its document.
fn introduced(version: &ApiVersion<Analysed>) -> BTreeMap<SchemaName, Release> {
    let mut open = BTreeSet::new();
    for (name, resource) in version.kinds() {
        let lifecycle = version
            .types
            .get(name)
            .and_then(|ty| ty.facts.lifecycle.as_ref());
        let first = lifecycle.map_or(version.release, |lifecycle| lifecycle.introduced);
        let list = resource.list.iter();
        open.extend(std::iter::once(name).chain(list).map(|name| (first, name)));
    }
    let mut since = BTreeMap::new();
    // The oldest first, so that none gets older once it has been seen.
    while let Some((first, name)) = open.pop_first() {
        let Some(object) = version.object(name).filter(|_| !since.contains_key(name)) else {
            continue;
        };
        since.insert(name.clone(), first);
        let held = object
            .fields
            .iter()
            .filter_map(|field| Some((first.max(of_field(field)), field.ty.reference()?)));
        open.extend(held);
    }
    since
}

/// The first release of a field, if it says that it is younger than its type.
fn of_field(field: &Field<Analysed>) -> Release {
    let lifecycle = field.facts.lifecycle.as_ref();
    lifecycle
        .map(|lifecycle| lifecycle.introduced)
        .unwrap_or_default()
}

fn counterpart(
    version: &ApiVersion<Analysed>,
    home: &K8sOpenapiModule,
    first: Release,
    has: &BTreeMap<SchemaName, Vec<Availability>>,
    name: &SchemaName,
) -> Option<Counterpart> {
    let object = version.object(name)?;
    let last = home.last();
    if first.max(home.oldest) > last {
        return None;
    }
    let of = match &object.role {
        Role::List { item, .. } => item,
        _ => name,
    };
    let path = RustPath::below(&home.path, of.strip_prefix(&home.prefix)?)?;
    let all = std::iter::once(name).chain(version.layout.graph.below(name));
    let complete = all.map(|name| {
        let keeps = version
            .object(name)
            .is_some_and(|object| object.unknown.is_some());
        let fields = has.get(name).into_iter().flatten().copied();
        fields.max().unwrap_or(Availability::Always).max(if keeps {
            Availability::Never
        } else {
            Availability::Always
        })
    });
    Some(Counterpart {
        path,
        since: (first > home.oldest).then_some(first),
        last: (last < home.newest).then_some(last),
        complete: complete.max().unwrap_or(Availability::Always),
        fields: has.get(name)?.clone(),
    })
}

/// The releases in which a type introduced in `first` has what was introduced in `release`.
fn has(home: &K8sOpenapiModule, first: Release, release: Release) -> Availability {
    if release <= first.max(home.oldest) {
        Availability::Always
    } else if release <= home.last() {
        Availability::Since(release)
    } else {
        Availability::Never
    }
}
