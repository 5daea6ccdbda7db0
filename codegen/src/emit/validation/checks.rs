//! The rules of an object at any time, and what the server warns of.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use super::methods::{check_method, elements, old, parameter};
use super::operand::Operand;
use super::{rule, together, updates, values};
use crate::model::{Field, FieldChecks, Struct, Ty, Type};

/// The implementation of `Check`.
pub(super) fn item(cx: &mut Context<'_>, ty: &Type, object: &Struct) -> Option<TokenStream> {
    let does = object.behaviour;
    if !does.checks && !does.checks_updates && !does.warns {
        return None;
    }
    let name = &ty.name;
    let lines = lines(cx, object);
    let check = check_method(cx, &quote!(check), None, &lines);
    let check_update = updates::method(cx, object);
    let warnings = warnings(cx, object);
    let stored = parameter("stored", &warnings);
    let stored = quote!(#stored: Option<&Self>,);
    let warn = check_method(cx, &quote!(warn), Some(&stored), &warnings);
    let trait_name = cx.name("Check");
    Some(quote! {
        impl #trait_name for #name {
            #check

            #check_update

            #warn
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
        let mut checks = object.fields.iter().map(|field| &field.checks);
        let is_used = checks.any(FieldChecks::ask_whether_only);
        let bind = is_used.then(|| quote!(let is_one =));
        lines.extend(quote! {
            let members = [#(#members),*];
            #bind to.exactly_one(*at, &members);
        });
    }
    for field in object
        .fields
        .iter()
        .filter(|field| !object.has_own_status(field))
    {
        lines.extend(values::field(cx, object, field));
    }
    if object.rules.embedded {
        lines.extend(embedded(cx, object));
    }
    lines.extend(together::lines(cx, object));
    let this = Operand::reference(quote!(self));
    let at = Operand::reference(quote!(at));
    for rule in object.rules.cel.iter().filter(|rule| rule.is_asked(false)) {
        lines.extend(rule::rule(cx, rule, &at, &this, None));
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
    let functions = &object.rules.functions;
    if !functions.is_empty() {
        // On an update they are called with what is stored.
        lines.extend(quote! {
            if !to.is_update() {
                #(#functions(self, None, at, to);)*
            }
        });
    }
    lines
}

/// Checks the fields of every object in one that is inside another; the loader has added them.
fn embedded(cx: &Context<'_>, object: &Struct) -> Option<TokenStream> {
    let text = |json: &str| {
        let field = object.field(json)?;
        let name = &field.name;
        Some(match cx.version.own_enum(&field.ty) {
            Some(_) => quote!(self.#name.as_str()),
            None => quote!(&self.#name),
        })
    };
    let (api_version, kind) = (text("apiVersion")?, text("kind")?);
    let metadata = &object.field("metadata")?.name;
    Some(quote!(to.embedded(*at, #api_version, #kind, self.#metadata.as_ref());))
}

fn warnings(cx: &mut Context<'_>, object: &Struct) -> TokenStream {
    let mut lines = TokenStream::new();
    for field in &object.fields {
        let (json, name) = (&field.json, &field.name);
        for function in field.server.rules.warnings() {
            lines.extend(quote!(#function(&self.#name, at.field(#json), to);));
        }
        lines.extend(warn_inside(cx, field));
    }
    if let Some((function, fields)) = &object.rules.warning {
        let fields: Vec<_> = fields.iter().filter_map(|f| object.field(f)).collect();
        let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
        let first = names.first();
        let warn = quote! {
            let old = stored.map(|stored| &stored.#first);
            #function(old, #(&self.#names,)* at, to);
        };
        // No warning asks for what the server doesn't have.
        let features = fields
            .iter()
            .filter_map(|field| field.server.feature.as_ref());
        let features: BTreeSet<_> = features.collect();
        let target = quote!(to.target());
        let has: Vec<_> = features.iter().map(|f| cx.has(&target, f)).collect();
        lines.extend(match has.is_empty() {
            true => warn,
            false => quote! {
                if #(#has)&&* {
                    #warn
                }
            },
        });
    }
    lines
}

/// The warnings of the structs that a field holds.
fn warn_inside(cx: &mut Context<'_>, field: &Field) -> Option<TokenStream> {
    let (json, name) = (&field.json, &field.name);
    let is_collection = |ty: &Ty| matches!(ty, Ty::List(_) | Ty::Map(_));
    match &field.ty {
        // No kind with warnings has such a field.
        Ty::List(inner) | Ty::Map(inner) if is_collection(inner) => return None,
        _ => cx.held(field).filter(|inside| inside.behaviour.warns)?,
    };
    cx.uses.check = true;
    let old = old(field);
    Some(match (&field.ty, field.is_optional()) {
        (Ty::List(_), _) => {
            let items = elements(&quote!(self), field);
            // The elements of a list have no counterpart that is surely theirs.
            quote! {
                let list = at.field(#json);
                for (index, item) in #items.enumerate() {
                    item.warn(None, &list.index(index), to);
                }
            }
        }
        (Ty::Map(_), _) => {
            let (step, entries) = (cx.step(), elements(&quote!(self), field));
            quote! {
                let map = at.field(#json);
                for (key, item) in #entries {
                    item.warn(None, &map.#step(key), to);
                }
            }
        }
        (_, true) => quote! {
            if let Some(value) = &self.#name {
                #old
                value.warn(old, &at.field(#json), to);
            }
        },
        (_, false) => quote! {
            #old
            self.#name.warn(old, &at.field(#json), to);
        },
    })
}
