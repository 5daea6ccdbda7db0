//! Reading and writing: a table of the fields, which a macro of `kubernetes-kinds` takes.

use proc_macro2::TokenStream;
use quote::quote;

use super::{presence, table_macro};
use crate::model::{ApiVersion, Field, Reading, Struct, Type};

/// The implementations of `wire::Object` and of serde's traits.
pub(super) fn items(_: &ApiVersion, ty: &Type, object: &Struct) -> Vec<TokenStream> {
    let name = &ty.name;
    let rows = object.fields.iter().map(|field| {
        let (key, name) = (&field.json, &field.name);
        let shape = shape(object, field);
        let presence = presence(field.is_always_written());
        quote!(#presence #key => #name #shape)
    });
    let unknown = object.unknown.iter().map(|unknown| quote!(_ => #unknown));
    let rows = rows.chain(unknown);
    let sort = table_macro(object);
    vec![quote! {
        wire::#sort! {
            #name { #(#rows,)* }
        }
    }]
}

/// How the macro is told that a field isn't read as its type reads itself.
fn shape(object: &Struct, field: &Field) -> Option<TokenStream> {
    if field.metadata && object.role.is_named() {
        return Some(quote!(as metadata));
    }
    field.facts.reading.map(|reading| match reading {
        Reading::Elements => quote!(as elements),
        Reading::Quantities => quote!(as quantities),
        Reading::Time => quote!(as time),
    })
}
