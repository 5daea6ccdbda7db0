//! Boxing: fields that are large and optional, or recursive, are held in a `Box`.

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Ty};

/// Marks the fields that are held in a `Box`.
pub(super) fn run(version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
    let file = version.file.clone();
    let graph = std::mem::take(&mut version.graph);
    let externs = std::mem::take(&mut version.externs);
    for (owner, object) in version.structs_mut() {
        for field in &mut object.fields {
            let Ty::Ref(name) = &field.ty else { continue };
            let recursive = graph.is_recursive(owner, name);
            let large = externs.get(name).is_some_and(|external| external.large);
            field.boxed = (recursive || large) && !field.required;
            if field.required && graph.is_endless(owner, name) {
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
    version.externs = externs;
}
