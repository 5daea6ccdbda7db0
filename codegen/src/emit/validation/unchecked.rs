//! The constant with the rules that aren't checked.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::runtime::VALIDATION;
use crate::model::ApiVersion;
use crate::name::{self, Ident};

/// The name of the constant, if there is one: custom resources have it.
pub(super) fn name(versions: &[&ApiVersion]) -> Option<Ident> {
    let any = versions.iter().any(|version| version.is_custom);
    any.then(|| name::fixed("UNCHECKED"))
}

/// The constant.
pub(super) fn item(versions: &[&ApiVersion]) -> Option<TokenStream> {
    let name = name(versions)?;
    let ty = quote!(#VALIDATION::UncheckedRule);
    let rules = versions.iter().flat_map(|version| version.unchecked());
    let rules = rules.map(|unchecked| {
        let (kind, path) = unchecked.place();
        let (rule, reason) = (&unchecked.rule, &unchecked.reason);
        quote!(UncheckedRule::new(#kind, #path, #rule, #reason))
    });
    let rules: Vec<_> = rules.collect();
    let value = match rules.is_empty() {
        true => quote!(&[]),
        false => quote!({
            use #ty;
            &[#(#rules),*]
        }),
    };
    Some(quote! {
        /// The rules of the schemas that only a server checks, each with its place and the reason.
        pub const #name: &[#ty] = #value;
    })
}
