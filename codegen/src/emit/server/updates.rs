//! What an update must not change.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::{Context, checks, features, values};
use crate::emit::kind::release;
use crate::model::{
    ApiVersion, Field, Immutable, SchemaName, Shape, Struct, Ty, Type, Unique,
};

/// The types of k8s-openapi that a server doesn't compare field by field as they are.
const SEMANTIC: [&str; 2] = ["LabelSelector", "PersistentVolumeSpec"];

/// Whether a struct has a field that must not change.
pub(super) fn has_own(_: &ApiVersion, object: &Struct) -> bool {
    object.fields.iter().any(|field| field.checks.immutable.is_some())
}

/// The structs that are compared as a whole, and what is in them.
pub(super) fn compared(version: &ApiVersion) -> BTreeSet<&SchemaName> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Ty> = Vec::new();
    for (_, object) in version.structs() {
        let fields = object.fields.iter().filter(|field| !field.is_optional());
        open.extend(fields.filter(|f| f.checks.immutable.is_some()).map(|f| &f.ty));
    }
    while let Some(ty) = open.pop() {
        let Ty::Ref(schema) = ty else { continue };
        let Some((schema, ty)) = version.types.get_key_value(schema) else {
            continue;
        };
        if let Shape::Struct(object) = &ty.shape
            && found.insert(schema)
        {
            let fields = object.fields.iter().filter(|field| !field.is_optional());
            open.extend(fields.map(|field| &field.ty));
        }
    }
    found
}

/// The implementation of `Semantic` for a struct that is compared as a whole.
pub(super) fn semantic(
    cx: &Context<'_>,
    schema: &SchemaName,
    ty: &Type,
    object: &Struct,
) -> Option<TokenStream> {
    if !cx.needs.compared.contains(schema) {
        return None;
    }
    let name = &ty.name;
    let same = object.fields.iter().enumerate().map(|(index, field)| {
        let is_same = is_same(cx, field, &quote!(other));
        match (index, object.fields.len()) {
            (0, 1) => is_same,
            (0, _) => quote!(let mut is_same = #is_same;),
            _ => quote!(is_same &= #is_same;),
        }
    });
    let result = (object.fields.len() > 1).then(|| quote!(is_same));
    Some(quote! {
        impl validation::Semantic for #name {
            fn is_same(&self, other: &Self) -> bool {
                #(#same)*
                #result
            }
        }
    })
}

/// Whether a field is the same in `self` and the other, as the server sees it.
fn is_same(cx: &Context<'_>, field: &Field, other: &TokenStream) -> TokenStream {
    let name = &field.name;
    if is_semantic(cx, field) {
        quote!(self.#name.is_same(&#other.#name))
    } else {
        quote!(self.#name == #other.#name)
    }
}

/// Whether a field is compared as the server does, rather than by equality.
fn is_semantic(cx: &Context<'_>, field: &Field) -> bool {
    match &field.ty {
        Ty::List(_) | Ty::Map(_) => field.is_optional(),
        Ty::Ref(schema) => match cx.version.externs.get(schema) {
            Some(external) => {
                let is_semantic = SEMANTIC.contains(&external.path.name().as_str());
                is_semantic && field.is_optional()
            }
            None => !field.is_optional() && cx.needs.compared.contains(schema),
        },
        _ => false,
    }
}

/// The method that compares with what is stored.
pub(super) fn method(cx: &Context<'_>, object: &Struct) -> Option<TokenStream> {
    let mut lines = TokenStream::new();
    for field in object.fields.iter().filter(|f| !checks::is_own_status(object, f)) {
        if let Some(immutable) = &field.checks.immutable {
            lines.extend(frozen(cx, field, immutable));
        }
        lines.extend(inside(cx, field));
    }
    if lines.is_empty() {
        return None;
    }
    Some(quote! {
        fn check_update(
            &self,
            stored: &Self,
            at: &validation::Path<'_>,
            to: &mut validation::Checker<'_>,
        ) {
            #lines
        }
    })
}

fn frozen(cx: &Context<'_>, field: &Field, immutable: &Immutable) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let is_same = match is_semantic(cx, field) {
        true => quote!(new.is_same(old)),
        false => quote!(new == old),
    };
    let kind = values::fault(immutable.kind);
    let mut place = field.checks.place.clone();
    place.above = immutable.above;
    let path = checks::path(&quote!(at.field(#json)), &place);
    let compare = quote! {
        let path = #path;
        let (new, old) = (&self.#name, &stored.#name);
        to.immutable(path, #is_same, #kind, new);
    };
    match condition(immutable) {
        None => compare,
        Some(condition) => quote! {
            if #condition {
                #compare
            }
        },
    }
}

/// For which targets it may not change, if not for all.
fn condition(immutable: &Immutable) -> Option<TokenStream> {
    let (from, before) = immutable.releases.bounds();
    let from = from.map(|from| {
        let from = release(from);
        quote!(to.target().release() >= #from)
    });
    let before = before.map(|before| {
        let before = release(before);
        quote!(to.target().release() < #before)
    });
    let unless = immutable.unless.as_ref().and_then(features::of);
    let unless = unless.map(|feature| quote!(!to.target().has(&#feature)));
    let all: Vec<_> = from.into_iter().chain(before).chain(unless).collect();
    (!all.is_empty()).then(|| quote!(#(#all)&&*))
}

/// The comparisons in the structs that a field holds.
fn inside(cx: &Context<'_>, field: &Field) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let needs = |ty| cx.own(ty).filter(|(s, _)| cx.needs.updates.contains(s));
    match &field.ty {
        Ty::List(item) => {
            let (Some(_), Unique::Keys { keys, .. }) =
                (needs(item), &field.checks.unique)
            else {
                // Without keys, the elements have no counterparts.
                return TokenStream::new();
            };
            let Some(same) = same_keys(cx, item, keys) else {
                return TokenStream::new();
            };
            let (new, old) = match field.is_optional() {
                true => (
                    quote!(self.#name.iter().flatten()),
                    quote!(stored.#name.iter().flatten()),
                ),
                false => (quote!(self.#name.iter()), quote!(stored.#name.iter())),
            };
            quote! {
                let path = at.field(#json);
                for (index, item) in #new.enumerate() {
                    let mut stored = #old;
                    if let Some(stored) = stored.find(|stored| #same) {
                        item.check_update(stored, &path.index(index), to);
                    }
                }
            }
        }
        ty if needs(ty).is_some() && field.is_optional() => quote! {
            if let (Some(value), Some(stored)) = (&self.#name, &stored.#name) {
                value.check_update(stored, &at.field(#json), to);
            }
        },
        ty if needs(ty).is_some() => quote! {
            self.#name.check_update(&stored.#name, &at.field(#json), to);
        },
        _ => TokenStream::new(),
    }
}

fn same_keys(cx: &Context<'_>, item: &Ty, keys: &[String]) -> Option<TokenStream> {
    let (_, ty) = cx.own(item)?;
    let Shape::Struct(object) = &ty.shape else {
        return None;
    };
    let names = keys.iter().map(|key| object.field(key).map(|field| &field.name));
    let names: Vec<_> = names.collect::<Option<_>>()?;
    Some(quote!(#(stored.#names == item.#names)&&*))
}
