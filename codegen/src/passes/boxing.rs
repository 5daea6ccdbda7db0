//! Boxing: fields that are large and optional, or recursive, are held in a `Box`.

use std::collections::BTreeSet;

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
    let graph = std::mem::take(&mut version.graph);
    for (owner, object) in version.structs_mut() {
        for (index, field) in object.fields.iter_mut().enumerate() {
            let Ty::Ref(name) = &field.ty else { continue };
            let recursive = graph.is_recursive(owner, index);
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
    version.graph = graph;
}
