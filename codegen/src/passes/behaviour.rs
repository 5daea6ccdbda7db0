//! Behaviour: which types have defaults, checks or warnings, in them or below them.

use std::collections::BTreeSet;

use crate::model::{
    ApiVersion, Behaviour, Feature, Field, Lifecycle, Role, SchemaName, Struct, Ty,
};
use crate::name;
use crate::release::Release;

/// Servers before this release are indistinguishable.
const OLDEST: Release = Release {
    major: 1,
    minor: 23,
};

/// Works out the features of the fields and what the server does with each struct.
pub(super) fn run(version: &mut ApiVersion) {
    find_features(version);
    let holding = |holds: fn(&Struct) -> bool| {
        let holds = |name: &SchemaName| version.object(name).is_some_and(holds);
        version.graph.holding(holds)
    };
    let sets = holding(sets_defaults);
    let drops = holding(drops_fields);
    let checks = holding(checks);
    let updates = holding(checks_updates);
    let warns = holding(warns);
    let compared = compared(version);
    for (name, object) in version.structs_mut() {
        // Lists of kinds are never sent to a server.
        if matches!(object.role, Role::List { .. }) {
            continue;
        }
        let is_kind = matches!(object.role, Role::Kind(_));
        object.behaviour = Behaviour {
            sets_defaults: sets.contains(name),
            drops_fields: drops.contains(name),
            checks: is_kind || checks.contains(name),
            checks_updates: updates.contains(name),
            warns: warns.contains(name),
            is_compared: compared.contains(name),
        };
    }
}

fn sets_defaults(object: &Struct) -> bool {
    let sets = |field: &Field| {
        field.facts.default_function.is_some() || field.facts.literal.is_some()
    };
    object.fields.iter().any(sets)
}

fn drops_fields(object: &Struct) -> bool {
    object.fields.iter().any(|field| field.facts.feature.is_some())
}

fn checks(object: &Struct) -> bool {
    object.rules.exactly_one
        || !object.rules.depends.is_empty()
        || object.fields.iter().any(|field| field.rules.ask_of_creation())
}

fn checks_updates(object: &Struct) -> bool {
    object.fields.iter().any(|field| field.rules.immutable().next().is_some())
}

fn warns(object: &Struct) -> bool {
    object.rules.warning.is_some()
        || object.fields.iter().any(|field| field.rules.warnings().next().is_some())
}

/// The structs that are compared as a whole, and what is in them.
fn compared(version: &ApiVersion) -> BTreeSet<SchemaName> {
    let mut found = BTreeSet::new();
    let is_required = |field: &&Field| !field.is_optional();
    let mut open: Vec<&Ty> = Vec::new();
    for (_, object) in version.structs() {
        let fields = object.fields.iter().filter(is_required);
        let frozen = |field: &&Field| field.rules.immutable().next().is_some();
        open.extend(fields.filter(frozen).map(|field| &field.ty));
    }
    while let Some(ty) = open.pop() {
        if let (Ty::Ref(name), Some((_, object))) = (ty, version.own_struct(ty))
            && found.insert(name.clone())
        {
            open.extend(object.fields.iter().filter(is_required).map(|field| &field.ty));
        }
    }
    found
}

/// Notes the features that lifecycles name: those of optional fields, which a server without
/// the feature drops, and those that lift a rule.
fn find_features(version: &mut ApiVersion) {
    let mut features = std::mem::take(&mut version.features);
    for (_, object) in version.structs_mut() {
        for field in &mut object.fields {
            let is_optional = field.is_optional();
            let lifecycle = field.facts.lifecycle.as_ref().filter(|_| is_optional);
            if let Some(feature) = lifecycle.and_then(feature) {
                field.facts.feature = Some(feature.name.clone());
                features.entry(feature.name.clone()).or_insert(feature);
            }
            for immutable in field.rules.immutable_mut() {
                if let Some(feature) = immutable.unless.as_ref().and_then(feature) {
                    immutable.feature = Some(feature.name.clone());
                    features.entry(feature.name.clone()).or_insert(feature);
                }
            }
        }
    }
    version.features = features;
}

/// The feature that a lifecycle names, if some server lacks it.
fn feature(lifecycle: &Lifecycle) -> Option<Feature> {
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
