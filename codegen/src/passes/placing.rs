//! Placing: one file for each kind, with its list and the types that only it uses, top down.

use std::collections::{BTreeMap, BTreeSet};

use super::rivals;
use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Graph, Lowered, Module, SchemaName};
use crate::name::{self, Ident, RESERVED_FILES};

/// Gives each file a name of its own.
fn settle(modules: &mut [Module]) {
    let names: Vec<_> = modules
        .iter()
        .map(|module| (module.name.clone(), false))
        .collect();
    let is_reserved = |name: &Ident| RESERVED_FILES.contains(&name.as_str());
    let settled = rivals::settle(&names, is_reserved, name::numbered_field);
    for (module, name) in modules.iter_mut().zip(settled) {
        module.name = name;
    }
}

/// Returns the files of the types. Each kind has the list that `lists` has for it.
pub(super) fn of(
    version: &ApiVersion<Lowered>,
    graph: &Graph,
    lists: &BTreeMap<SchemaName, SchemaName>,
    diagnostics: &mut Diagnostics,
) -> Vec<Module> {
    let mut reached: BTreeMap<SchemaName, Vec<SchemaName>> = BTreeMap::new();
    let mut users: BTreeMap<&SchemaName, BTreeSet<&SchemaName>> = BTreeMap::new();
    for (kind, _) in version.kinds() {
        let mut order: Vec<SchemaName> = vec![kind.clone()];
        order.extend(lists.get(kind).cloned());
        order.extend(graph.below(kind).into_iter().cloned());
        reached.insert(kind.clone(), order);
    }
    for (kind, order) in &reached {
        for name in order {
            users.entry(name).or_default().insert(kind);
        }
    }
    // A type that several kinds use, or none, has a file of its own; but one of objects that are
    // equal is with the kind after which it is named.
    let mut with: BTreeMap<&SchemaName, &SchemaName> = BTreeMap::new();
    for (name, kinds) in &users {
        let is_named = |kind: &&&SchemaName| name.starts_with(kind.as_str());
        let named = kinds.iter().filter(is_named).max_by_key(|kind| kind.len());
        let first = named.or(kinds.first()).copied();
        let is_alone = kinds.len() == 1 || version.merges_equal && !reached.contains_key(*name);
        with.extend(first.filter(|_| is_alone).map(|kind| (*name, kind)));
    }
    let mut files: Vec<Vec<SchemaName>> = Vec::new();
    for (kind, order) in &reached {
        let here = order.iter().filter(|name| with.get(name) == Some(&kind));
        files.push(here.cloned().collect());
    }
    for name in version.types.keys().filter(|name| !with.contains_key(name)) {
        files.push(vec![name.clone()]);
    }
    let mut modules = Vec::new();
    for types in files {
        let Some(first) = types.first().and_then(|name| version.types.get(name)) else {
            continue;
        };
        match name::module_name(&first.name) {
            Some(name) => modules.push(Module { name, types }),
            None => diagnostics.at(
                &version.file,
                &first.pointer,
                format!("`{}` can't be the name of a file", first.name),
                "a type's name has letters and digits only",
            ),
        }
    }
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    if version.is_custom {
        settle(&mut modules);
    }
    modules
}

/// Puts all types into one file.
pub(super) fn joined(modules: Vec<Module>) -> Vec<Module> {
    let mut modules = modules.into_iter();
    let first = modules.next().map(|mut first| {
        first.types.extend(modules.flat_map(|module| module.types));
        first
    });
    first.into_iter().collect()
}
