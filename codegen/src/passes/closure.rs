//! Closure: every schema that a type names is a type of the crate, an alias or an external.

use std::collections::BTreeSet;

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Shape, Ty};

/// Puts aliases in place of references to them.
pub(super) fn run(version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
    let aliases = version.aliases.clone();
    let file = version.file.clone();
    for (_, object) in version.structs_mut() {
        for field in &mut object.fields {
            // An alias of an alias and so on; more steps than aliases are a circle.
            for _ in 0..=aliases.len() {
                let innermost = field.ty.innermost_mut();
                match innermost {
                    Ty::Ref(name) => match aliases.get(name) {
                        Some(target) => *innermost = target.clone(),
                        None => break,
                    },
                    _ => break,
                }
            }
            if let Ty::Ref(name) = field.ty.innermost_mut()
                && aliases.contains_key(name)
            {
                diagnostics.at(
                    &file,
                    &field.pointer,
                    format!("`{name}` is another name for itself"),
                    "give one of the schemas in the circle a type",
                );
            }
        }
    }
    report_missing(version, diagnostics);
}

/// A schema can be missing because it is faulty, which is reported where it stands; this
/// is for those that the generator itself would forget.
fn report_missing(version: &ApiVersion, diagnostics: &mut Diagnostics) {
    if !diagnostics.is_empty() {
        return;
    }
    for ty in version.types.values() {
        let Shape::Struct(object) = &ty.shape else {
            continue;
        };
        for field in &object.fields {
            let mut names = BTreeSet::new();
            field.ty.references(&mut names);
            for name in names {
                if !version.types.contains_key(name)
                    && !version.externs.contains_key(name)
                {
                    diagnostics.at(
                        &version.file,
                        &field.pointer,
                        format!("`{name}` has become no type"),
                        "this is a fault of the generator: please report it with the document",
                    );
                }
            }
        }
    }
}
