//! Fields that may be `null`: required ones whose type has no zero value, such as a time, which Go
//! writes as `null` when it isn't set; and those of custom resources whose schema says so.

use crate::foundation;
use crate::model::{ApiVersion, Field, Lowered, Ty};

/// Returns true if a field is required and may be `null`.
pub(super) fn is_nullable(version: &ApiVersion<Lowered>, field: &Field<Lowered>) -> bool {
    let has_zero = match &field.ty {
        Ty::Time => false,
        Ty::Ref(name) => version.externs.get(name).is_none_or(foundation::has_zero),
        _ => true,
    };
    let may_be = !has_zero || field.facts.takes_null() && version.is_custom;
    field.required && may_be && !field.metadata
}

/// Returns true if a server keeps `null` of an optional field, as one of a custom resource does if
/// its schema says so.
pub(super) fn keeps_null(version: &ApiVersion<Lowered>, field: &Field<Lowered>) -> bool {
    version.is_custom && field.facts.takes_null() && !field.is_always_written()
}
