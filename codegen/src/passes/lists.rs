//! Lists: joins each kind and its list.

use std::collections::BTreeMap;

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Lowered, Role, SchemaName};

/// Returns the list of each kind that has one.
pub(super) fn of(
    version: &ApiVersion<Lowered>,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<SchemaName, SchemaName> {
    let mut found: BTreeMap<SchemaName, SchemaName> = BTreeMap::new();
    for (list, ty) in &version.types {
        let Some(Role::List { item, .. }) = ty.object().map(|object| &object.role) else {
            continue;
        };
        let of = version.object(item).map(|object| &object.role);
        let (message, help) = match (of, found.get(item)) {
            (Some(Role::Kind(_)), None) => {
                found.insert(item.clone(), list.clone());
                continue;
            }
            (Some(Role::Kind(_)), Some(other)) => (
                format!("`{item}` has a second list beside `{other}`"),
                "a kind has one list",
            ),
            _ => (
                format!("a list of `{item}`, which is not a kind"),
                "its items must be a kind with group, version, kind and paths",
            ),
        };
        diagnostics.at(&version.file, &ty.pointer, message, help);
    }
    found
}
