//! Names under which a server reports fields, as constants that say so.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use crate::emit::comment::comment;
use crate::model::{Field, Reported};
use crate::name;

/// The path of a field, as the server reports it.
pub(super) fn path(
    cx: &mut Context<'_>,
    field: &Field,
    base: &TokenStream,
    reported: &Reported,
) -> TokenStream {
    let mut path = base.clone();
    if let Some(name) = &reported.name {
        let name = constant(cx, field, name);
        path = quote!(#path.reported_as(#name));
    }
    above(path, reported.above)
}

/// A path that the server reports so many steps further up.
pub(super) fn above(path: TokenStream, steps: u64) -> TokenStream {
    if steps == 0 {
        return path;
    }
    let steps = proc_macro2::Literal::u64_unsuffixed(steps);
    quote!(#path.reported_above(#steps))
}

/// The constant with a reported name, or the name itself where its constant would clash.
fn constant(cx: &mut Context<'_>, field: &Field, reported: &str) -> TokenStream {
    let Some(constant) = name::reported_constant(reported) else {
        return quote!(#reported);
    };
    let known = cx.uses.reported.entry(constant.clone());
    let known = known.or_insert_with(|| (reported.to_owned(), field.json.clone()));
    if known.0 == reported && !cx.version.features.contains_key(&constant) {
        quote!(#constant)
    } else {
        quote!(#reported)
    }
}

/// The constants that a file uses.
pub(super) fn items(cx: &Context<'_>) -> Vec<TokenStream> {
    let used = cx.uses.reported.iter();
    let used = used.filter(|(constant, _)| !cx.version.features.contains_key(*constant));
    let items = used.map(|(constant, (reported, json))| {
        let text = crate::doc::as_code(json);
        let text =
            format!("The name under which a server reports `{text}`, which it spells differently.");
        let comment = comment(&[text]);
        quote! {
            #comment
            const #constant: &str = #reported;
        }
    });
    items.collect()
}
