//! Feature gates, as constants at the top of the file that asks for them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::kind::{optional, release};
use crate::model::{ApiVersion, Lifecycle};
use crate::name::{self, Ident};
use crate::release::Release;

/// Targets before this release are told apart by nothing.
const OLDEST: Release = Release::new(1, 23);

/// The constant of the feature that a lifecycle tells of, if some target lacks it.
pub(super) fn of(lifecycle: &Lifecycle) -> Option<Ident> {
    let gate = lifecycle.gate.as_deref()?;
    let is_old = is_on(lifecycle).is_some_and(|on| on <= OLDEST);
    if is_old {
        None
    } else {
        name::feature_constant(gate)
    }
}

/// The first release that has it on unless told otherwise.
fn is_on(lifecycle: &Lifecycle) -> Option<Release> {
    lifecycle.default_on.or(lifecycle.beta).or(lifecycle.stable)
}

/// The constants that are among the words of a file.
pub(super) fn items(words: &BTreeSet<String>, version: &ApiVersion) -> Vec<TokenStream> {
    let fields = version.structs().flat_map(|(_, object)| &object.fields);
    let lifecycles = fields.flat_map(|field| {
        let immutable = field.checks.immutable.as_ref();
        let unless = immutable.and_then(|immutable| immutable.unless.as_ref());
        field.docs.lifecycle.iter().chain(unless)
    });
    let mut named: BTreeMap<Ident, &Lifecycle> = BTreeMap::new();
    for lifecycle in lifecycles {
        if let Some(name) = of(lifecycle).filter(|name| words.contains(name.as_str())) {
            named.entry(name).or_insert(lifecycle);
        }
    }
    named.into_iter().map(|(name, lifecycle)| item(&name, lifecycle)).collect()
}

fn item(name: &Ident, lifecycle: &Lifecycle) -> TokenStream {
    let gate = lifecycle.gate.as_deref().unwrap_or_default();
    let introduced = release(lifecycle.introduced);
    let beta = optional(lifecycle.beta.map(release));
    let on = optional(is_on(lifecycle).map(release));
    let stable = optional(lifecycle.stable.map(release));
    quote! {
        const #name: validation::Feature = validation::Feature {
            gate: #gate,
            introduced: #introduced,
            beta: #beta,
            on: #on,
            stable: #stable,
        };
    }
}
