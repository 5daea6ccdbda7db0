//! Files that are made from a `.proto` file.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

use crate::config::Grpc;
use crate::emit::{Content, File};
use crate::generated::GeneratedFile;
use crate::render::{MARK, render};

/// Returns a file of attributes and items, with the header that names the `.proto` file.
pub(super) fn generated(
    config: &Grpc,
    path: String,
    attributes: &[Attribute],
    items: Vec<TokenStream>,
) -> Result<GeneratedFile, String> {
    let file = File {
        path: path.clone(),
        origin: format!("spec/{}", config.file),
        content: Content::Rust {
            attributes: quote!(#(#attributes)*),
            items: items.into_iter().map(Into::into).collect(),
        },
    };
    Ok(GeneratedFile {
        path,
        text: render(file, MARK)?.text,
        ..GeneratedFile::default()
    })
}
