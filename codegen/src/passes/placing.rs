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
    // A type that several kinds use, or none, has a file of its own.
    let shared = |name: &SchemaName| users.get(name).is_none_or(|kinds| kinds.len() != 1);
    let mut files: Vec<Vec<SchemaName>> = Vec::new();
    for order in reached.values() {
        files.push(order.iter().filter(|name| !shared(name)).cloned().collect());
    }
    for name in version.types.keys().filter(|name| shared(name)) {
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
