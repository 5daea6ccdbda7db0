//! The rules of an object at any time, and what the server warns of.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::{Context, updates, values};
use crate::emit::imports::{self, VALIDATION};
use crate::model::{Field, Struct, Ty, Type};

/// The implementation of `Check`.
pub(super) fn item(
    cx: &mut Context<'_>,
    ty: &Type,
    object: &Struct,
) -> Option<TokenStream> {
    let does = object.behaviour;
    if !does.checks && !does.checks_updates && !does.warns {
        return None;
    }
    let name = imports::own(cx.version, &ty.name);
    let check = check_method(cx, object);
    let check_update = updates::method(cx, object);
    let warn = warn_method(cx, object);
    Some(quote! {
        impl #VALIDATION::Check for #name {
            #check

            #check_update

            #warn
        }
    })
}

fn check_method(cx: &mut Context<'_>, object: &Struct) -> Option<TokenStream> {
    let lines = lines(cx, object);
    (!lines.is_empty()).then(|| {
        quote! {
            fn check(&self, at: &#VALIDATION::Path<'_>, to: &mut #VALIDATION::Checker<'_>) {
                #lines
            }
        }
    })
}

fn lines(cx: &mut Context<'_>, object: &Struct) -> TokenStream {
    let mut lines = TokenStream::new();
    if object.rules.exactly_one {
        let members = object.fields.iter().filter(|field| field.is_optional());
        let members = members.map(|field| {
            let (json, name) = (&field.json, &field.name);
            quote!((#json, self.#name.is_some()))
        });
        let is_used = object.fields.iter().any(values::asks_whether_only);
        let bind = is_used.then(|| quote!(let is_one =));
        lines.extend(quote! {
            let members = [#(#members),*];
            #bind to.exactly_one(*at, &members);
        });
    }
    for field in object.fields.iter().filter(|field| !object.has_own_status(field)) {
        lines.extend(values::field(cx, object, field));
    }
    for (one, other) in &object.rules.depends {
        if let (Some(field), Some(list)) = (object.field(one), object.field(other)) {
            let (json, name, list) = (&field.json, &field.name, &list.name);
            lines.extend(quote! {
                let list = self.#list.as_ref();
                let has_other = list.is_some_and(|list| !list.is_empty());
                to.depends(at.field(#json), self.#name.as_ref(), #other, has_other);
            });
        }
    }
    lines
}

fn warn_method(cx: &mut Context<'_>, object: &Struct) -> Option<TokenStream> {
    let mut lines = Vec::new();
    let mut uses_stored = false;
    for field in &object.fields {
        let (json, name) = (&field.json, &field.name);
        for function in field.rules.warnings() {
            lines.push(quote!(#function(&self.#name, at.field(#json), to);));
        }
        if let Some((inside, stored)) = warn_inside(cx, field) {
            uses_stored |= stored;
            lines.push(inside);
        }
    }
    if let Some((function, fields)) = &object.rules.warning {
        uses_stored = true;
        let fields: Vec<_> = fields.iter().filter_map(|f| object.field(f)).collect();
        let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
        let first = names.first();
        let warn = quote! {
            let old = stored.map(|stored| &stored.#first);
            #function(old, #(&self.#names,)* at, to);
        };
        // No warning asks for what the server doesn't have.
        let features = fields.iter().filter_map(|field| field.facts.feature.as_ref());
        let features: BTreeSet<_> = features.collect();
        let target = quote!(to.target());
        let has: Vec<_> = features.iter().map(|f| cx.has(&target, f)).collect();
        lines.push(match has.is_empty() {
            true => warn,
            false => quote! {
                if #(#has)&&* {
                    #warn
                }
            },
        });
    }
    if lines.is_empty() {
        return None;
    }
    let stored = if uses_stored {
        quote!(stored)
    } else {
        quote!(_stored)
    };
    Some(quote! {
        fn warn(
            &self,
            #stored: Option<&Self>,
            at: &#VALIDATION::Path<'_>,
            to: &mut #VALIDATION::Checker<'_>,
        ) {
            #(#lines)*
        }
    })
}

/// The warnings of the structs that a field holds, and whether they look at what is stored.
fn warn_inside(cx: &mut Context<'_>, field: &Field) -> Option<(TokenStream, bool)> {
    let (json, name) = (&field.json, &field.name);
    let held = match &field.ty {
        Ty::List(item) => item,
        other => other,
    };
    let (_, inside) = cx.version.own_struct(held)?;
    if !inside.behaviour.warns {
        return None;
    }
    cx.imports.traits.insert("Check");
    Some(match (&field.ty, field.is_optional()) {
        (Ty::List(_), is_optional) => {
            let items = match is_optional {
                true => quote!(self.#name.iter().flatten()),
                false => quote!(self.#name.iter()),
            };
            // The elements of a list have no counterpart that is surely theirs.
            let lines = quote! {
                let list = at.field(#json);
                for (index, item) in #items.enumerate() {
                    item.warn(None, &list.index(index), to);
                }
            };
            (lines, false)
        }
        (_, true) => {
            let lines = quote! {
                if let Some(value) = &self.#name {
                    let old = stored.and_then(|stored| stored.#name.as_ref());
                    value.warn(old, &at.field(#json), to);
                }
            };
            (lines, true)
        }
        (_, false) => {
            let lines = quote! {
                let old = stored.map(|stored| &stored.#name);
                self.#name.warn(old, &at.field(#json), to);
            };
            (lines, true)
        }
    })
}
