//! Checks that the types are there which derives name.

use std::collections::BTreeMap;

use crate::config::Derived;
use crate::diag::Diagnostics;
use crate::keyword::nearest;
use crate::model::{Analysed, Crate};

/// Reports types that no crate has which names them: one option can be for several crates. A type
/// that has the derive already is reported as well.
pub(super) fn check(crates: &[Crate<'_, Analysed>], diagnostics: &mut Diagnostics) {
    let mut known = BTreeMap::new();
    for krate in crates
        .iter()
        .filter(|krate| !krate.config.derives.is_empty())
    {
        let types = krate
            .versions
            .iter()
            .flat_map(|version| version.types.values());
        known.extend(types.map(|ty| (ty.name.as_str(), ty.object().is_some())));
    }
    for derive in crates.iter().flat_map(|krate| &krate.config.derives) {
        let Derived::Type(wanted) = &derive.of else {
            continue;
        };
        let (message, help) = match known.get(wanted.as_str()) {
            None => {
                let shown = wanted.escape_debug();
                let names = known.keys().copied();
                (
                    format!(
                        "`{shown}`, which the derive `{}` is for, is no type",
                        derive.path
                    ),
                    match nearest(wanted, names) {
                        Some(nearest) => format!("did you mean `{nearest}`?"),
                        None => "name a generated type".to_owned(),
                    },
                )
            }
            Some(is_struct) if derive.is_there(*is_struct) => (
                format!("`{}`: `{wanted}` has it already", derive.path),
                "leave it out of the derives".to_owned(),
            ),
            Some(_) => continue,
        };
        diagnostics.in_file("codegen.toml", None, message, help);
    }
}
