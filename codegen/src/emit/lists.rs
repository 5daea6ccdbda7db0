//! Lists as collections: `FromIterator` and `IntoIterator`.

use proc_macro2::TokenStream;
use quote::quote;

use super::imports::{WIRE, own};
use crate::model::{ApiVersion, Role, Struct, Type};

/// The trait implementations of a list.
pub(super) fn items(
    version: &ApiVersion,
    ty: &Type,
    object: &Struct,
) -> Vec<TokenStream> {
    let item = match &object.role {
        Role::List { item } => version.types.get(item),
        _ => None,
    };
    let name = &ty.name;
    let items = item.map(|item| {
        let item = own(version, &item.name);
        quote!(#WIRE::list! { #name of #item })
    });
    items.into_iter().collect()
}
