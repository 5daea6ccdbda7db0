//! The rules of an object at any time, and what the server warns of.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::{Context, features, updates, values};
use crate::model::{
    ApiVersion, Checks, Field, Place, Role, SchemaName, Shape, Struct, Ty, Type, Unique,
};

/// Whether a struct has a rule itself.
pub(super) fn has_own(version: &ApiVersion, object: &Struct) -> bool {
    let asks = |field: &Field| checks_something(version, &field.ty, &field.checks);
    object.checks.exactly_one
        || !object.checks.depends.is_empty()
        || object.fields.iter().any(asks)
}

/// Whether a struct warns itself.
pub(super) fn warns(_: &ApiVersion, object: &Struct) -> bool {
    object.checks.warning.is_some()
        || object.fields.iter().any(|field| !field.checks.warnings.is_empty())
}

/// Whether anything is asked of a value, apart from what is in a struct of the crate.
fn checks_something(version: &ApiVersion, ty: &Ty, checks: &Checks) -> bool {
    let is_enum = |ty: &Ty| match ty {
        Ty::Ref(schema) => {
            let ty = version.types.get(schema).map(|ty| &ty.shape);
            matches!(ty, Some(Shape::Enum(_)))
        }
        _ => false,
    };
    let inside = match (ty, &checks.items) {
        (Ty::List(item), Some(inside)) => checks_something(version, item, inside),
        (Ty::List(item), None) => is_enum(item),
        _ => false,
    };
    inside
        || is_enum(ty)
        || checks.must_be_set
        || checks.not_empty_text
        || checks.max_length.is_some()
        || checks.minimum.is_some()
        || checks.maximum.is_some()
        || checks.format.is_some()
        || checks.pattern.is_some()
        || checks.not_empty
        || checks.max_entries.is_some()
        || checks.keys_not_empty
        || checks.max_total_length.is_some()
        || checks.unique != Unique::No
        || !checks.functions.is_empty()
}

/// The implementation of `Check`.
pub(super) fn item(
    cx: &Context<'_>,
    schema: &SchemaName,
    ty: &Type,
    object: &Struct,
) -> Option<TokenStream> {
    let needs = &cx.needs;
    let sets = [&needs.checks, &needs.updates, &needs.warnings];
    if !sets.iter().any(|set| set.contains(schema)) {
        return None;
    }
    let name = &ty.name;
    let checks = checks(cx, object);
    let check_update = updates::method(cx, object);
    let warn = warn_method(cx, object);
    let (at, to) = if checks.is_empty() {
        (quote!(_at), quote!(_to))
    } else {
        (quote!(at), quote!(to))
    };
    Some(quote! {
        impl validation::Check for #name {
            fn check(&self, #at: &validation::Path<'_>, #to: &mut validation::Checker<'_>) {
                #checks
            }

            #check_update

            #warn
        }
    })
}

fn checks(cx: &Context<'_>, object: &Struct) -> TokenStream {
    let mut lines = TokenStream::new();
    for field in object.fields.iter().filter(|field| !is_own_status(object, field)) {
        lines.extend(values::field(cx, object, field));
    }
    if object.checks.exactly_one {
        let members = object.fields.iter().filter(|field| field.is_optional());
        let members = members.map(|field| {
            let (json, name) = (&field.json, &field.name);
            quote!((#json, self.#name.is_some()))
        });
        let is_used = object.fields.iter().any(values::asks_whether_only);
        let bind = is_used.then(|| quote!(let is_one =));
        lines = quote! {
            let members = [#(#members),*];
            #bind to.exactly_one(*at, &members);
            #lines
        };
    }
    for (one, other) in &object.checks.depends {
        if let (Some(field), Some(list)) = (object.field(one), object.field(other)) {
            let (json, name, list) = (&field.json, &field.name, &list.name);
            lines.extend(quote! {
                let path = at.field(#json);
                let list = self.#list.as_ref();
                let has_other = list.is_some_and(|list| !list.is_empty());
                to.depends(path, self.#name.as_ref(), #other, has_other);
            });
        }
    }
    lines
}

/// Whether a field is a status that is written separately.
pub(super) fn is_own_status(object: &Struct, field: &Field) -> bool {
    let has = matches!(&object.role, Role::Kind(resource) if resource.status);
    has && field.json == "status"
}

/// The path of a field, as the server reports it.
pub(super) fn path(base: &TokenStream, place: &Place) -> TokenStream {
    let mut path = base.clone();
    if let Some(name) = &place.name {
        path = quote!(#path.named(#name));
    }
    if place.above > 0 {
        let above = proc_macro2::Literal::u64_unsuffixed(place.above);
        path = quote!(#path.above(#above));
    }
    path
}

fn warn_method(cx: &Context<'_>, object: &Struct) -> Option<TokenStream> {
    let mut lines = Vec::new();
    let mut uses_stored = false;
    for field in &object.fields {
        let (json, name) = (&field.json, &field.name);
        for function in &field.checks.warnings {
            lines.push(quote! {
                let path = at.field(#json);
                validation::rules::#function(&self.#name, path, to);
            });
        }
        let own = cx.own(&field.ty).filter(|(s, _)| cx.needs.warnings.contains(s));
        if own.is_some() && !field.is_optional() {
            uses_stored = true;
            lines.push(quote! {
                let old = stored.map(|stored| &stored.#name);
                self.#name.warn(old, &at.field(#json), to);
            });
        }
    }
    if let Some((function, fields)) = &object.checks.warning {
        uses_stored = true;
        let fields: Vec<_> = fields.iter().filter_map(|f| object.field(f)).collect();
        let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
        let first = names.first();
        let warn = quote! {
            let old = stored.map(|stored| &stored.#first);
            validation::rules::#function(old, #(&self.#names,)* at, to);
        };
        // Nobody is told to use what the server doesn't have.
        let lifecycles = fields.iter().filter_map(|field| field.docs.lifecycle.as_ref());
        let features: BTreeSet<_> = lifecycles.filter_map(features::of).collect();
        let features = features.iter();
        lines.push(match features.len() {
            0 => warn,
            _ => quote! {
                if #(to.target().has(&#features))&&* {
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
            at: &validation::Path<'_>,
            to: &mut validation::Checker<'_>,
        ) {
            #(#lines)*
        }
    })
}
