//! Documentation comments.

use proc_macro2::TokenStream;
use quote::quote;

/// The character between the lines of a comment: one attribute for all of them is made and parsed
/// in a part of the time that one for each takes. No text of a comment has it, because descriptions
/// have no control characters.
pub(crate) const NEXT_LINE: char = '\u{1f}';

/// Returns the attribute that makes a documentation comment of the lines.
pub(super) fn comment(lines: &[String]) -> TokenStream {
    let docs = joined(lines).into_iter();
    quote!(#(#[doc = #docs])*)
}

/// Returns the attributes of the root of a crate: with the documentation of the lines, and the
/// badges of what needs a feature, which only rustdoc of a nightly toolchain has, and so docs.rs.
pub(super) fn root_attributes(lines: &[String]) -> TokenStream {
    let docs = inner_comment(lines);
    quote!(#docs #![cfg_attr(docsrs, feature(doc_cfg))])
}

/// Returns the attribute that makes the documentation comment of a file of the lines.
pub(super) fn inner_comment(lines: &[String]) -> TokenStream {
    let docs = joined(lines).into_iter();
    quote!(#(#![doc = #docs])*)
}

/// The lines with blanks between the slashes and them; `None` if there aren't any.
fn joined(lines: &[String]) -> Option<String> {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push(NEXT_LINE);
        }
        if !line.is_empty() {
            text.push(' ');
            text.push_str(line);
        }
    }
    (!lines.is_empty()).then_some(text)
}
