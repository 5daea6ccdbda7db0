//! Methods of the traits, and expressions that several of them have.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::context::Context;
use crate::model::Field;

/// A method of `Check`, if there is anything to do.
pub(super) fn check_method(
    cx: &mut Context<'_>,
    name: &TokenStream,
    stored: Option<&TokenStream>,
    lines: &TokenStream,
) -> Option<TokenStream> {
    (!lines.is_empty()).then(|| {
        let (path, checker) = (cx.name("Path"), cx.name("Checker"));
        // Their expressions are as long as the rules.
        let skip = has_rules(lines).then(|| quote!(#[rustfmt::skip]));
        quote! {
            #skip
            fn #name(&self, #stored at: &#path<'_>, to: &mut #checker<'_>) {
                #lines
            }
        }
    })
}

/// Returns true if lines have rules in CEL.
fn has_rules(lines: &TokenStream) -> bool {
    lines.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => has_rules(&group.stream()),
        TokenTree::Ident(ident) => ident == "Rule",
        _ => false,
    })
}

/// The name of a parameter, with an underscore if the lines don't use it.
pub(super) fn parameter(name: &str, lines: &TokenStream) -> proc_macro2::Ident {
    fn uses(lines: TokenStream, name: &str) -> bool {
        let mut is_member = false;
        lines.into_iter().any(|token| {
            let after_dot = std::mem::replace(&mut is_member, token.to_string() == ".");
            match token {
                TokenTree::Group(group) => uses(group.stream(), name),
                TokenTree::Ident(ident) => ident == name && !after_dot,
                _ => false,
            }
        })
    }
    let unused = if uses(lines.clone(), name) { "" } else { "_" };
    format_ident!("{unused}{name}")
}

/// The elements of a list of an object, or the entries of a map.
pub(super) fn elements(of: &TokenStream, field: &Field) -> TokenStream {
    let name = &field.name;
    if field.is_optional() {
        quote!(#of.#name.iter().flatten())
    } else {
        quote!(#of.#name.iter())
    }
}

/// Emits the stored value of a field that holds a struct.
pub(super) fn old(field: &Field) -> TokenStream {
    let name = &field.name;
    if field.is_optional() {
        quote!(let old = stored.and_then(|stored| stored.#name.as_ref());)
    } else {
        quote!(let old = stored.map(|stored| &stored.#name);)
    }
}
