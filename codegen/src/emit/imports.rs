//! What a file uses from elsewhere. Only types are imported by name; traits and functions
//! are written with their modules, so that no Kubernetes name can clash with them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use super::conversion;
use crate::model::{ApiVersion, Module, SchemaName, Shape, Ty};
use crate::name::Ident;

/// The `use` items of a file.
pub(super) fn of(version: &ApiVersion, module: &Module) -> Vec<TokenStream> {
    let types = module.types.iter().filter_map(|name| version.types.get(name));
    let structs = types.filter_map(|ty| match &ty.shape {
        Shape::Struct(object) => Some(object),
        Shape::Enum(_) => None,
    });
    let fields: Vec<_> = structs.flat_map(|object| &object.fields).collect();
    let mut names = BTreeSet::new();
    for field in &fields {
        field.ty.references(&mut names);
    }
    let mut uses = Vec::new();
    if fields.iter().any(|field| has_map(&field.ty)) {
        uses.push(quote!(
            use std::collections::BTreeMap;
        ));
    }
    let convert = conversion::uses_support(version, &module.types);
    match (convert, !fields.is_empty()) {
        (true, true) => uses.push(quote!(
            use apimachinery::{convert, wire};
        )),
        (true, false) => uses.push(quote!(
            use apimachinery::convert;
        )),
        (false, true) => uses.push(quote!(
            use apimachinery::wire;
        )),
        (false, false) => {}
    }
    let mut external: BTreeMap<&[Ident], Vec<&Ident>> = BTreeMap::new();
    let mut own = Vec::new();
    for name in names {
        if let Some(ty) = version.types.get(name) {
            if !module.types.contains(name) {
                own.push(&ty.name);
            }
        } else if let Some(path) = version.externs.get(name).map(|e| &e.path)
            && is_imported(version, name)
        {
            external.entry(path.modules()).or_default().push(path.name());
        }
    }
    for (modules, mut names) in external {
        names.sort();
        uses.push(match names.as_slice() {
            [name] => quote!(use #(#modules::)* #name;),
            names => quote!(use #(#modules::)* {#(#names),*};),
        });
    }
    uses.push(quote!(
        use k8s_openapi::serde;
    ));
    own.sort();
    let inner = version.module.iter();
    match own.as_slice() {
        [] => {}
        [name] => uses.push(quote!(use crate::#(#inner::)* #name;)),
        names => uses.push(quote!(use crate::#(#inner::)* {#(#names),*};)),
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
