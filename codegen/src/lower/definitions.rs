//! The definitions of custom resources, of crates that are to have them.

use std::collections::BTreeMap;

use crate::diag::Spot;
use crate::load::Document;
use crate::model::{Definition, SchemaName};

/// Returns the definitions of the kinds whose schemas have the prefix; reports those that no server
/// reads.
pub(super) fn of(
    document: &Document,
    prefix: &str,
    root: &Spot<'_>,
) -> BTreeMap<SchemaName, Definition> {
    let mut found = BTreeMap::new();
    let mine = document.definitions.iter();
    for (name, definition) in mine.filter(|(name, _)| name.starts_with(prefix)) {
        match definition {
            Ok(definition) => drop(found.insert(name.clone(), definition.clone())),
            Err(error) => root.at(document.place(name)).report(
                format!("no server reads the definition: {error}"),
                "correct it; or leave out the part `definition`, which holds it",
            ),
        }
    }
    found
}
