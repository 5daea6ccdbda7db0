//! The imports of a file. Only types are imported by name; traits and functions are written with
//! their modules, so that no Kubernetes name can clash with them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::conversion;
use super::runtime::KINDS;
use crate::model::{ApiVersion, Exact, Literal, Module, SchemaName, Ty, Type};
use crate::name::{self, Ident};

/// The `use` items of a file.
pub(super) fn of(version: &ApiVersion, module: &Module) -> Vec<TokenStream> {
    let values = values(&version.types, module);
    let convert = conversion::uses_support(version, &module.types);
    let mut uses = elsewhere(version, &values);
    uses.extend(support(&[
        (convert, "convert"),
        (are_exact(&values), "values"),
        (has_structs(&version.types, module), "wire"),
    ]));
    let here = version.module.iter();
    let own = own(version, module, &values);
    let mut own: BTreeSet<_> = own.into_iter().map(|(_, name)| name).collect();
    own.extend(in_defaults(version, module));
    let own = own.into_iter().collect();
    uses.extend(names(&quote!(crate::#(#here::)*), own));
    uses
}

/// The enumerations of other files that defaults of required fields have values of.
fn in_defaults<'a>(version: &'a ApiVersion, module: &Module) -> BTreeSet<&'a Ident> {
    let here = module
        .types
        .iter()
        .filter_map(|name| version.types.get(name));
    let here: Vec<_> = here.collect();
    let objects = here.iter().filter_map(|ty| ty.object());
    let required = objects.flat_map(|object| object.fields.iter().filter(|field| field.required));
    let literals = required.filter_map(|field| field.form.literal.as_ref());
    literals
        .flat_map(Literal::enumerations)
        .filter(|name| !here.iter().any(|ty| ty.name == **name))
        .collect()
}

/// The same of a file of apply types.
pub(super) fn of_apply(version: &ApiVersion, module: &Module, convert: bool) -> Vec<TokenStream> {
    let values = values(&version.derived.apply.types, module);
    let mut uses = elsewhere(version, &values);
    uses.extend(support(&[
        (convert, "convert"),
        (are_exact(&values), "values"),
        (has_structs(&version.derived.apply.types, module), "wire"),
    ]));
    let own = own(version, module, &values).into_iter();
    let (applied, full): (Vec<_>, Vec<_>) =
        own.partition(|(schema, _)| version.derived.apply.types.contains_key(*schema));
    let here = version.module.iter();
    let [applied, full] =
        [applied, full].map(|own| own.into_iter().map(|(_, name)| name).collect());
    uses.extend(names(&quote!(super::), applied));
    uses.extend(names(&quote!(crate::#(#here::)*), full));
    uses
}

/// The same of a file of schemas, whose properties have these types.
pub(super) fn of_schemas(
    version: &ApiVersion,
    module: &Module,
    values: &[&Ty],
) -> Vec<TokenStream> {
    let mut uses = elsewhere(version, values);
    uses.extend(support(&[(true, "schema"), (are_exact(values), "values")]));
    let here = module
        .types
        .iter()
        .filter_map(|name| version.types.get(name));
    let mut all: Vec<_> = here.map(|ty| &ty.name).collect();
    all.extend(
        own(version, module, values)
            .into_iter()
            .map(|(_, name)| name),
    );
    all.sort();
    let here = version.module.iter();
    uses.extend(names(&quote!(crate::#(#here::)*), all));
    uses
}

fn has_structs(types: &BTreeMap<SchemaName, Type>, module: &Module) -> bool {
    module
        .types
        .iter()
        .filter_map(|name| types.get(name))
        .any(|ty| ty.object().is_some())
}

/// The types of the values of the types in a file.
fn values<'a>(types: &'a BTreeMap<SchemaName, Type>, module: &Module) -> Vec<&'a Ty> {
    let types = module.types.iter().filter_map(|name| types.get(name));
    let fields = types
        .filter_map(Type::object)
        .flat_map(|object| &object.fields);
    fields.map(|field| &field.ty).collect()
}

/// The types of the crate that values are of and that other files have, by name.
fn own<'a>(
    version: &'a ApiVersion,
    module: &Module,
    values: &[&'a Ty],
) -> Vec<(&'a SchemaName, &'a Ident)> {
    let names = values.iter().filter_map(|ty| ty.reference());
    let names: BTreeSet<_> = names.collect();
    let others = names
        .into_iter()
        .filter(|name| !module.types.contains(name));
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

/// Imports from other crates.
fn elsewhere(version: &ApiVersion, values: &[&Ty]) -> Vec<TokenStream> {
    let mut uses = Vec::new();
    if values.iter().any(|ty| has_map(ty)) {
        uses.push(quote!(
            use std::collections::BTreeMap;
        ));
    }
    uses.extend(
        external(version, values)
            .into_iter()
            .map(|(modules, names)| use_item(&quote!(use #(#modules::)*), &Vec::from_iter(names))),
    );
    uses
}

/// The types of other crates that values are of and that go by their short names, by their modules.
fn external<'a>(
    version: &'a ApiVersion,
    values: &[&Ty],
) -> BTreeMap<&'a [Ident], BTreeSet<&'a Ident>> {
    let mut external: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for name in values.iter().filter_map(|ty| ty.reference()) {
        if let Some(path) = version.externs.get(name).map(|e| &e.path)
            && is_imported(version, name)
        {
            external
                .entry(path.modules())
                .or_default()
                .insert(path.name());
        }
    }
    external
}

/// The import of those modules of the run-time support that are used.
fn support(modules: &[(bool, &'static str)]) -> Option<TokenStream> {
    let used = modules.iter().filter(|(is_used, _)| *is_used);
    let used: Vec<_> = used.map(|(_, module)| name::fixed(module)).collect();
    (!used.is_empty()).then(|| use_item(&quote!(use #KINDS::), &used))
}

/// Returns true if some values are of a type that keeps them as they are written.
fn are_exact(values: &[&Ty]) -> bool {
    values.iter().any(|ty| ty.exact().is_some())
}

/// Returns true if an external type can go by its short name: nothing else has it.
pub(super) fn is_imported(version: &ApiVersion, schema: &SchemaName) -> bool {
    let external = version.externs.get(schema);
    external.is_some_and(|external| version.is_alone(external.path.name()))
}

/// The types of other crates that fields of these documents have, made public beside the crate's
/// own, but for names that those have; each item with its path.
pub(super) fn re_exports(versions: &[&ApiVersion]) -> Vec<(String, TokenStream)> {
    let mut all: BTreeMap<&[Ident], BTreeSet<&Ident>> = BTreeMap::new();
    let mut exact = BTreeSet::new();
    for version in versions {
        let types = version.types.values().filter_map(Type::object);
        let values = types
            .flat_map(|object| &object.fields)
            .map(|field| &field.ty);
        exact.extend(values.clone().filter_map(Ty::exact));
        for (modules, names) in external(version, &Vec::from_iter(values)) {
            all.entry(modules).or_default().extend(names);
        }
    }
    let is_own = |name: &Ident| {
        versions
            .iter()
            .any(|version| version.types.values().any(|ty| ty.name == *name))
    };
    let uses = all.iter().filter_map(|(modules, names)| {
        let is_other = |name: &&Ident| {
            !is_own(name) && all.values().filter(|names| names.contains(name)).count() == 1
        };
        let names: Vec<_> = names.iter().copied().filter(is_other).collect();
        let path = quote!(#(#modules::)*);
        let item = use_item(&quote!(pub use #path), &names);
        (!names.is_empty()).then(|| (path.to_string(), item))
    });
    let exact: Vec<_> = exact.into_iter().map(Exact::name).collect();
    let is_other = |name: &&Ident| !is_own(name) && !all.values().any(|names| names.contains(name));
    let names: Vec<_> = exact.iter().filter(is_other).collect();
    let path = quote!(#KINDS::values::);
    let exact = (!names.is_empty()).then(|| {
        let item = use_item(&quote!(pub use #path), &names);
        (path.to_string(), item)
    });
    uses.chain(exact).collect()
}

fn has_map(ty: &Ty) -> bool {
    match ty {
        Ty::Map(_) => true,
        Ty::List(inner) => has_map(inner),
        _ => false,
    }
}
