//! The imports of a file. Only types are imported by name; traits and functions are written with
//! their modules, so that no Kubernetes name can clash with them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::conversion;
use super::runtime::KINDS;
use crate::model::{ApiVersion, Field, Module, SchemaName, Ty, Type};
use crate::name::Ident;

/// The `use` items of a file.
pub(super) fn of(version: &ApiVersion, module: &Module) -> Vec<TokenStream> {
    let fields = fields(&version.types, module);
    let convert = conversion::uses_support(version, &module.types);
    let mut uses = elsewhere(version, &fields, convert);
    let here = version.module.iter();
    let own = own(version, module, &fields).into_iter().map(|(_, name)| name);
    uses.extend(names(&quote!(crate::#(#here::)*), own.collect()));
    uses
}

/// The same of a file of apply types.
pub(super) fn of_apply(
    version: &ApiVersion,
    module: &Module,
    convert: bool,
) -> Vec<TokenStream> {
    let fields = fields(&version.apply.types, module);
    let mut uses = elsewhere(version, &fields, convert);
    let own = own(version, module, &fields).into_iter();
    let (applied, full): (Vec<_>, Vec<_>) =
        own.partition(|(schema, _)| version.apply.types.contains_key(*schema));
    let here = version.module.iter();
    let [applied, full] =
        [applied, full].map(|own| own.into_iter().map(|(_, name)| name).collect());
    uses.extend(names(&quote!(super::), applied));
    uses.extend(names(&quote!(crate::#(#here::)*), full));
    uses
}

fn fields<'a>(types: &'a BTreeMap<SchemaName, Type>, module: &Module) -> Vec<&'a Field> {
    let types = module.types.iter().filter_map(|name| types.get(name));
    types.filter_map(Type::object).flat_map(|object| &object.fields).collect()
}

/// The types of the crate that the fields name and that other files have, by name.
fn own<'a>(
    version: &'a ApiVersion,
    module: &Module,
    fields: &[&'a Field],
) -> Vec<(&'a SchemaName, &'a Ident)> {
    let names = fields.iter().filter_map(|field| field.ty.reference());
    let names: BTreeSet<_> = names.collect();
    let others = names.into_iter().filter(|name| !module.types.contains(name));
    let own = others.filter_map(|name| Some((name, &version.types.get(name)?.name)));
    let mut own: Vec<_> = own.collect();
    own.sort_by_key(|(_, name)| *name);
    own
}

fn names(path: &TokenStream, names: Vec<&Ident>) -> Option<TokenStream> {
    (!names.is_empty()).then(|| use_item(&quote!(use #path), &names))
}

/// A `use` of names, without braces around one.
pub(super) fn use_item(start: &TokenStream, names: &[impl ToTokens]) -> TokenStream {
    match names {
        [name] => quote!(#start #name;),
        names => quote!(#start {#(#names),*};),
    }
}

/// What comes from other crates.
fn elsewhere(
    version: &ApiVersion,
    fields: &[&Field],
    convert: bool,
) -> Vec<TokenStream> {
    let names = fields.iter().filter_map(|field| field.ty.reference());
    let names: BTreeSet<_> = names.collect();
    let mut uses = Vec::new();
    if fields.iter().any(|field| has_map(&field.ty)) {
        uses.push(quote!(
            use std::collections::BTreeMap;
        ));
    }
    let mut external: BTreeMap<&[Ident], Vec<&Ident>> = BTreeMap::new();
    for name in names {
        if let Some(path) = version.externs.get(name).map(|e| &e.path)
            && is_imported(version, name)
        {
            external.entry(path.modules()).or_default().push(path.name());
        }
    }
    for (modules, mut names) in external {
        names.sort();
        uses.push(use_item(&quote!(use #(#modules::)*), &names));
    }
    match (convert, !fields.is_empty()) {
        (true, true) => uses.push(quote!(
            use #KINDS::{convert, wire};
        )),
        (true, false) => uses.push(quote!(
            use #KINDS::convert;
        )),
        (false, true) => uses.push(quote!(
            use #KINDS::wire;
        )),
        (false, false) => {}
    }
    uses
}

/// Whether an external type can go by its short name: nothing else has it.
pub(super) fn is_imported(version: &ApiVersion, schema: &SchemaName) -> bool {
    let Some(external) = version.externs.get(schema) else {
        return false;
    };
    let name = external.path.name();
    let own = version.types.values().any(|ty| ty.name == *name);
    let others = version.externs.values().filter(|e| e.path.name() == name).count();
    !own && others == 1 && !crate::name::is_prelude(name)
}

fn has_map(ty: &Ty) -> bool {
    match ty {
        Ty::Map(_) => true,
        Ty::List(inner) => has_map(inner),
        _ => false,
    }
}
