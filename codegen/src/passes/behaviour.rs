//! Behaviour: which types have defaults, checks or warnings, in them or below them.

use std::collections::{BTreeMap, BTreeSet};

use crate::foundation;
use crate::model::{
    ApiVersion, Behaviour, Feature, Field, Lifecycle, Reading, Role, Rules, SchemaName, Struct, Ty,
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
    let sets_defaults = holding(|object| {
        let mut facts = object.fields.iter().map(|field| &field.facts);
        facts.any(|f| f.default_function.is_some() || f.literal.is_some())
    });
    let drops_fields = holding(|object| {
        object.rules.preparation.is_some()
            || object.fields.iter().any(|f| f.facts.feature.is_some())
    });
    let checks = holding(|object| {
        object.rules.exactly_one
            || object.rules.embedded
            || !object.rules.depends.is_empty()
            || !object.rules.together.is_empty()
            || object.rules.cel.iter().any(|rule| !rule.compares)
            || object
                .fields
                .iter()
                .any(|field| field.rules.ask_of_creation())
    });
    let checks_updates = holding(|object| {
        let compares = |field: &Field| field.rules.cel(true).next().is_some();
        !object.rules.functions.is_empty()
            || object.rules.cel.iter().any(|rule| rule.compares)
            || object
                .fields
                .iter()
                .any(|field| is_immutable(field) || compares(field))
    });
    let warns = holding(|object| {
        let mut rules = object.fields.iter().map(|field| &field.rules);
        object.rules.warning.is_some() || rules.any(|r| r.warnings().next().is_some())
    });
    let compared = compared(version);
    let readings = readings(version);
    for (name, object) in version.structs_mut() {
        // Lists of kinds are never sent to a server.
        if matches!(object.role, Role::List { .. }) {
            continue;
        }
        let exactly_one = object.rules.exactly_one;
        for field in &mut object.fields {
            let is_collection = matches!(field.ty, Ty::List(_) | Ty::Map(_));
            let is_member = exactly_one && field.is_optional() && !is_collection;
            settle_alone(&mut field.rules, is_member);
            let place = (name.clone(), field.json.clone());
            field.facts.reading = readings.get(&place).copied();
        }
        let is_kind = matches!(object.role, Role::Kind(_));
        object.behaviour = Behaviour {
            sets_defaults: sets_defaults.contains(name),
            drops_fields: drops_fields.contains(name),
            checks: is_kind || checks.contains(name),
            checks_updates: checks_updates.contains(name),
            warns: warns.contains(name),
            is_compared: compared.contains(name),
        };
    }
}

/// Keeps checks of the only field that is set to members of a struct of which one must be set.
fn settle_alone(rules: &mut Rules, is_member: bool) {
    rules.calls_mut().for_each(|call| call.alone &= is_member);
    if let Some(items) = &mut rules.items {
        settle_alone(items, false);
    }
}

/// The fields that aren't read as their types read themselves, with their structs.
fn readings(version: &ApiVersion) -> BTreeMap<(SchemaName, String), Reading> {
    let external = |ty: &Ty| match ty {
        Ty::Ref(schema) => version.externs.get(schema),
        _ => None,
    };
    let reading = |field: &Field| match &field.ty {
        Ty::Time => Some(Reading::Time),
        Ty::List(element) | Ty::Map(element) => {
            let mut inner = &**element;
            while let Ty::List(element) | Ty::Map(element) = inner {
                inner = element;
            }
            let is_moment = matches!(inner, Ty::Time)
                || external(inner).is_some_and(|e| foundation::is_moment(&e.path));
            // Types of others read themselves, and some have no zero value.
            let has_zero = external(inner).is_none_or(foundation::has_zero);
            let is_quantity = external(element).is_some_and(|e| foundation::is_quantity(&e.path));
            match &field.ty {
                _ if is_moment || matches!(**element, Ty::List(_) | Ty::Map(_)) => {
                    (is_moment || has_zero).then_some(Reading::Shaped)
                }
                Ty::Map(_) if version.is_custom && !field.facts.has_null_inside() => {
                    Some(Reading::Entries)
                }
                Ty::Map(_) if is_quantity => Some(Reading::Quantities),
                Ty::List(_) if is_quantity => Some(Reading::Shaped),
                _ => has_zero.then_some(Reading::Elements),
            }
        }
        ty => external(ty)
            .is_some_and(|external| foundation::is_time(&external.path))
            .then_some(Reading::Time),
    };
    let mut readings = BTreeMap::new();
    for (name, object) in version.structs() {
        for field in &object.fields {
            if let Some(reading) = reading(field) {
                readings.insert((name.clone(), field.json.clone()), reading);
            }
        }
    }
    readings
}

fn is_immutable(field: &Field) -> bool {
    field.rules.immutable().next().is_some()
}

/// The structs that are compared as a whole, and what is in them.
fn compared(version: &ApiVersion) -> BTreeSet<SchemaName> {
    fn required(object: &Struct) -> impl Iterator<Item = &Field> {
        object.fields.iter().filter(|field| !field.is_optional())
    }
    let mut found = BTreeSet::new();
    let fields = version.structs().flat_map(|(_, object)| required(object));
    let mut open: Vec<&Ty> = fields
        .filter(|field| is_immutable(field))
        .map(|field| &field.ty)
        .collect();
    while let Some(ty) = open.pop() {
        if let (Ty::Ref(name), Some((_, object))) = (ty, version.own_struct(ty))
            && found.insert(name.clone())
        {
            open.extend(required(object).map(|field| &field.ty));
        }
    }
    found
}

/// Notes the features that lifecycles name: those of optional fields, which a server without
/// the feature drops, and those that lift a rule.
fn find_features(version: &mut ApiVersion) {
    let mut features = std::mem::take(&mut version.features);
    let mut note = |lifecycle: &Lifecycle| {
        let feature = feature(lifecycle)?;
        let name = feature.name.clone();
        features.entry(name.clone()).or_insert(feature);
        Some(name)
    };
    for (_, object) in version.structs_mut() {
        for field in &mut object.fields {
            let optional = field.is_optional();
            let lifecycle = field.facts.lifecycle.as_ref().filter(|_| optional);
            field.facts.feature = lifecycle.and_then(&mut note);
            for immutable in field.rules.immutable_mut() {
                immutable.feature = immutable.unless.as_ref().and_then(&mut note);
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
