//! What the server fills in, and what it takes out because its feature is off.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use serde_json::Value;

use super::{Context, features};
use crate::model::{ApiVersion, Field, Role, SchemaName, Shape, Struct, Ty, Type};

/// Whether a struct has a default itself.
pub(super) fn has_own(version: &ApiVersion, object: &Struct) -> bool {
    object
        .fields
        .iter()
        .any(|field| field.checks.set_defaults.is_some() || can_be_set(version, field))
}

/// Whether a struct has a feature itself.
pub(super) fn drops(_: &ApiVersion, object: &Struct) -> bool {
    object.fields.iter().any(|field| feature(field).is_some())
}

fn feature(field: &Field) -> Option<crate::name::Ident> {
    let optional = field.is_optional();
    field.docs.lifecycle.as_ref().filter(|_| optional).and_then(features::of)
}

fn can_be_set(version: &ApiVersion, field: &Field) -> bool {
    let default = field.docs.default.as_ref();
    field.is_optional() && default.and_then(|d| literal(version, &field.ty, d)).is_some()
}

/// The implementation of `SetDefaults`.
pub(super) fn item(
    cx: &Context<'_>,
    schema: &SchemaName,
    ty: &Type,
    object: &Struct,
) -> Option<TokenStream> {
    if !cx.needs.defaults.contains(schema) {
        return None;
    }
    let name = &ty.name;
    let sets: Vec<_> = object.fields.iter().filter_map(|f| set(cx, f)).collect();
    let drops: Vec<_> =
        object.fields.iter().filter_map(|f| drop(cx, object, f)).collect();
    let uses_target = object.fields.iter().any(|field| {
        let inside = |ty| cx.own(ty).is_some_and(|(s, _)| cx.needs.sets.contains(s));
        let item = match &field.ty {
            Ty::List(item) => item,
            other => other,
        };
        inside(item) || (feature(field).is_some() && can_be_set(cx.version, field))
    });
    let named = |name: &str, is_used: bool| {
        let name = if is_used {
            name.to_owned()
        } else {
            format!("_{name}")
        };
        Ident::new(&name, Span::call_site())
    };
    let target = named("target", uses_target);
    let stored = named("stored", !drops.is_empty());
    let target_of_drop = named("target", !drops.is_empty());
    Some(quote! {
        impl validation::SetDefaults for #name {
            fn set_defaults(&mut self, #target: &validation::Target) {
                #(#sets)*
            }

            fn drop_disabled(
                &mut self,
                #stored: Option<&Self>,
                #target_of_drop: &validation::Target,
            ) {
                #(#drops)*
            }
        }
    })
}

fn set(cx: &Context<'_>, field: &Field) -> Option<TokenStream> {
    let name = &field.name;
    if let Some(function) = &field.checks.set_defaults {
        return Some(quote!(validation::rules::#function(&mut self.#name);));
    }
    if let Some(inside) =
        inside(cx, field, &cx.needs.sets, &quote!(set_defaults(target)))
    {
        return Some(inside);
    }
    let default = field.docs.default.as_ref().filter(|_| field.is_optional())?;
    let value = literal(cx.version, &field.ty, default)?;
    let set = match &field.ty {
        Ty::List(_) => quote! {
            if self.#name.as_ref().is_none_or(Vec::is_empty) {
                self.#name = Some(#value);
            }
        },
        Ty::String => {
            let text = default.as_str()?;
            quote!(validation::default_text(&mut self.#name, #text);)
        }
        _ => quote!(self.#name.get_or_insert(#value);),
    };
    Some(match feature(field) {
        Some(feature) => quote! {
            if target.has(&#feature) {
                #set
            }
        },
        None => set,
    })
}

/// What is done in the structs that a field holds.
fn inside(
    cx: &Context<'_>,
    field: &Field,
    needing: &BTreeSet<&SchemaName>,
    call: &TokenStream,
) -> Option<TokenStream> {
    let name = &field.name;
    let needs = |ty| cx.own(ty).is_some_and(|(s, _)| needing.contains(s));
    match &field.ty {
        Ty::List(item) if needs(item) => {
            let items = if field.is_optional() {
                quote!(self.#name.iter_mut().flatten())
            } else {
                quote!(&mut self.#name)
            };
            Some(quote! {
                for item in #items {
                    item.#call;
                }
            })
        }
        ty if needs(ty) && field.is_optional() => Some(quote! {
            if let Some(value) = &mut self.#name {
                value.#call;
            }
        }),
        ty if needs(ty) => Some(quote!(self.#name.#call;)),
        _ => None,
    }
}

fn drop(cx: &Context<'_>, object: &Struct, field: &Field) -> Option<TokenStream> {
    let name = &field.name;
    // A status that is written separately is made anew or kept as a whole.
    if matches!(&object.role, Role::Kind(resource) if resource.status)
        && field.json == "status"
    {
        return None;
    }
    if let Some(feature) = feature(field) {
        return Some(quote! {
            let old = stored.map(|stored| &stored.#name);
            validation::drop_unless(target.has(&#feature), &mut self.#name, old);
        });
    }
    let (schema, _) = match &field.ty {
        Ty::List(item) => cx.own(item)?,
        other => cx.own(other)?,
    };
    if !cx.needs.drops.contains(schema) {
        return None;
    }
    let (inside_of, argument) = match (&field.ty, field.is_optional()) {
        // The elements of a list have no counterpart that is surely theirs.
        (Ty::List(_), _) => (TokenStream::new(), quote!(None)),
        (_, true) => (
            quote!(let old = stored.and_then(|stored| stored.#name.as_ref());),
            quote!(old),
        ),
        (_, false) => {
            (quote!(let old = stored.map(|stored| &stored.#name);), quote!(old))
        }
    };
    let call = quote!(drop_disabled(#argument, target));
    let inside = inside(cx, field, &cx.needs.drops, &call)?;
    Some(quote! {
        #inside_of
        #inside
    })
}

/// A default as an expression, if its type has a form for it.
fn literal(version: &ApiVersion, ty: &Ty, default: &Value) -> Option<TokenStream> {
    match (ty, default) {
        (Ty::Bool, Value::Bool(value)) => Some(quote!(#value)),
        (Ty::I32 | Ty::I64, Value::Number(number)) => {
            let number = Literal::i64_unsuffixed(number.as_i64()?);
            Some(quote!(#number))
        }
        (Ty::String, Value::String(text)) => Some(quote!(#text.to_owned())),
        (Ty::List(item), Value::Array(values)) => {
            let values: Option<Vec<_>> =
                values.iter().map(|value| literal(version, item, value)).collect();
            let values = values?;
            Some(quote!(vec![#(#values),*]))
        }
        (Ty::Ref(schema), Value::String(text)) => {
            let ty = version.types.get(schema)?;
            let Shape::Enum(shape) = &ty.shape else {
                return None;
            };
            let variant =
                shape.variants.iter().find(|variant| variant.value == *text)?;
            let (name, variant) = (&ty.name, &variant.name);
            Some(quote!(#name::#variant))
        }
        _ => None,
    }
}
