//! Conditions on the server version whose rules apply.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::kind::release;
use crate::release::Releases;

/// The condition that the target is of a span of releases, if that isn't all.
pub(super) fn servers(releases: Releases) -> Option<TokenStream> {
    let before = |at| {
        let at = release(at);
        quote!(to.target().is_before(#at))
    };
    let from = releases.from.map(|from| {
        let before = before(from);
        quote!(!#before)
    });
    let all: Vec<_> = from
        .into_iter()
        .chain(releases.before.map(before))
        .collect();
    (!all.is_empty()).then(|| quote!(#(#all)&&*))
}
