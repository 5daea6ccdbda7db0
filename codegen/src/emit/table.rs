//! The words of the tables that the macros of `kubernetes-kinds` take.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Role, Struct};

/// The macro that takes the table of a struct: parts have neither `apiVersion` nor `kind`.
pub(super) fn table_macro(object: &Struct) -> TokenStream {
    match object.role {
        Role::Part => quote!(object),
        Role::Kind(_) | Role::Apply(_) | Role::List { .. } => quote!(kind),
    }
}

/// The word that begins the row of a field in a table.
pub(super) fn presence(required: bool) -> TokenStream {
    if required {
        quote!(required)
    } else {
        quote!(optional)
    }
}
