//! A file of types, with everything about each of them.

use proc_macro2::TokenStream;

use super::file::{File, folder, origin};
use super::{builders, conversion, enums, imports, kind, lists, resource, types, wire};
use crate::model::{ApiVersion, Module, Shape, Struct, Type};

/// A part of the file of a struct, by the output that makes it.
type Part = fn(&ApiVersion, &Type, &Struct) -> Vec<TokenStream>;

/// The parts of a struct, in their order in the file.
const PARTS: [Part; 6] = [
    types::items,
    builders::items,
    resource::items,
    kind::items,
    lists::items,
    wire::items,
];

/// The file of some types.
pub(super) fn file(version: &ApiVersion, module: &Module) -> File {
    let types = module.types.iter();
    let types = types.filter_map(|name| Some((name, version.types.get(name)?)));
    let mut all = imports::of(version, module);
    for (schema, ty) in types {
        match &ty.shape {
            Shape::Struct(object) => {
                all.extend(PARTS.iter().flat_map(|part| part(version, ty, object)));
            }
            Shape::Enum(shape) => all.extend(enums::items(ty, shape)),
        }
        all.extend(conversion::items(version, schema));
    }
    let path = format!("{}{}.rs", folder(version.module.as_ref()), module.name);
    File::rust(path, origin(version, module), TokenStream::new(), all)
}
