//! Comparisons of rules in CEL where a server sees other differences than Rust.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::context::Context;
use crate::model::{Field, Rest, Sameness, Struct, Type};
use crate::name::Ident;

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
    let mut fields: Vec<_> = fields.collect();
    let rest = object.unknown.as_ref();
    let rest = rest.filter(|_| object.is_open || object.fields.iter().any(|f| f.form.keeps_null));
    fields.extend(rest.map(|Rest { name, .. }| others(object, name)));
    let size = rest.map(|Rest { name, .. }| size(object, name));
    let is_as_long = rest.map(|_| quote!(size(self) == size(other) &&));
    Some(quote! {
        impl #module::Same for #name {
            fn is_same(&self, other: &Self) -> bool {
                #size
                let mut alike = self.clone();
                #(#fields)*
                #is_as_long alike == *other
            }
        }
    })
}

/// Takes what only the other value has, where one of them has a property that is `null` or that the
/// schema lacks: a server counts properties, and then looks for those of the first value only.
fn others(object: &Struct, rest: &Ident) -> TokenStream {
    let fields = object.fields.iter().filter(|field| field.is_optional());
    let fields = fields.map(|field| {
        let (name, json) = (&field.name, &field.json);
        quote! {
            if self.#name.is_none() && !self.#rest.contains_key(#json) {
                alike.#name.clone_from(&other.#name);
            }
        }
    });
    let is_shared = object.is_open.then(|| {
        quote! {
            let is_other = |(key, value): (&String, _)| {
                other.#rest.get(key).is_some_and(|other| other != value)
            };
            if self.#rest.iter().any(is_other) {
                return false;
            }
        }
    });
    quote! {
        #(#fields)*
        #is_shared
        alike.#rest.clone_from(&other.#rest);
    }
}

/// A function that counts the properties of a value, of those that it can be without.
fn size(object: &Struct, rest: &Ident) -> TokenStream {
    let optional = object.fields.iter().filter(|field| field.is_optional());
    let fields = optional.map(|field| {
        let (name, json) = (&field.name, &field.json);
        match field.form.keeps_null {
            true => quote!(of.#name.is_some() || of.#rest.contains_key(#json)),
            false => quote!(of.#name.is_some()),
        }
    });
    let known: Vec<_> = object.fields.iter().map(|field| &field.json).collect();
    let unknown = object.is_open.then(|| {
        quote! {
            let known: &[&str] = &[#(#known),*];
            let unknown = of.#rest.keys().filter(|key| !known.contains(&key.as_str()));
        }
    });
    let more = object.is_open.then(|| quote!(+ unknown.count()));
    quote! {
        let size = |of: &Self| {
            #unknown
            let fields = [#(#fields),*];
            fields.into_iter().filter(|is_there| *is_there).count() #more
        };
    }
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
            let read = proc_macro2::Ident::new(read, Span::call_site());
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
        Sameness::Open => quote!(#module::is_same_open(#new, #old)),
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
        Sameness::Open => {
            let module = cx.name("cel");
            quote!(#module::is_same_open)
        }
        same => {
            let is_same = comparison(cx, same, &quote!(new), &quote!(old));
            quote!(|new, old| #is_same)
        }
    }
}
