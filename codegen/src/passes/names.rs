//! Names: the order of fields, and checks that names are unique.

use std::collections::BTreeMap;

use super::nullable;
use crate::config::CrateConfig;
use crate::diag::Diagnostics;
use crate::model::{
    Analysed, ApiVersion, Field, Lowered, Resolved, Rest, Role, Shape, Struct, Type,
};
use crate::name::{self, Ident, RESERVED_FILES};
use crate::pointer::Pointer;

/// Puts metadata first and status last; between them required fields before optional ones.
pub(super) fn order_fields(version: &mut ApiVersion<Lowered>) {
    for (_, object) in version.structs_mut() {
        let is_part = matches!(object.role, Role::Part);
        let rank = |field: &Field<Lowered>| match field.json.as_str() {
            "metadata" if !is_part => 0,
            "spec" if !is_part => 1,
            "status" if !is_part => 4,
            _ if field.required => 2,
            _ => 3,
        };
        object.fields.sort_by_key(rank);
    }
}

/// Returns the field for those that a struct doesn't know, if the document or the crate is to keep
/// them, or for those that are `null`, if there can be some.
pub(super) fn rest(
    version: &ApiVersion<Lowered>,
    config: &CrateConfig,
    object: &Struct<Lowered>,
) -> Option<Rest> {
    let only_nulls = !(config.keep_unknown_fields || object.is_open);
    let mut fields = object.fields.iter();
    let is_kept = !only_nulls || fields.any(|field| nullable::keeps_null(version, field));
    let taken = object.fields.iter().map(|field| &field.name);
    is_kept.then(|| Rest {
        name: name::rest(&taken.collect::<Vec<_>>(), only_nulls),
        only_nulls,
    })
}

/// Reports every two things of the same Rust name: a suffix would only hide the question.
pub(super) fn check(version: &ApiVersion<Resolved>, diagnostics: &mut Diagnostics) {
    let types = version.types.values();
    let types = types.map(|ty| (&ty.name, ty.name.as_str(), &ty.pointer));
    check_unique(version, "types", types, diagnostics);
    for ty in version.types.values() {
        if name::is_prelude(&ty.name) {
            diagnostics.at(
                &version.file,
                &ty.pointer,
                format!("`{}` is a name that Rust itself uses", ty.name),
                "a type of this name can't be generated: leave it out with an overlay",
            );
        }
        match &ty.shape {
            Shape::Struct(object) => {
                let fields = object.fields.iter();
                let fields = fields.map(|f| (&f.name, f.json.as_str(), &f.pointer));
                check_unique(version, "properties", fields, diagnostics);
            }
            Shape::Enum(shape) => {
                let pointer = ty.pointer.child("enum");
                let values = shape.variants.iter();
                let values = values.map(|v| (&v.name, v.value.as_str(), &pointer));
                check_unique(version, "values", values, diagnostics);
            }
        }
    }
    let files = version.layout.modules.iter();
    let files = files.filter_map(|module| Some((&module.name, version.first(module)?)));
    let named = files
        .clone()
        .map(|(name, ty)| (name, ty.name.as_str(), &ty.pointer));
    check_unique(version, "types", named, diagnostics);
    for (name, ty) in files {
        // A file of the crate that isn't made from a kind.
        if RESERVED_FILES.contains(&name.as_str()) {
            diagnostics.at(
                &version.file,
                &ty.pointer,
                format!(
                    "`{}` needs the file {name}.rs, which has another use",
                    ty.name
                ),
                "a type of this name can't be generated",
            );
        }
    }
}

/// Reports every two types of a crate, from different documents, of the same name or file.
pub(super) fn check_crate(versions: &[ApiVersion<Analysed>], diagnostics: &mut Diagnostics) {
    // Each module is a scope of its own; the modules themselves are names at the root.
    let mut types: BTreeMap<(Option<&Ident>, &str), &ApiVersion<Analysed>> = BTreeMap::new();
    let mut files: BTreeMap<(Option<&Ident>, &str), &ApiVersion<Analysed>> = BTreeMap::new();
    for version in versions {
        if let Some(module) = &version.module {
            files.insert((None, module.as_str()), version);
        }
    }
    for version in versions {
        let scope = version.module.as_ref();
        let mut clashes = Vec::new();
        for ty in version.types.values() {
            if let Some(other) = types.insert((scope, ty.name.as_str()), version) {
                clashes.push(ty.name.as_str());
                let what = format!("the type `{}`", ty.name);
                across(version, other, ty, &what, diagnostics);
            }
        }
        for module in &version.layout.modules {
            let Some(ty) = version.first(module) else {
                continue;
            };
            let other = files.insert((scope, module.name.as_str()), version);
            // Types of one name have files of one name; that is one error, not two.
            if let Some(other) = other.filter(|_| !clashes.contains(&ty.name.as_str())) {
                let what = format!("the file {}.rs", module.name);
                across(version, other, ty, &what, diagnostics);
            }
        }
    }
}

fn across(
    version: &ApiVersion<Analysed>,
    other: &ApiVersion<Analysed>,
    ty: &Type<Analysed>,
    what: &str,
    diagnostics: &mut Diagnostics,
) {
    // Within one document it has been reported already.
    if std::ptr::eq(version, other) {
        return;
    }
    diagnostics.at(
        &version.file,
        &ty.pointer,
        format!("{what} comes from {} too", other.file),
        "put one of the documents into a crate of its own",
    );
}

/// Reports every two things of a scope of the same name in Rust. Each has that name, its own and
/// the place where it is.
fn check_unique<'a>(
    version: &ApiVersion<Resolved>,
    what: &str,
    things: impl Iterator<Item = (&'a Ident, &'a str, &'a Pointer)>,
    diagnostics: &mut Diagnostics,
) {
    let mut taken = BTreeMap::new();
    for (rust, kubernetes, pointer) in things {
        if let Some(other) = taken.insert(rust, kubernetes) {
            diagnostics.at(
                &version.file,
                pointer,
                format!("the {what} `{other}` and `{kubernetes}` are both `{rust}` in Rust"),
                "rename one of them in the document, or leave it out with an overlay",
            );
        }
    }
}
