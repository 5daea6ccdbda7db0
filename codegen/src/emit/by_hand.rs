//! Modules that are written by hand: the generated code declares them and knows where they are.

use std::collections::BTreeMap;

use super::conversion;
use crate::model::Crate;
use crate::name::{HandWritten, Ident};

/// Where a file is: the module that holds it, if it isn't the root, and its name.
type Place = (Option<Ident>, Ident);

/// The modules that the configuration names and those whose functions its rules call, with
/// whether they are public.
pub(super) fn modules(krate: &Crate<'_>) -> BTreeMap<Place, bool> {
    let called = conversion::hand_written(krate.versions.iter()).into_iter();
    let called = called.map(|(module, file)| ((module.cloned(), file.clone()), false));
    let named = krate.config.by_hand.iter().filter_map(|name| HandWritten::parse(name));
    let named = named.map(|named| ((named.module, named.file), named.public));
    called.chain(named).collect()
}

/// The paths of their files.
pub(crate) fn paths(krate: &Crate<'_>) -> Vec<String> {
    let path = |(module, file): Place| match module {
        Some(module) => format!("src/{module}/{file}.rs"),
        None => format!("src/{file}.rs"),
    };
    modules(krate).into_keys().map(path).collect()
}
