//! Versions: the others of its group that have a kind, from the documents of all crates.

use std::collections::BTreeMap;

use crate::model::{Analysed, ApiVersion, Crate, Lifecycle, Resource};

/// The versions of each kind of Kubernetes' own whose lifecycle is known, by its group and name.
pub(super) struct Versions(BTreeMap<(String, String), Vec<(String, Lifecycle)>>);

impl Versions {
    /// Finds the versions in all crates.
    pub(super) fn of(crates: &[Crate<'_, Analysed>]) -> Self {
        let mut known = BTreeMap::<_, Vec<_>>::new();
        let versions = crates.iter().flat_map(|krate| &krate.versions);
        for version in versions.filter(|version| !version.is_custom) {
            for (schema, resource) in version.kinds() {
                let ty = version.types.get(schema);
                if let Some(lifecycle) = ty.and_then(|ty| ty.facts.lifecycle.as_ref()) {
                    let one = (resource.version.clone(), lifecycle.clone());
                    known.entry(kind(resource)).or_default().push(one);
                }
            }
        }
        for versions in known.values_mut() {
            versions.sort_by_key(|(_, lifecycle)| lifecycle.introduced);
        }
        Self(known)
    }

    /// Returns the versions of a kind but its own; none of a custom resource.
    pub(super) fn others(
        &self,
        version: &ApiVersion<Analysed>,
        resource: &Resource<Analysed>,
    ) -> Vec<(String, Lifecycle)> {
        let known = self.0.get(&kind(resource)).filter(|_| !version.is_custom);
        let known = known.into_iter().flatten();
        known
            .filter(|(name, _)| *name != resource.version)
            .cloned()
            .collect()
    }
}

fn kind(resource: &Resource<Analysed>) -> (String, String) {
    (resource.group.clone(), resource.kind.clone())
}
