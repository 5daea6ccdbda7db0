//! Comparisons of rules in CEL where a server sees other differences than Rust.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::context::Context;
use crate::model::{Field, Sameness, Struct, Type};

/// The implementation of `cel::Same` for a struct that rules compare.
pub(super) fn item(cx: &mut Context<'_>, ty: &Type, object: &Struct) -> Option<TokenStream> {
    if !object.behaviour.has_sameness {
        return None;
    }
    let (name, module) = (&ty.name, cx.name("cel"));
    let fields = object.fields.iter().filter_map(|field| {
        let same = field.server.sameness.as_ref()?;
        Some(alike(cx, field, same))
    });
    let fields: Vec<_> = fields.collect();
    Some(quote! {
        impl #module::Same for #name {
            fn is_same(&self, other: &Self) -> bool {
                let mut alike = self.clone();
                #(#fields)*
                alike == *other
            }
        }
    })
}

/// Takes a field of the other value where a server sees no difference.
fn alike(cx: &mut Context<'_>, field: &Field, same: &Sameness) -> TokenStream {
    let name = &field.name;
    let take = match same {
        Sameness::Number => quote!(alike.#name = other.#name;),
        _ => quote!(alike.#name.clone_from(&other.#name);),
    };
    if field.is_optional() {
        let is_same = comparison(cx, same, &quote!(new), &quote!(old));
        quote! {
            if let (Some(new), Some(old)) = (&self.#name, &other.#name)
                && #is_same
            {
                #take
            }
        }
    } else {
        let is_same = comparison(cx, same, &quote!(&self.#name), &quote!(&other.#name));
        quote! {
            if #is_same {
                #take
            }
        }
    }
}

/// The condition that the values behind two references are equal for a server.
pub(super) fn comparison(
    cx: &mut Context<'_>,
    same: &Sameness,
    new: &TokenStream,
    old: &TokenStream,
) -> TokenStream {
    let module = cx.name("cel");
    match same {
        Sameness::Exact => quote!(#new == #old),
        Sameness::Number => quote!(f64::from(*#new) == f64::from(*#old)),
        Sameness::Written(read) => {
            let read = Ident::new(read, Span::call_site());
            quote!(#module::is_same_written(#new, #old, #module::#read))
        }
        Sameness::Set => quote!(#module::is_same_set(#new, #old)),
        Sameness::Keyed(keys, inside) => {
            let inside = function(cx, inside);
            let keys = quote!(|new, old| #(new.#keys == old.#keys)&&*);
            quote!(#module::is_same_by_key(#new, #old, #keys, #inside))
        }
        Sameness::Each(inside) => {
            let inside = function(cx, inside);
            quote!(#module::is_each_same(#new, #old, #inside))
        }
        Sameness::Entries(inside) => {
            let inside = function(cx, inside);
            quote!(#module::is_each_value_same(#new, #old, #inside))
        }
        Sameness::Struct(_) => quote!(#module::Same::is_same(#new, #old)),
    }
}

/// The same as a function.
fn function(cx: &mut Context<'_>, same: &Sameness) -> TokenStream {
    match same {
        Sameness::Exact => quote!(PartialEq::eq),
        Sameness::Struct(_) => {
            let module = cx.name("cel");
            quote!(#module::Same::is_same)
        }
        same => {
            let is_same = comparison(cx, same, &quote!(new), &quote!(old));
            quote!(|new, old| #is_same)
        }
    }
}
