//! Defaults as expressions.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;

use crate::model::{Field, Literal};
use crate::name::Ident;

/// The default of a field as an expression, in a `Box` if the field has one. `named` says how a
/// type of the crate is written.
pub(super) fn of(
    field: &Field,
    literal: &Literal,
    named: &mut impl FnMut(&Ident) -> TokenStream,
) -> TokenStream {
    let value = expression(literal, named);
    match field.form.boxed {
        true => quote!(Box::new(#value)),
        false => value,
    }
}

fn expression(literal: &Literal, named: &mut impl FnMut(&Ident) -> TokenStream) -> TokenStream {
    match literal {
        Literal::Bool(value) => quote!(#value),
        Literal::Int(value) => {
            let value = Token::i64_unsuffixed(*value);
            quote!(#value)
        }
        Literal::Text(text) if text.is_empty() => quote!(String::new()),
        Literal::Text(text) => quote!(#text.to_owned()),
        Literal::Variant { ty, variant } => {
            let ty = named(ty);
            quote!(#ty::#variant)
        }
        Literal::List(values) => {
            let values = values.iter().map(|value| expression(value, named));
            let values: Vec<_> = values.collect();
            quote!(vec![#(#values),*])
        }
        Literal::Number(value) => {
            let value = match value.as_i64() {
                Some(value) => Token::i64_suffixed(value),
                None => Token::f64_unsuffixed(value.as_f64().unwrap_or_default()),
            };
            quote!(#value.into())
        }
        Literal::Made(text) => quote!(#text.into()),
        Literal::Empty => quote!(Default::default()),
        Literal::Json(text) => {
            quote!(k8s_openapi::serde_json::from_str(#text).unwrap_or_default())
        }
    }
}
