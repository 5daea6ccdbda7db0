//! Setting defaults, and dropping fields whose feature is disabled.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use super::methods::{old, parameter};
use crate::emit::literal;
use crate::model::{Behaviour, Field, Literal, Rest, Role, Struct, Ty, Type};

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
        .filter_map(|field| set(cx, object, field))
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
pub(super) fn set(cx: &mut Context<'_>, object: &Struct, field: &Field) -> Option<TokenStream> {
    let name = &field.name;
    let function = field.server.default_function.as_ref();
    let function = function.map(|function| quote!(#function(&mut self.#name);));
    let inside = cx
        .held(field)
        .is_some_and(|inside| inside.behaviour.sets_defaults);
    let inside = inside.then(|| self::inside(cx, field, &quote!(set_defaults(target))));
    let own = match (&function, &inside) {
        (None, None) => value(cx, object, field),
        // What Kubernetes' own kinds hold has no default as a whole.
        (None, Some(_)) if cx.version.is_custom => value(cx, object, field),
        _ => None,
    };
    let all = quote!(#function #own #inside);
    (!all.is_empty()).then_some(all)
}

/// Sets the default of a field itself. A required one that is unset has it already.
fn value(cx: &mut Context<'_>, object: &Struct, field: &Field) -> Option<TokenStream> {
    let name = &field.name;
    let literal = field.form.literal.as_ref().filter(|_| !field.required)?;
    let value = literal::of(field, literal, &mut |ty| {
        cx.uses.types.insert(ty.clone());
        quote!(#ty)
    });
    let is_custom = cx.version.is_custom;
    let mut set = match literal {
        Literal::List(_) if !is_custom => quote! {
            if self.#name.as_ref().is_none_or(Vec::is_empty) {
                self.#name = Some(#value);
            }
        },
        Literal::Text(text) => {
            let default_text = cx.name("default_text");
            quote!(#default_text(&mut self.#name, #text);)
        }
        Literal::Bool(_) | Literal::Int(_) | Literal::Variant { .. } => {
            quote!(self.#name.get_or_insert(#value);)
        }
        Literal::Empty => quote!(self.#name.get_or_insert_default();),
        _ => quote!(self.#name.get_or_insert_with(|| #value);),
    };
    let rest = object.unknown.as_ref().filter(|_| field.form.keeps_null);
    if let Some(Rest { name, .. }) = rest {
        let json = &field.json;
        set = quote!(if !self.#name.contains_key(#json) { #set });
    }
    Some(cx.with_feature(&quote!(target), field.server.feature.as_ref(), set))
}

/// Emits the calls in the structs that a field holds, itself or in lists and maps.
fn inside(cx: &mut Context<'_>, field: &Field, call: &TokenStream) -> TokenStream {
    let name = &field.name;
    cx.uses.set_defaults = true;
    match (&field.ty, field.is_optional()) {
        (Ty::List(inner), true) => each(inner, &quote!(self.#name.iter_mut().flatten()), call),
        (Ty::List(inner), false) => each(inner, &quote!(&mut self.#name), call),
        (Ty::Map(inner), true) => {
            let values = quote!(self.#name.iter_mut().flat_map(|map| map.values_mut()));
            each(inner, &values, call)
        }
        (Ty::Map(inner), false) => each(inner, &quote!(self.#name.values_mut()), call),
        (_, true) => quote! {
            if let Some(value) = &mut self.#name {
                value.#call;
            }
        },
        (_, false) => quote!(self.#name.#call;),
    }
}

/// Emits the calls in each of some elements.
fn each(element: &Ty, items: &TokenStream, call: &TokenStream) -> TokenStream {
    let body = match element {
        Ty::List(inner) => each(inner, &quote!(item), call),
        Ty::Map(inner) => each(inner, &quote!(item.values_mut()), call),
        _ => quote!(item.#call;),
    };
    quote! {
        for item in #items {
            #body
        }
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
