//! Documentation comments.

use proc_macro2::TokenStream;
use quote::quote;

/// Returns the attributes that make a documentation comment of the lines.
pub(super) fn comment(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| spaced(line));
    quote!(#(#[doc = #lines])*)
}

/// Returns the attributes that make the documentation comment of a file of the lines.
pub(super) fn inner_comment(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| spaced(line));
    quote!(#(#![doc = #lines])*)
}

fn spaced(line: &str) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!(" {line}")
    }
}
