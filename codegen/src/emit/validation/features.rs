//! Feature gates, as constants at the top of the file that asks for them.

use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use crate::emit::imports::VALIDATION;
use crate::emit::kind::{optional, release};
use crate::model::Feature;

/// The constants that a file uses.
pub(super) fn items(cx: &Context<'_>) -> Vec<TokenStream> {
    let used = cx.features.iter();
    used.filter_map(|name| cx.version.features.get(name)).map(item).collect()
}

fn item(feature: &Feature) -> TokenStream {
    let Feature { name, gate, .. } = feature;
    let introduced = release(feature.introduced);
    let beta = optional(feature.beta.map(release));
    let on = optional(feature.on.map(release));
    let stable = optional(feature.stable.map(release));
    quote! {
        const #name: #VALIDATION::Feature = #VALIDATION::Feature {
            gate: #gate,
            introduced: #introduced,
            beta: #beta,
            on: #on,
            stable: #stable,
        };
    }
}
