//! A file of types, with everything about each of them.

use proc_macro2::TokenStream;

use super::file::{File, folder, origin};
use super::item::Item;
use super::{builders, conversion, enums, imports, kind, lists, resource, types, wire};
use crate::config::{self, CrateConfig};
use crate::model::{ApiVersion, Module, Shape, Struct, Type};
use crate::name::RustPath;

/// A part of the file of a struct, by the output that makes it.
type Part = fn(&ApiVersion, &Type, &Struct) -> Vec<TokenStream>;

/// The parts of a struct between its declaration and its table, in their order in the file.
fn parts(config: &CrateConfig) -> impl Iterator<Item = Part> {
    let parts: [(bool, Part); 4] = [
        (config.parts.has(config::Part::Builders), builders::items),
        (true, resource::items),
        (config.has_more_than_types(), kind::items),
        (true, lists::items),
    ];
    let wanted = parts.into_iter().filter(|(is_wanted, _)| *is_wanted);
    wanted.map(|(_, part)| part)
}

/// The file of some types.
pub(super) fn file(config: &CrateConfig, version: &ApiVersion, module: &Module) -> File {
    let path = format!("{}{}.rs", folder(version.module.as_ref()), module.name);
    let all = items(config, version, module);
    File::rust(path, origin(version, module), TokenStream::new(), all)
}

/// The items of the file of some types.
pub(super) fn items(config: &CrateConfig, version: &ApiVersion, module: &Module) -> Vec<Item> {
    let types = module.types.iter();
    let types = types.filter_map(|name| Some((name, version.types.get(name)?)));
    let imports = imports::of(version, module).into_iter();
    let mut all: Vec<_> = imports.map(Item::from).collect();
    for (schema, ty) in types {
        let derives = derives(config, ty);
        match &ty.shape {
            Shape::Struct(object) => {
                all.extend(types::items(version, ty, object, &derives));
                let parts = parts(config).flat_map(|part| part(version, ty, object));
                all.extend(parts.map(Item::from));
                all.push(wire::item(version, ty, object));
                all.extend(wire::without_fields(version, ty, object));
            }
            Shape::Enum(shape) => all.extend(enums::items(ty, shape, &derives)),
        }
        all.extend(
            conversion::items(version, schema)
                .into_iter()
                .map(Item::from),
        );
    }
    all
}

/// The derives that a type has beside its own.
fn derives<'a>(config: &'a CrateConfig, ty: &Type) -> Vec<&'a RustPath> {
    let is_struct = ty.object().is_some();
    let derives = config.derives.iter();
    let mine = derives.filter(|derive| derive.is_for(ty.name.as_str(), is_struct));
    mine.map(|derive| &derive.path).collect()
}
