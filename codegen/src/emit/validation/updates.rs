//! Fields that an update must not change.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use super::methods::{check_method, elements};
use super::operand::Operand;
use super::target::servers;
use super::{reported, rule};
use crate::emit::kind::release;
use crate::model::{Equality, Field, Immutable, Pairing, Struct, Type};

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
    match &field.checks.equality {
        Equality::Exact => quote!(#new == #old),
        Equality::Semantic => {
            cx.uses.semantic = true;
            quote!(#new.is_same(#borrow #old))
        }
        Equality::Function(function) => quote!(#function(#borrow #new, #borrow #old)),
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
        for immutable in field.server.rules.immutable() {
            lines.extend(frozen(cx, field, immutable));
        }
        lines.extend(compared(cx, field));
        lines.extend(values_compared(cx, field));
        lines.extend(inside(cx, field));
    }
    let (new, old) = (quote!(self), quote!(stored));
    let (new, old) = (Operand::reference(new), Operand::reference(old));
    let at = Operand::reference(quote!(at));
    for rule in object.rules.cel.iter().filter(|rule| rule.is_asked(true)) {
        lines.extend(rule::rule(cx, rule, &at, &new, Some(&old)));
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
    let rules = field.server.rules.cel(true);
    let lines: TokenStream = rules
        .map(|rule| rule::rule(cx, rule, &path, &new, Some(&old)))
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

/// The rules in CEL that compare the values of a map with those of the same keys.
fn values_compared(cx: &mut Context<'_>, field: &Field) -> TokenStream {
    let path = Operand::place(quote!(map.key_as_field(key)));
    let (new, old) = (
        Operand::reference(quote!(value)),
        Operand::reference(quote!(stored)),
    );
    let rules = field.server.rules.cel_of_values();
    let lines: TokenStream = rules
        .map(|rule| rule::rule(cx, rule, &path, &new, Some(&old)))
        .collect();
    if lines.is_empty() {
        return lines;
    }
    let (json, name) = (&field.json, &field.name);
    let entries = elements(&quote!(self), field);
    let stored = match field.is_optional() {
        true => quote!(stored.#name.as_ref().and_then(|map| map.get(key))),
        false => quote!(stored.#name.get(key)),
    };
    quote! {
        let map = at.field(#json);
        for (key, value) in #entries {
            if let Some(stored) = #stored {
                #lines
            }
        }
    }
}

fn frozen(cx: &mut Context<'_>, field: &Field, immutable: &Immutable) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let mut is_same = is_same(cx, field, &quote!(new), &quote!(old), false);
    let mut error_type = cx.term(immutable.error_type);
    let mut as_reported = field.server.rules.reported.clone();
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

/// The condition for the targets on which it may not change, if that isn't all.
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
    let Some(pairing) = &field.checks.pairing else {
        return TokenStream::new();
    };
    cx.uses.check = true;
    match pairing {
        Pairing::ByFields(names) => {
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
        Pairing::ByKey => {
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
        Pairing::Itself if field.is_optional() => quote! {
            if let (Some(value), Some(stored)) = (&self.#name, &stored.#name) {
                value.check_update(stored, &at.field(#json), to);
            }
        },
        Pairing::Itself => quote! {
            self.#name.check_update(&stored.#name, &at.field(#json), to);
        },
    }
}
