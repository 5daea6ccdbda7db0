//! Values that are checked, as expressions.

use proc_macro2::TokenStream;
use quote::quote;

/// A value that is checked, as the expressions in which methods take it.
#[derive(Clone)]
pub(super) struct Operand {
    /// The receiver of a method call.
    pub(super) plain: TokenStream,
    pub(super) borrowed: TokenStream,
    pub(super) copied: TokenStream,
    pub(super) is_reference: bool,
}

impl Operand {
    /// A reference to the value.
    pub(super) fn reference(plain: TokenStream) -> Self {
        Self {
            borrowed: plain.clone(),
            copied: quote!(*#plain),
            plain,
            is_reference: true,
        }
    }

    /// The place of the value in memory.
    pub(super) fn place(plain: TokenStream) -> Self {
        Self {
            borrowed: quote!(&#plain),
            copied: plain.clone(),
            plain,
            is_reference: false,
        }
    }
}
