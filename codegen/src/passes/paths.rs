//! Paths: which lists below a kind have keys, and which values can have several owners.

use crate::model::{ApiVersion, Role, SchemaName, Ty, walk_fields};

/// Works out the paths of every kind.
pub(super) fn run(version: &mut ApiVersion) {
    let kinds: Vec<SchemaName> = version.kinds().map(|(kind, _)| kind.clone()).collect();
    for kind in kinds {
        let (keyed_lists, granular) =
            (keyed_lists(version, &kind), granular(version, &kind));
        if let Some(object) = version.object_mut(&kind)
            && let Role::Kind(resource) = &mut object.role
        {
            resource.keyed_lists = keyed_lists;
            resource.granular = granular;
        }
    }
}

fn keyed_lists(version: &ApiVersion, kind: &SchemaName) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    walk_fields(&version.types, kind, &mut |path, field| {
        let keys = &field.facts.list_keys;
        if matches!(field.ty, Ty::List(_)) && !keys.is_empty() {
            found.push((path.to_owned(), keys.clone()));
        }
        Some("")
    });
    found
}

fn granular(version: &ApiVersion, kind: &SchemaName) -> Vec<String> {
    let mut found = Vec::new();
    walk_fields(&version.types, kind, &mut |path, field| {
        let said = field.facts.atomic;
        match &field.ty {
            _ if field.metadata => None,
            Ty::Map(_) if said != Some(true) => {
                found.push(path.to_owned());
                None
            }
            Ty::List(item) if said == Some(false) => {
                found.push(path.to_owned());
                is_granular(version, item).then(|| {
                    found.push(format!("{path}[]"));
                    "[]"
                })
            }
            ty if said != Some(true) && is_granular(version, ty) => {
                found.push(path.to_owned());
                Some("")
            }
            _ => None,
        }
    });
    found
}

/// Whether a value is a struct of the crate that can have several owners.
pub(super) fn is_granular(version: &ApiVersion, ty: &Ty) -> bool {
    let own = version.own_struct(ty);
    own.is_some_and(|(ty, _)| ty.facts.atomic != Some(true))
}
