//! Homes: what the configuration says another generated crate has, that crate must have.

use std::collections::BTreeSet;

use crate::diag::Diagnostics;
use crate::model::{Crate, External, Lowered};

/// Takes the next home of a schema that is in no document of the generated crate which was to have
/// it, and reports a schema that has none.
pub(super) fn run(crates: &mut [Crate<'_, Lowered>], diagnostics: &mut Diagnostics) {
    let mut has = BTreeSet::new();
    for krate in &*crates {
        for version in &krate.versions {
            let names = version.types.keys().chain(version.aliases.keys());
            has.extend(names.map(|name| (krate.config.name.clone(), name.clone())));
        }
    }
    for version in crates.iter_mut().flat_map(|krate| &mut krate.versions) {
        let file = version.file.clone();
        let mut lost = BTreeSet::new();
        for (schema, external) in version.externs.iter_mut().filter(|(_, e)| e.generated) {
            let package = external.package.clone().unwrap_or_default();
            if has.contains(&(package, schema.clone())) {
                continue;
            }
            match external.otherwise.take() {
                Some(path) => {
                    *external = External {
                        path,
                        package: None,
                        generated: false,
                        ..external.clone()
                    };
                }
                None => drop(lost.insert(schema.clone())),
            }
        }
        for (_, object) in version.structs() {
            for field in &object.fields {
                let Some(schema) = field.ty.reference().filter(|s| lost.contains(*s)) else {
                    continue;
                };
                diagnostics.at(
                    &file,
                    &field.pointer,
                    format!("`{schema}` is in no document of the crate that is to have it"),
                    "add the document that has it to that crate, or an [[extern]] with a \
                     shorter prefix for the rest, as `k8s_openapi::api`",
                );
            }
        }
    }
}
