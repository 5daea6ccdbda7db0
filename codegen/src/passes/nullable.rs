//! Required fields that may be `null`: those whose type has no zero value, such as a time, which Go
//! writes as `null` when it isn't set; and those of custom resources whose schema says so.

use crate::foundation;
use crate::model::{ApiVersion, Field, Lowered, Ty};

/// Returns true if a field is one of these.
pub(super) fn is_nullable(version: &ApiVersion<Lowered>, field: &Field<Lowered>) -> bool {
    let has_zero = match &field.ty {
        Ty::Time => false,
        Ty::Ref(name) => version.externs.get(name).is_none_or(foundation::has_zero),
        _ => true,
    };
    let may_be = !has_zero || field.facts.takes_null() && version.is_custom;
    field.required && may_be && !field.metadata
}
