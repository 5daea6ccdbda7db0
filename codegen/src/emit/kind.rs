//! What a kind tells beyond k8s-openapi's traits: its lifecycle and the keys of its lists.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::runtime::KINDS;
use crate::model::{ApiVersion, KindName, Lifecycle, SchemaName, Shape, Ty, Type};
use crate::release::Release;

/// The implementation of `Kind`.
pub(super) fn item(version: &ApiVersion, schema: &SchemaName, ty: &Type) -> TokenStream {
    let name = &ty.name;
    let lifecycle = match &ty.docs.lifecycle {
        Some(lifecycle) => lifecycle_of(lifecycle),
        None => quote!(None),
    };
    let mut lists = Vec::new();
    keyed_lists(version, schema, "", &mut BTreeSet::new(), &mut lists);
    let lists = lists.iter().map(|(path, keys)| quote!((#path, &[#(#keys),*])));
    quote! {
        impl #KINDS::Kind for #name {
            const LIFECYCLE: Option<#KINDS::Lifecycle> = #lifecycle;

            const LIST_MAP_KEYS: #KINDS::ListMapKeys = &[#(#lists),*];
        }
    }
}

fn lifecycle_of(lifecycle: &Lifecycle) -> TokenStream {
    let introduced = release(lifecycle.introduced);
    let deprecated = optional(lifecycle.deprecated.map(release));
    let removed = optional(lifecycle.removed.map(release));
    let replacement = lifecycle.replacement.as_deref().and_then(KindName::parse);
    let replacement = optional(replacement.map(|kind| {
        let KindName { api_version, kind } = kind;
        quote!(#KINDS::Replacement { api_version: #api_version, kind: #kind })
    }));
    quote! {
        Some(#KINDS::Lifecycle {
            introduced: #introduced,
            deprecated: #deprecated,
            removed: #removed,
            replacement: #replacement,
        })
    }
}

pub(super) fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

pub(super) fn release(release: Release) -> TokenStream {
    let [major, minor] = release.numbers().map(proc_macro2::Literal::u16_unsuffixed);
    quote!(#KINDS::Release::new(#major, #minor))
}

/// The lists below a type whose elements have keys, with their paths.
fn keyed_lists(
    version: &ApiVersion,
    schema: &SchemaName,
    path: &str,
    above: &mut BTreeSet<SchemaName>,
    found: &mut Vec<(String, Vec<String>)>,
) {
    let Some(Shape::Struct(object)) = version.types.get(schema).map(|ty| &ty.shape)
    else {
        return;
    };
    // What is inside itself has no end of paths; its lists are taken as a whole.
    if !above.insert(schema.clone()) {
        return;
    }
    for field in &object.fields {
        let path = if path.is_empty() {
            field.json.clone()
        } else {
            format!("{path}.{}", field.json)
        };
        if matches!(field.ty, Ty::List(_)) && !field.docs.keys.is_empty() {
            found.push((path.clone(), field.docs.keys.clone()));
        }
        let mut inside = BTreeSet::new();
        field.ty.references(&mut inside);
        for inner in inside {
            keyed_lists(version, inner, &path, above, found);
        }
    }
    above.remove(schema);
}
