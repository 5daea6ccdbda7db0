//! Boxing: what is large and optional, or would hold itself, lives on the heap.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, SchemaName, Ty};

/// Marks the fields that are held in a `Box`.
pub(super) fn run(version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
    let large: BTreeSet<SchemaName> = version
        .externs
        .iter()
        .filter(|(_, external)| external.large)
        .map(|(name, _)| name.clone())
        .collect();
    let file = version.file.clone();
    let inline = inline_references(version);
    for (owner, object) in version.structs_mut() {
        for field in &mut object.fields {
            let Ty::Ref(name) = &field.ty else { continue };
            let recursive = reaches(&inline, name, owner);
            field.boxed = recursive || (large.contains(name) && !field.required);
            if recursive && field.required {
                diagnostics.at(
                    &file,
                    &field.pointer,
                    "a required field through which the type holds itself",
                    "no such object can be written: make a field on the way optional",
                );
            }
        }
    }
}

/// The structs that each struct holds in itself, not through a list or map.
fn inline_references(version: &ApiVersion) -> BTreeMap<SchemaName, Vec<SchemaName>> {
    let references = |fields: &[crate::model::Field]| {
        let names = fields.iter().filter_map(|field| match &field.ty {
            Ty::Ref(name) => Some(name.clone()),
            _ => None,
        });
        names.collect()
    };
    version
        .structs()
        .map(|(name, object)| (name.clone(), references(&object.fields)))
        .collect()
}

fn reaches(
    inline: &BTreeMap<SchemaName, Vec<SchemaName>>,
    from: &SchemaName,
    to: &SchemaName,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        if seen.insert(name) {
            open.extend(inline.get(name).into_iter().flatten());
        }
    }
    false
}
