//! Feature gates, as constants at the top of the file that asks for them.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use crate::emit::kind::{optional, release};
use crate::model::Feature;

/// The constants that a file uses.
pub(super) fn items(cx: &mut Context<'_>) -> Vec<TokenStream> {
    let used = cx.uses.features.iter();
    let features = used.filter_map(|name| cx.version.features.get(name));
    let features: Vec<_> = features.collect();
    features
        .into_iter()
        .map(|feature| item(cx, feature))
        .collect()
}

fn item(cx: &mut Context<'_>, feature: &Feature) -> TokenStream {
    let ty = cx.name("Feature");
    let Feature { name, gate, .. } = feature;
    let introduced = release(feature.introduced);
    let beta = optional(feature.beta.map(release));
    let on = optional(feature.on.map(release));
    let stable = optional(feature.stable.map(release));
    quote! {
        const #name: #ty = #ty {
            gate: #gate,
            introduced: #introduced,
            beta: #beta,
            on: #on,
            stable: #stable,
        };
    }
}
