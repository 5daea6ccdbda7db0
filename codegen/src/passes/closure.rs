//! Closure: every schema that a type names is a type of the crate, an alias or an external.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Lowered, SchemaName, Ty};

/// The longest chain of schemas that are only names for other types.
const MAX_ALIASES: usize = 16;

/// Replaces references to aliases by their types.
pub(super) fn run(version: &mut ApiVersion<Lowered>, diagnostics: &mut Diagnostics) {
    let aliases = version.aliases.clone();
    let file = version.file.clone();
    for (_, object) in version.structs_mut() {
        for field in &mut object.fields {
            if let Err(message) = resolve(&mut field.ty, &aliases) {
                let help = "give one of the schemas on the way a type of its own";
                diagnostics.at(&file, &field.pointer, message, help);
            }
        }
    }
}

/// Follows aliases of aliases to their end, if they have one.
fn resolve(ty: &mut Ty, aliases: &BTreeMap<SchemaName, Ty>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    loop {
        let innermost = ty.innermost_mut();
        let Ty::Ref(name) = innermost else {
            return Ok(());
        };
        let Some(target) = aliases.get(name) else {
            return Ok(());
        };
        if !seen.insert(name.clone()) {
            return Err(format!("`{name}` is another name for itself"));
        }
        if seen.len() > MAX_ALIASES {
            return Err(format!(
                "`{name}` comes after {MAX_ALIASES} names for names"
            ));
        }
        *innermost = target.clone();
    }
}

/// Reports schemas that the generator itself would forget, in documents without other errors: a
/// schema can be missing because it is wrong, which is reported where it is.
pub(super) fn report_missing(version: &ApiVersion<Lowered>, diagnostics: &mut Diagnostics) {
    for field in version.structs().flat_map(|(_, object)| &object.fields) {
        let is_missing = |name: &&SchemaName| {
            !version.types.contains_key(*name) && !version.externs.contains_key(*name)
        };
        if let Some(name) = field.ty.reference().filter(is_missing) {
            diagnostics.at(
                &version.file,
                &field.pointer,
                format!("`{name}` has become no type"),
                "this is a bug of the generator: please report it with the document",
            );
        }
    }
}
