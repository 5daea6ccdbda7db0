//! Required fields that may be `null`: those whose type has no zero value, such as a time, which Go
//! writes as `null` when it isn't set.

use crate::foundation;
use crate::model::{ApiVersion, Ty};

/// Marks these fields.
pub(super) fn run(version: &mut ApiVersion) {
    let externs = std::mem::take(&mut version.externs);
    for (_, object) in version.structs_mut() {
        for field in object.fields.iter_mut().filter(|field| field.required) {
            let has_zero = match &field.ty {
                Ty::Time => false,
                Ty::Ref(name) => externs.get(name).is_none_or(foundation::has_zero),
                _ => true,
            };
            field.nullable = !has_zero && !field.metadata;
        }
    }
    version.externs = externs;
}
