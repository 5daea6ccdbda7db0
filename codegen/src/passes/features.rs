//! Features: what the feature gates of a server switch.

use std::collections::BTreeMap;

use crate::model::{Analysed, Feature, Field, Lifecycle, Resolved, SchemaName, Type};
use crate::name::{self, Ident};
use crate::release::Release;

/// Servers before this release are indistinguishable.
const OLDEST: Release = Release {
    major: 1,
    minor: 23,
};

/// Returns the features that the lifecycles of types name: those of optional fields, which a server
/// without the feature drops, and those that lift a rule.
pub(super) fn of(types: &BTreeMap<SchemaName, Type<Analysed>>) -> BTreeMap<Ident, Feature> {
    let mut found = BTreeMap::new();
    let objects = types.values().filter_map(Type::object);
    for field in objects.flat_map(|object| &object.fields) {
        let own = field.facts.lifecycle.iter().filter(|_| field.is_optional());
        let lifting = field
            .server
            .rules
            .immutable()
            .filter_map(|i| i.unless.as_ref());
        for feature in own.chain(lifting).filter_map(of_lifecycle) {
            found.entry(feature.name.clone()).or_insert(feature);
        }
    }
    found
}

/// Returns the name of the feature without which a server drops a field.
pub(super) fn of_field(field: &Field<Resolved>) -> Option<Ident> {
    let lifecycle = field.facts.lifecycle.as_ref()?;
    of_lifecycle(lifecycle)
        .filter(|_| field.is_optional())
        .map(|feature| feature.name)
}

/// Returns the first release that has a field which no gate switches, if some server lacks it.
pub(super) fn since(field: &Field<Resolved>) -> Option<Release> {
    let lifecycle = field.facts.lifecycle.as_ref()?;
    let is_new = lifecycle.gate.is_none() && lifecycle.introduced > OLDEST;
    is_new.then_some(lifecycle.introduced)
}

/// Returns the feature that a lifecycle names, if some server lacks it.
pub(super) fn of_lifecycle(lifecycle: &Lifecycle) -> Option<Feature> {
    let gate = lifecycle.gate.clone()?;
    let on = lifecycle.default_on.or(lifecycle.beta).or(lifecycle.stable);
    if on.is_some_and(|on| on <= OLDEST) {
        return None;
    }
    Some(Feature {
        name: name::feature_constant(&gate)?,
        gate,
        introduced: lifecycle.introduced,
        beta: lifecycle.beta,
        on,
        stable: lifecycle.stable,
    })
}
