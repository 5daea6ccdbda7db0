//! Versions: each kind gets the others of its group that have it, from the documents of all crates.

use std::collections::BTreeMap;

use crate::model::{Crate, Lowered, Resource, Role, Version};

/// The versions of each kind, by its group and name.
type Known = BTreeMap<(String, String), Vec<Version>>;

/// Sets the other versions of each kind of Kubernetes' own, as far as their lifecycles are known.
pub(super) fn run(crates: &mut [Crate<'_, Lowered>]) {
    let mut known = Known::new();
    let versions = crates.iter().flat_map(|krate| &krate.versions);
    for version in versions.filter(|version| !version.is_custom) {
        for (schema, resource) in version.kinds() {
            let ty = version.types.get(schema);
            if let Some(lifecycle) = ty.and_then(|ty| ty.facts.lifecycle.as_ref()) {
                known.entry(kind(resource)).or_default().push(Version {
                    name: resource.version.clone(),
                    introduced: lifecycle.introduced,
                    removed: lifecycle.removed,
                });
            }
        }
    }
    let versions = crates.iter_mut().flat_map(|krate| &mut krate.versions);
    for version in versions.filter(|version| !version.is_custom) {
        for (_, object) in version.structs_mut() {
            if let Role::Kind(resource) = &mut object.role {
                let mut others = known.get(&kind(resource)).cloned().unwrap_or_default();
                others.retain(|other| other.name != resource.version);
                others.sort_by_key(|other| other.introduced);
                resource.others = others;
            }
        }
    }
}

fn kind(resource: &Resource<Lowered>) -> (String, String) {
    (resource.group.clone(), resource.kind.clone())
}
