//! Renames: the names that the configuration gives to properties and to values of enumerations.

use std::collections::BTreeSet;

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Lowered, Shape};
use crate::name::{self, Ident};
use crate::pointer::Pointer;

/// Gives these names. A key is the name of the type, a dot, and the property or value.
pub(super) fn run(version: &mut ApiVersion<Lowered>, diagnostics: &mut Diagnostics) {
    let names = std::mem::take(&mut version.names);
    let mut unused: BTreeSet<&str> = names.keys().map(String::as_str).collect();
    let mut bad = Vec::new();
    for ty in version.types.values_mut() {
        let owner = ty.name.to_string();
        let mut rename = |part: &str, own: &mut Ident, read: fn(&str) -> Option<Ident>| {
            let key = format!("{owner}.{part}");
            let Some(wanted) = names.get(&key) else {
                return;
            };
            unused.remove(key.as_str());
            match read(wanted).filter(|name| name.as_str() == wanted) {
                Some(name) => *own = name,
                None => bad.push((key, wanted.clone())),
            }
        };
        match &mut ty.shape {
            Shape::Struct(object) => {
                for field in &mut object.fields {
                    rename(&field.json, &mut field.name, name::field_name);
                }
            }
            Shape::Enum(shape) => {
                for variant in &mut shape.variants {
                    rename(&variant.value, &mut variant.name, name::type_name);
                }
            }
        }
    }
    let mut report = |message: String, help: &str| {
        diagnostics.at(&version.file, &Pointer::schemas(), message, help);
    };
    for (key, wanted) in bad {
        let (key, wanted) = (key.escape_debug(), wanted.escape_debug());
        report(
            format!("`{key}` can't be named `{wanted}` in Rust"),
            "write a field like `first_name` and a value like `FirstName`, in `names` of the \
             document in codegen.toml",
        );
    }
    for key in unused {
        report(
            format!("no type has a property or value `{}`", key.escape_debug()),
            "correct it in `names` of the document in codegen.toml: the type as it is named in \
             Rust, a dot, and the property or value as it is written",
        );
    }
}
