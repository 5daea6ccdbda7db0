//! Lists: joins each kind and its list.

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Role, SchemaName};

/// Joins kinds and their lists.
pub(super) fn run(version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
    let lists: Vec<(SchemaName, SchemaName)> = version
        .structs()
        .filter_map(|(name, object)| match &object.role {
            Role::List { item } => Some((name.clone(), item.clone())),
            _ => None,
        })
        .collect();
    let file = version.file.clone();
    for (list, item) in lists {
        let Some(ty) = version.types.get(&list).map(|ty| ty.pointer.clone()) else {
            continue;
        };
        let kind = version
            .object_mut(&item)
            .and_then(|object| match &mut object.role {
                Role::Kind(resource) => Some(resource),
                _ => None,
            });
        match kind.map(|resource| &mut resource.list) {
            Some(place @ None) => *place = Some(list),
            Some(Some(other)) => diagnostics.at(
                &file,
                &ty,
                format!("`{item}` has a second list beside `{other}`"),
                "a kind has one list",
            ),
            None => diagnostics.at(
                &file,
                &ty,
                format!("a list of `{item}`, which is not a kind"),
                "its items must be a kind with group, version, kind and paths",
            ),
        }
    }
}
