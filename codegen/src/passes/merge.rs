//! Merging: the merge strategy of each field, as in server-side apply.

use super::paths;
use crate::foundation;
use crate::model::{ApiVersion, Field, Inner, Lowered, Merge, Replaced, Role, Struct, Ty};
use crate::name::{self, Ident};

/// Returns the merge strategy of a field of a struct.
pub(super) fn of(
    version: &ApiVersion<Lowered>,
    object: &Struct<Lowered>,
    field: &Field<Lowered>,
) -> Merge {
    let atomic = field.facts.atomic;
    match &field.ty {
        _ if field.metadata && matches!(object.role, Role::Kind(_)) => Merge::Metadata,
        _ if atomic == Some(true) => Merge::Whole,
        Ty::Map(value) => Merge::Entries(inner(version, value)),
        Ty::List(item) if atomic == Some(false) => {
            match keys(version, item, &field.facts.list_keys) {
                Some(keys) if keys.is_empty() => Merge::Set,
                Some(keys) => Merge::List {
                    keys,
                    elements: inner(version, item),
                },
                None => Merge::Whole,
            }
        }
        ty => fields(version, ty).map_or(Merge::Whole, Merge::Fields),
    }
}

/// The fields of the elements that are keys, by their names in Rust; nothing if one isn't a field.
fn keys(version: &ApiVersion<Lowered>, item: &Ty, keys: &[String]) -> Option<Vec<Ident>> {
    let own = version.own_struct(item).map(|(_, object)| object);
    let external = item
        .reference()
        .is_some_and(|of| version.externs.contains_key(of));
    let keys = keys.iter().map(|key| match own {
        Some(own) => own.field(key).map(|field| field.name.clone()),
        None => name::field_name(key).filter(|_| external),
    });
    keys.collect()
}

fn inner(version: &ApiVersion<Lowered>, ty: &Ty) -> Inner {
    match fields(version, ty) {
        Some(_) => Inner::Fields,
        None => Inner::Whole,
    }
}

/// Returns the paths that are replaced in a value whose fields are merged; nothing if the value is
/// replaced.
fn fields(version: &ApiVersion<Lowered>, ty: &Ty) -> Option<Vec<Replaced>> {
    let Ty::Ref(schema) = ty else { return None };
    match version.externs.get(schema) {
        Some(external) if foundation::has_merge(external) => external.merged.clone(),
        _ => paths::is_granular(version, ty).then(Vec::new),
    }
}
