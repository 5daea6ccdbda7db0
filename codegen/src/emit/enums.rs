//! Open enumerations: the last variant keeps unknown values.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment::comment;
use super::runtime::KINDS;
use crate::model::{Enum, Type};
use crate::name::RustPath;

/// The declaration of an enumeration, with further derives, and the table of its values.
pub(super) fn items(ty: &Type, shape: &Enum, derives: &[&RustPath]) -> Vec<TokenStream> {
    let name = &ty.name;
    let docs = comment(&ty.docs.lines);
    let variants: Vec<_> = shape.variants.iter().map(|variant| &variant.name).collect();
    let values: Vec<_> = shape
        .variants
        .iter()
        .map(|variant| &variant.value)
        .collect();
    let variant_docs: Vec<_> = shape
        .variants
        .iter()
        .map(|variant| comment(&variant.docs.lines))
        .collect();
    vec![
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash #(, #derives)*)]
            #[non_exhaustive]
            pub enum #name {
                #(#variant_docs #variants,)*
                /// A value that this version of the crate doesn't know, kept as it was read
                /// and written back unchanged.
                Unknown(#KINDS::UnknownValue),
            }
        },
        quote! {
            #KINDS::wire::enumeration! {
                #name { #(#values => #variants,)* }
            }
        },
    ]
}
