//! Regular expressions.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use crate::expression::Expression;

/// Emits a regular expression: its type and its value.
pub(super) fn emitted(cx: &mut Context<'_>, of: &Expression) -> (TokenStream, TokenStream) {
    let (ty, text) = (cx.name("Pattern"), &of.text);
    let value = match &of.translated {
        Some(translated) => quote!(#ty::translated(#text, #translated)),
        None => quote!(#ty::new(#text)),
    };
    (ty, value)
}
