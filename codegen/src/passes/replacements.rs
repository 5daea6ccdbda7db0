//! Checks that the schemas are there of which the configuration names the types.

use std::collections::BTreeSet;

use crate::diag::Diagnostics;
use crate::keyword::nearest;
use crate::model::{Analysed, Crate};

/// Reports schemas that no crate has which names them: one option can be for several crates.
pub(super) fn check(crates: &[Crate<'_, Analysed>], diagnostics: &mut Diagnostics) {
    let versions = || crates.iter().flat_map(|krate| &krate.versions);
    let used: BTreeSet<&str> = versions()
        .flat_map(|version| version.replaced.iter().map(String::as_str))
        .collect();
    let wanted = crates.iter().flat_map(|krate| krate.config.types.keys());
    for key in wanted.filter(|key| !used.contains(key.as_str())) {
        let types = versions().flat_map(|version| version.types.values());
        let near = nearest(key, types.map(|ty| ty.name.as_str()));
        diagnostics.in_file(
            "codegen.toml",
            None,
            format!(
                "`{}`, whose type another crate is to have, is no object inside a kind",
                key.escape_debug()
            ),
            match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    "name its path, as in `Boat.spec.owner`, or the type that is generated for \
                         it, as in `BoatSpecOwner`"
                        .to_owned()
                }
            },
        );
    }
}
