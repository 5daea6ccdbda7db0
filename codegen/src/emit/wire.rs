//! Reading and writing: a table of the fields, which a macro of `kubernetes-kinds` takes.

use proc_macro2::TokenStream;
use quote::quote;

use super::table::{presence, table_macro};
use super::types::value_type;
use crate::foundation;
use crate::model::{ApiVersion, Field, Reading, Rest, Role, Struct, Ty, Type};

/// The implementations of `wire::Object` and of serde's traits.
pub(super) fn items(version: &ApiVersion, ty: &Type, object: &Struct) -> Vec<TokenStream> {
    let name = &ty.name;
    let rows = object.fields.iter().map(|field| {
        let (key, name) = (&field.json, &field.name);
        let shape = shape(version, object, field);
        let presence = presence(field.is_always_written());
        let rest = object.unknown.iter().filter(|_| field.form.keeps_null);
        let null = rest.map(|Rest { name, .. }| quote!(or null in #name));
        // Before it is read, it has its default.
        let none = (field.form.nullable && field.form.literal.is_some()).then(|| quote!(else none));
        quote!(#presence #key => #name #shape #(#null)* #none)
    });
    let unknown = object
        .unknown
        .iter()
        .map(|Rest { name, only_nulls }| match only_nulls {
            true => quote!(_ null => #name),
            false => quote!(_ => #name),
        });
    let rows = rows.chain(unknown);
    let sort = match object.role {
        Role::Kind(_) if version.is_custom => quote!(custom_kind),
        _ => table_macro(object),
    };
    vec![quote! {
        wire::#sort! {
            #name { #(#rows,)* }
        }
    }]
}

/// The clause of a row for a field that isn't read as its type reads itself.
fn shape(version: &ApiVersion, object: &Struct, field: &Field) -> Option<TokenStream> {
    if field.metadata && object.role.is_named() {
        return Some(quote!(as metadata));
    }
    field.form.reading.map(|reading| match reading {
        Reading::Elements => quote!(as elements),
        Reading::Shaped => {
            let takes_null = field.facts.takes_null.get(1..).unwrap_or_default();
            let shape = shape_of(version, &field.ty, takes_null);
            quote!(as shaped(#shape))
        }
        Reading::Pruned => {
            let value = value_type(version, &field.ty);
            quote!(as pruned(#value))
        }
        Reading::Entries => quote!(as entries),
        Reading::Quantity if version.is_custom => quote!(as custom_quantity),
        Reading::Time if version.is_custom => quote!(as custom_time),
        Reading::Quantity => quote!(as quantity),
        Reading::Quantities => quote!(as quantities),
        Reading::Time => quote!(as time),
    })
}

/// The type that says how the values of a type are read. `takes_null` says for each depth whether
/// the values there can be `null`.
fn shape_of(version: &ApiVersion, ty: &Ty, takes_null: &[bool]) -> TokenStream {
    // A server keeps `null` of values of which the schema says nothing.
    let (has_null, inside) = match takes_null.split_first() {
        Some((first, rest)) => (*first, rest),
        None => (true, takes_null),
    };
    match ty {
        Ty::List(element) => {
            let element = shape_of(version, element, inside);
            quote!(wire::ListOf<#element>)
        }
        Ty::Map(value) => {
            let value = shape_of(version, value, inside);
            match version.is_custom && !has_null {
                true => quote!(wire::EntriesOf<#value>),
                false => quote!(wire::MapOf<#value>),
            }
        }
        ty => {
            let value = value_type(version, ty);
            let external = ty.reference().and_then(|name| version.externs.get(name));
            match external {
                _ if matches!(ty, Ty::Time) => quote!(wire::Moment<#value>),
                Some(external) if foundation::is_moment(&external.path) => {
                    quote!(wire::Moment<#value>)
                }
                Some(external) if external.has_maps => quote!(wire::Pruned<#value>),
                Some(external) if foundation::is_quantity(&external.path) => {
                    quote!(wire::Measure)
                }
                _ => quote!(wire::Plain<#value>),
            }
        }
    }
}
