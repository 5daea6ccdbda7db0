//! Fields that an update must not change.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use super::methods::{check_method, elements};
use super::operand::Operand;
use super::target::servers;
use super::{cel, reported};
use crate::emit::kind::release;
use crate::foundation;
use crate::model::{Field, Immutable, Struct, Ty, Type, Unique};

/// The implementation of `Semantic` for a struct that is compared as a whole.
pub(super) fn semantic(cx: &mut Context<'_>, ty: &Type, object: &Struct) -> Option<TokenStream> {
    if !object.behaviour.is_compared {
        return None;
    }
    let name = &ty.name;
    let count = object.fields.len();
    let same = object.fields.iter().enumerate().map(|(index, field)| {
        let name = &field.name;
        let is_same = is_same(cx, field, &quote!(self.#name), &quote!(other.#name), true);
        match (index, count) {
            (0, 1) => is_same,
            (0, _) => quote!(let mut is_same = #is_same;),
            _ => quote!(is_same &= #is_same;),
        }
    });
    let same: Vec<_> = same.collect();
    let result = match count {
        0 => Some(quote!(true)),
        1 => None,
        _ => Some(quote!(is_same)),
    };
    let trait_name = cx.name("Semantic");
    Some(quote! {
        impl #trait_name for #name {
            fn is_same(&self, other: &Self) -> bool {
                #(#same)*
                #result
            }
        }
    })
}

/// The condition that two values of a field are the same, as the server sees it.
fn is_same(
    cx: &mut Context<'_>,
    field: &Field,
    new: &TokenStream,
    old: &TokenStream,
    are_places: bool,
) -> TokenStream {
    let borrow = are_places.then(|| quote!(&));
    if let Some(function) = &field.same {
        return quote!(#function(#borrow #new, #borrow #old));
    }
    if is_semantic(cx, field) {
        cx.uses.semantic = true;
        quote!(#new.is_same(#borrow #old))
    } else {
        quote!(#new == #old)
    }
}

/// Returns true if a field is compared as the server does, rather than by equality.
fn is_semantic(cx: &Context<'_>, field: &Field) -> bool {
    match &field.ty {
        Ty::List(_) | Ty::Map(_) => field.is_optional(),
        Ty::Ref(schema) => match cx.version.externs.get(schema) {
            Some(external) => field.is_optional() && foundation::is_semantic(&external.path),
            None => {
                let own = cx.version.own_struct(&field.ty);
                let is_compared = own.is_some_and(|(_, o)| o.behaviour.is_compared);
                is_compared && !field.is_optional()
            }
        },
        _ => false,
    }
}

/// The method that compares with what is stored.
pub(super) fn method(cx: &mut Context<'_>, object: &Struct) -> Option<TokenStream> {
    let mut lines = TokenStream::new();
    for field in object
        .fields
        .iter()
        .filter(|field| !object.has_own_status(field))
    {
        for immutable in field.rules.immutable() {
            lines.extend(frozen(cx, field, immutable));
        }
        lines.extend(compared(cx, field));
        lines.extend(inside(cx, field));
    }
    let (new, old) = (quote!(self), quote!(stored));
    let (new, old) = (Operand::reference(new), Operand::reference(old));
    let at = Operand::reference(quote!(at));
    for rule in object.rules.cel.iter().filter(|rule| rule.compares) {
        lines.extend(cel::rule(cx, rule, &at, &new, &old));
    }
    for function in &object.rules.functions {
        lines.extend(quote!(#function(self, Some(stored), at, to);));
    }
    check_method(
        cx,
        &quote!(check_update),
        Some(&quote!(stored: &Self,)),
        &lines,
    )
}

/// The rules in CEL that compare a field with what is stored. They are for fields that are set in
/// both.
fn compared(cx: &mut Context<'_>, field: &Field) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let path = Operand::place(quote!(at.field(#json)));
    let (new, old) = match field.is_optional() {
        true => (
            Operand::reference(quote!(value)),
            Operand::reference(quote!(stored)),
        ),
        false => (
            Operand::place(quote!(self.#name)),
            Operand::place(quote!(stored.#name)),
        ),
    };
    let rules = field.rules.cel(true);
    let lines: TokenStream = rules
        .map(|rule| cel::rule(cx, rule, &path, &new, &old))
        .collect();
    match field.is_optional() && !lines.is_empty() {
        true => quote! {
            if let (Some(value), Some(stored)) = (&self.#name, &stored.#name) {
                #lines
            }
        },
        false => lines,
    }
}

fn frozen(cx: &mut Context<'_>, field: &Field, immutable: &Immutable) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let mut is_same = is_same(cx, field, &quote!(new), &quote!(old), false);
    let mut error_type = cx.term(immutable.error_type);
    let mut as_reported = field.rules.reported.clone();
    as_reported.above = immutable.above;
    let mut path = reported::path(cx, field, &quote!(at.field(#json)), &as_reported);
    let mut before = TokenStream::new();
    if let Some(earlier) = &immutable.earlier {
        let at = release(earlier.release);
        before = quote! {
            let release = #at;
            let is_earlier = to.target().is_before(release);
        };
        let mut choose = |name: TokenStream, then: TokenStream, now: &mut TokenStream| {
            before.extend(quote! {
                let #name = match is_earlier {
                    true => #then,
                    false => #now,
                };
            });
            *now = name;
        };
        if earlier.exact {
            choose(quote!(is_same), quote!(new == old), &mut is_same);
        }
        if earlier.error_type != immutable.error_type {
            let then = cx.term(earlier.error_type);
            choose(quote!(error_type), then, &mut error_type);
        }
        if let Some(reported) = &earlier.reported_at {
            let then = quote!(at.field(#json).reported_at(#reported));
            choose(quote!(path), then, &mut path);
        }
    }
    let message = match &immutable.message {
        Some(message) => quote!(#message),
        None => cx.name("IMMUTABLE"),
    };
    let compare = quote! {
        let (new, old) = (&self.#name, &stored.#name);
        #before
        to.immutable(#path, #is_same, #error_type, new, #message);
    };
    match condition(cx, immutable) {
        None => compare,
        Some(condition) => quote! {
            if #condition {
                #compare
            }
        },
    }
}

/// For which targets it may not change, if not for all.
fn condition(cx: &mut Context<'_>, immutable: &Immutable) -> Option<TokenStream> {
    let releases = servers(immutable.releases);
    let unless = immutable.feature.as_ref().map(|feature| {
        let has = cx.has(&quote!(to.target()), feature);
        quote!(!#has)
    });
    let all: Vec<_> = releases.into_iter().chain(unless).collect();
    (!all.is_empty()).then(|| quote!(#(#all)&&*))
}

/// The comparisons in the structs that a field holds.
fn inside(cx: &mut Context<'_>, field: &Field) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let held = cx
        .held(field)
        .filter(|object| object.behaviour.checks_updates);
    let Some(object) = held else {
        return TokenStream::new();
    };
    let lines = match &field.ty {
        Ty::List(_) => {
            // Without keys, the elements have no counterparts.
            let Some(Unique::Keys { keys, .. }) = field.rules.unique() else {
                return TokenStream::new();
            };
            let names = keys.iter().filter_map(|key| object.field(key));
            let names: Vec<_> = names.map(|field| &field.name).collect();
            let same = quote!(#(stored.#names == item.#names)&&*);
            let new = elements(&quote!(self), field);
            let old = elements(&quote!(stored), field);
            quote! {
                let list = at.field(#json);
                for (index, item) in #new.enumerate() {
                    let mut stored = #old;
                    if let Some(stored) = stored.find(|stored| #same) {
                        item.check_update(stored, &list.index(index), to);
                    }
                }
            }
        }
        Ty::Map(_) => {
            let (step, entries) = (cx.step(), elements(&quote!(self), field));
            let stored = match field.is_optional() {
                true => quote!(stored.#name.as_ref().and_then(|map| map.get(key))),
                false => quote!(stored.#name.get(key)),
            };
            quote! {
                let map = at.field(#json);
                for (key, item) in #entries {
                    if let Some(stored) = #stored {
                        item.check_update(stored, &map.#step(key), to);
                    }
                }
            }
        }
        _ if field.is_optional() => quote! {
            if let (Some(value), Some(stored)) = (&self.#name, &stored.#name) {
                value.check_update(stored, &at.field(#json), to);
            }
        },
        _ => quote! {
            self.#name.check_update(&stored.#name, &at.field(#json), to);
        },
    };
    cx.uses.check = true;
    lines
}
