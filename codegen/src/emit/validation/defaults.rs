//! Setting defaults, and dropping fields whose feature is disabled.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;

use super::context::Context;
use super::methods::{old, parameter};
use crate::model::{Behaviour, Field, Literal, Role, Struct, Ty, Type};

/// The implementation of `SetDefaults`.
pub(super) fn item(cx: &mut Context<'_>, ty: &Type, object: &Struct) -> Option<TokenStream> {
    let is_kind = matches!(object.role, Role::Kind(_));
    let Behaviour {
        sets_defaults,
        drops_fields,
        ..
    } = object.behaviour;
    if !is_kind && !sets_defaults && !drops_fields {
        return None;
    }
    let name = &ty.name;
    let set = sets_defaults.then(|| sets(cx, object));
    let drop = drops_fields.then(|| drops(cx, object)).flatten();
    let trait_name = cx.name("SetDefaults");
    Some(quote! {
        impl #trait_name for #name {
            #set

            #drop
        }
    })
}

fn sets(cx: &mut Context<'_>, object: &Struct) -> TokenStream {
    let sets = object
        .fields
        .iter()
        .filter_map(|field| set(cx, field))
        .collect();
    let target = parameter("target", &sets);
    let ty = cx.name("Target");
    quote! {
        fn set_defaults(&mut self, #target: &#ty) {
            #sets
        }
    }
}

/// Sets the defaults of a field, if it has any.
pub(super) fn set(cx: &mut Context<'_>, field: &Field) -> Option<TokenStream> {
    let name = &field.name;
    let function = field.server.default_function.as_ref();
    let function = function.map(|function| quote!(#function(&mut self.#name);));
    if cx
        .held(field)
        .is_some_and(|inside| inside.behaviour.sets_defaults)
    {
        let inside = inside(cx, field, &quote!(set_defaults(target)));
        return Some(quote!(#function #inside));
    }
    if function.is_some() {
        return function;
    }
    let literal = field.form.literal.as_ref()?;
    let value = expression(cx, literal);
    let set = match literal {
        Literal::List(_) => quote! {
            if self.#name.as_ref().is_none_or(Vec::is_empty) {
                self.#name = Some(#value);
            }
        },
        Literal::Text(text) => {
            let default_text = cx.name("default_text");
            quote!(#default_text(&mut self.#name, #text);)
        }
        _ => quote!(self.#name.get_or_insert(#value);),
    };
    Some(cx.with_feature(&quote!(target), field.server.feature.as_ref(), set))
}

/// Emits the calls in the structs that a field holds.
fn inside(cx: &mut Context<'_>, field: &Field, call: &TokenStream) -> TokenStream {
    let name = &field.name;
    cx.uses.set_defaults = true;
    match &field.ty {
        Ty::List(_) => {
            let items = if field.is_optional() {
                quote!(self.#name.iter_mut().flatten())
            } else {
                quote!(&mut self.#name)
            };
            quote! {
                for item in #items {
                    item.#call;
                }
            }
        }
        Ty::Map(_) => {
            let items = if field.is_optional() {
                quote!(self.#name.iter_mut().flat_map(|map| map.values_mut()))
            } else {
                quote!(self.#name.values_mut())
            };
            quote! {
                for item in #items {
                    item.#call;
                }
            }
        }
        _ if field.is_optional() => quote! {
            if let Some(value) = &mut self.#name {
                value.#call;
            }
        },
        _ => quote!(self.#name.#call;),
    }
}

fn drops(cx: &mut Context<'_>, object: &Struct) -> Option<TokenStream> {
    // A status that is written separately is made anew or kept as a whole.
    let fields = object
        .fields
        .iter()
        .filter(|field| !object.has_own_status(field));
    let mut drops: Vec<_> = fields.filter_map(|field| drop(cx, field)).collect();
    if let Some(function) = &object.rules.preparation {
        drops.push(quote!(#function(self, stored, target);));
    }
    if drops.is_empty() {
        return None;
    }
    let ty = cx.name("Target");
    Some(quote! {
        fn drop_disabled(&mut self, stored: Option<&Self>, target: &#ty) {
            #(#drops)*
        }
    })
}

fn drop(cx: &mut Context<'_>, field: &Field) -> Option<TokenStream> {
    let name = &field.name;
    if let Some(feature) = &field.server.feature {
        let has = cx.has(&quote!(target), feature);
        let drop_unless = cx.name("drop_unless");
        return Some(quote! {
            let old = stored.map(|stored| &stored.#name);
            #drop_unless(#has, &mut self.#name, old);
        });
    }
    cx.held(field)
        .filter(|inside| inside.behaviour.drops_fields)?;
    let (before, argument) = match &field.ty {
        // The elements of a list have no counterpart that is surely theirs.
        Ty::List(_) | Ty::Map(_) => (TokenStream::new(), quote!(None)),
        _ => (old(field), quote!(old)),
    };
    let inside = inside(cx, field, &quote!(drop_disabled(#argument, target)));
    Some(quote! {
        #before
        #inside
    })
}

/// A default as an expression.
fn expression(cx: &mut Context<'_>, literal: &Literal) -> TokenStream {
    match literal {
        Literal::Bool(value) => quote!(#value),
        Literal::Int(value) => {
            let value = Token::i64_unsuffixed(*value);
            quote!(#value)
        }
        Literal::Text(text) => quote!(#text.to_owned()),
        Literal::Variant { ty, variant } => {
            cx.uses.types.insert(ty.clone());
            quote!(#ty::#variant)
        }
        Literal::List(values) => {
            let values = values.iter().map(|value| expression(cx, value));
            let values: Vec<_> = values.collect();
            quote!(vec![#(#values),*])
        }
    }
}
