//! Hand-written modules, which the generated code declares.

use std::collections::BTreeMap;

use super::conversion;
use super::runtime::Feature;
use crate::model::Crate;
use crate::name::{HandWritten, Ident};

/// The location of a module: the module that holds it, if it isn't the root, and its name.
type Location = (Option<Ident>, Ident);

/// True if a module is public, and the feature that brings it, if not all have it.
type Declaration = (bool, Option<Feature>);

/// The modules that the configuration names and those whose functions its rules call.
pub(super) fn modules(krate: &Crate<'_>) -> BTreeMap<Location, Declaration> {
    let called = conversion::hand_written(krate.versions.iter());
    let called = called.map(|(module, file)| ((module.cloned(), file.clone()), (false, None)));
    let named = krate
        .config
        .by_hand
        .iter()
        .filter_map(|name| HandWritten::parse(name));
    let named = named.map(|named| ((named.module, named.file), (named.public, None)));
    let mut modules: BTreeMap<_, _> = called.chain(named).collect();
    if let Some(rules) = krate.config.own_rules() {
        // A module that conversions call as well is there without the feature.
        let rules_only = (false, Some(Feature::Validation));
        modules
            .entry((rules.module, rules.file))
            .or_insert(rules_only);
    }
    modules
}

/// The paths of their files, `src/NAME.rs`; a module may be a folder `src/NAME/` instead.
pub(crate) fn paths(krate: &Crate<'_>) -> Vec<String> {
    let path = |(module, file): Location| match module {
        Some(module) => format!("src/{module}/{file}.rs"),
        None => format!("src/{file}.rs"),
    };
    modules(krate).into_keys().map(path).collect()
}
