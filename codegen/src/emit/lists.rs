//! Lists as collections: `FromIterator` and `IntoIterator`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{ApiVersion, Role, Struct, Type};

/// The trait implementations of a list.
pub(super) fn item(
    version: &ApiVersion,
    ty: &Type,
    object: &Struct,
) -> Option<TokenStream> {
    let Role::List { item } = &object.role else {
        return None;
    };
    let item = &version.types.get(item)?.name;
    let name = &ty.name;
    Some(quote! {
        wire::list! { #name of #item }
    })
}
