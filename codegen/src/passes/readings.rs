//! Readings: values that Kubernetes reads in more forms than their types do.

use crate::foundation;
use crate::model::{ApiVersion, Field, Lowered, Reading, Role, Struct, Ty};

/// Returns the form in which a field is read, if not as its type reads itself.
pub(super) fn of(
    version: &ApiVersion<Lowered>,
    object: &Struct<Lowered>,
    field: &Field<Lowered>,
) -> Option<Reading> {
    // Lists of kinds are never sent to a server.
    if matches!(object.role, Role::List { .. }) {
        return None;
    }
    let external = |ty: &Ty| match ty {
        Ty::Ref(schema) => version.externs.get(schema),
        _ => None,
    };
    if external(field.ty.innermost()).is_some_and(|external| external.has_maps) {
        return Some(match &field.ty {
            Ty::List(_) | Ty::Map(_) => Reading::Shaped,
            _ => Reading::Pruned,
        });
    }
    match &field.ty {
        Ty::Time => Some(Reading::Time),
        Ty::List(element) | Ty::Map(element) => {
            let inner = element.innermost();
            let is_moment = matches!(inner, Ty::Time)
                || external(inner).is_some_and(|e| foundation::is_moment(&e.path));
            // Types of others read themselves, and some have no zero value.
            let has_zero = external(inner).is_none_or(foundation::has_zero);
            let is_quantity = external(element).is_some_and(|e| foundation::is_quantity(&e.path));
            match &field.ty {
                _ if is_moment || matches!(**element, Ty::List(_) | Ty::Map(_)) => {
                    (is_moment || has_zero).then_some(Reading::Shaped)
                }
                Ty::Map(_) if version.is_custom && !field.facts.has_null_inside() => {
                    Some(Reading::Entries)
                }
                Ty::Map(_) if is_quantity => Some(Reading::Quantities),
                Ty::List(_) if is_quantity => Some(Reading::Shaped),
                _ => has_zero.then_some(Reading::Elements),
            }
        }
        ty => match &external(ty)?.path {
            path if foundation::is_time(path) => Some(Reading::Time),
            path if foundation::is_quantity(path) => Some(Reading::Quantity),
            _ => None,
        },
    }
}
