//! Lists as collections: `FromIterator` and `IntoIterator`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{ApiVersion, Role, Struct, Type};

/// The trait implementations of a list.
pub(super) fn items(version: &ApiVersion, ty: &Type, object: &Struct) -> Vec<TokenStream> {
    let item = match &object.role {
        Role::List { item, .. } => version.types.get(item),
        _ => None,
    };
    let (item, name) = (item.map(|item| &item.name), &ty.name);
    item.map(|item| quote!(wire::list! { #name of #item }))
        .into_iter()
        .collect()
}
