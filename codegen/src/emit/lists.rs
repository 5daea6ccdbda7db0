//! Lists as collections: made by `collect`, taken apart by `for`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{ApiVersion, Role, Struct, Type};

/// The trait implementations of a list.
pub(super) fn items(
    version: &ApiVersion,
    ty: &Type,
    object: &Struct,
) -> Vec<TokenStream> {
    let Role::List { item } = &object.role else {
        return Vec::new();
    };
    let Some(item) = version.types.get(item).map(|item| &item.name) else {
        return Vec::new();
    };
    let name = &ty.name;
    vec![
        quote! {
            impl FromIterator<#item> for #name {
                fn from_iter<T: IntoIterator<Item = #item>>(items: T) -> Self {
                    Self::new(items)
                }
            }
        },
        quote! {
            impl IntoIterator for #name {
                type Item = #item;
                type IntoIter = std::vec::IntoIter<#item>;

                fn into_iter(self) -> Self::IntoIter {
                    self.items.into_iter()
                }
            }
        },
    ]
}
