//! Boxing: fields that are large and optional, or recursive, are held in a `Box`.

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Field, Graph, Lowered, SchemaName, Ty};

/// Returns true if a field is held in a `Box`.
pub(super) fn is_boxed(
    version: &ApiVersion<Lowered>,
    graph: &Graph,
    owner: &SchemaName,
    field: &Field<Lowered>,
    diagnostics: &mut Diagnostics,
) -> bool {
    let Ty::Ref(name) = &field.ty else {
        return false;
    };
    if field.required && graph.is_endless(owner, name) {
        diagnostics.at(
            &version.file,
            &field.pointer,
            "a required field through which the type holds itself",
            "no such object can be written: make a field on the way optional",
        );
    }
    let external = version.externs.get(name);
    let is_large = external.is_some_and(|external| external.large);
    (is_large || graph.is_recursive(owner, name)) && !field.required
}
