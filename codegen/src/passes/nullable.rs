//! Required fields that may be `null`: those whose type has no zero value, such as a time, which Go
//! writes as `null` when it isn't set; and those of custom resources whose schema says so.

use crate::foundation;
use crate::model::{ApiVersion, Ty};

/// Marks these fields.
pub(super) fn run(version: &mut ApiVersion) {
    let is_custom = version.is_custom;
    let externs = std::mem::take(&mut version.externs);
    for (_, object) in version.structs_mut() {
        for field in &mut object.fields {
            let has_zero = match &field.ty {
                Ty::Time => false,
                Ty::Ref(name) => externs.get(name).is_none_or(foundation::has_zero),
                _ => true,
            };
            let may_be = !has_zero || field.facts.takes_null() && is_custom;
            field.nullable = field.required && may_be && !field.metadata;
        }
    }
    version.externs = externs;
}
