//! Merging: a table of the fields of each type, which a macro of `kubernetes-kinds` takes.
//!
//! The apply types have a file of their own, in their module.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::declared::Declared;
use super::file::{File, folder, origins, places};
use super::imports::use_item;
use super::runtime::{Feature, KINDS};
use super::table::presence;
use crate::model::{
    ApiVersion, Crate, Field, Inner, Merge, Replaced, Rest, Role, SchemaName, Shape, Struct, Type,
};
use crate::name::{self, APPLY_MODULE, Ident, MERGE_FILE};

/// The module, if there is anything to merge.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Declared> {
    let any = versions.iter().any(|v| v.types.values().any(is_merged));
    any.then(|| Declared::new(name::fixed(MERGE_FILE), false, Some(Feature::Merge)))
}

/// The files of the full types and of the apply types.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let mut files = Vec::new();
    for (place, versions) in places(krate) {
        let inner = place.iter();
        let full = versions
            .iter()
            .flat_map(|v| types(&v.types, &v.layout.modules));
        files.extend(file(
            place,
            &versions,
            None,
            &quote!(crate::#(#inner::)*),
            full,
        ));
        let applied = versions
            .iter()
            .flat_map(|v| types(&v.derived.apply.types, &v.derived.apply.modules));
        files.extend(file(
            place,
            &versions,
            Some(APPLY_MODULE),
            &quote!(super::),
            applied,
        ));
    }
    files
}

/// The types that are merged, in the order of their files.
fn types<'a>(
    types: &'a BTreeMap<SchemaName, Type>,
    modules: &'a [crate::model::Module],
) -> impl Iterator<Item = &'a Type> {
    let names = modules.iter().flat_map(|module| &module.types);
    names
        .filter_map(|name| types.get(name))
        .filter(|ty| is_merged(ty))
}

/// Lists of kinds are answers, and aren't merged.
fn is_merged(ty: &Type) -> bool {
    ty.object()
        .is_none_or(|object| !matches!(object.role, Role::List { .. }))
}

fn file<'a>(
    place: Option<&Ident>,
    versions: &[&ApiVersion],
    module: Option<&str>,
    from: &TokenStream,
    types: impl Iterator<Item = &'a Type>,
) -> Option<File> {
    let types: Vec<_> = types.collect();
    let mut names: Vec<_> = types.iter().map(|ty| &ty.name).collect();
    if names.is_empty() {
        return None;
    }
    names.sort();
    let mut items = vec![
        quote!(
            use #KINDS::merge;
        ),
        use_item(&quote!(use #from), &names),
    ];
    items.extend(types.into_iter().map(item));
    let module = module
        .map(|module| format!("{module}/"))
        .unwrap_or_default();
    let path = format!("{}{module}{MERGE_FILE}.rs", folder(place));
    let origin = origins(versions.iter().copied());
    Some(File::rust(path, origin, TokenStream::new(), items))
}

fn item(ty: &Type) -> TokenStream {
    let name = &ty.name;
    match &ty.shape {
        Shape::Struct(object) => table(name, object),
        Shape::Enum(_) => quote!(merge::enumeration! { #name }),
    }
}

fn table(name: &Ident, object: &Struct) -> TokenStream {
    let rows = object.fields.iter().map(row);
    let unknown = object
        .unknown
        .iter()
        .map(|Rest { name, .. }| quote!(_ => #name));
    let rows = rows.chain(unknown);
    quote! {
        merge::object! {
            #name { #(#rows,)* }
        }
    }
}

fn row(field: &Field) -> TokenStream {
    let name = &field.name;
    let presence = name::fixed(presence(!field.is_optional()));
    let how = match &field.form.merge {
        Merge::Whole => None,
        Merge::Fields(replaced) if replaced.is_empty() => Some(quote!(as fields)),
        Merge::Fields(replaced) => {
            let paths = replaced.iter().map(path);
            Some(quote!(as fields { #(#paths,)* }))
        }
        Merge::Entries(inner) => {
            let inner = of(*inner);
            Some(quote!(as entries #inner))
        }
        Merge::Set => Some(quote!(as set)),
        Merge::List { keys, elements } => {
            let elements = of(*elements);
            Some(quote!(as list [#(#keys),*] #elements))
        }
        Merge::Metadata => Some(quote!(as metadata)),
    };
    quote!(#presence #name #how)
}

fn of(inner: Inner) -> Option<TokenStream> {
    match inner {
        Inner::Whole => None,
        Inner::Fields => Some(quote!(of fields)),
    }
}

fn path(path: &Replaced) -> TokenStream {
    let steps = path.iter().map(|step| {
        let name = &step.name;
        if step.required {
            quote!((#name))
        } else {
            quote!(#name)
        }
    });
    quote!(#(#steps).*)
}
