//! Modules that a file declares, and what it makes public of them.

use proc_macro2::TokenStream;
use quote::quote;

use super::imports::use_item;
use super::runtime::Feature;
use crate::config::Parts;
use crate::model::{ApiVersion, Module};
use crate::name::Ident;

/// A module that a file declares.
pub(super) struct Declared {
    name: Ident,
    public: bool,
    /// The feature that brings it, if not all have it.
    gate: Option<Feature>,
    /// Its items that the file makes public.
    exports: Vec<Ident>,
}

impl Declared {
    pub(super) fn new(name: Ident, public: bool, gate: Option<Feature>) -> Self {
        Self {
            name,
            public,
            gate,
            exports: Vec::new(),
        }
    }

    /// Returns true if a crate with these parts has it.
    pub(super) fn is_in(&self, parts: &Parts) -> bool {
        self.gate.is_none_or(|feature| parts.has(feature.part()))
    }

    pub(super) fn exporting(self, exports: Vec<Ident>) -> Self {
        Self { exports, ..self }
    }
}

/// The files of types, which make all of them public.
pub(super) fn of_types<'a>(
    version: &'a ApiVersion,
    modules: &'a [Module],
) -> impl Iterator<Item = Declared> {
    modules.iter().map(|module| {
        let types = module
            .types
            .iter()
            .filter_map(|name| version.types.get(name));
        let mut exports: Vec<_> = types.map(|ty| ty.name.clone()).collect();
        exports.sort();
        Declared::new(module.name.clone(), false, None).exporting(exports)
    })
}

/// The items that declare modules, sorted, and make public what is in them and in other crates, of
/// which each has its path.
pub(super) fn declarations(
    mut modules: Vec<Declared>,
    elsewhere: Vec<(String, TokenStream)>,
) -> Vec<TokenStream> {
    modules.sort_by(|a, b| (b.public, &a.name).cmp(&(a.public, &b.name)));
    let (mut items, mut uses) = (Vec::new(), elsewhere);
    for Declared {
        name,
        public,
        gate,
        exports,
    } in &modules
    {
        let gate = gate.map(Feature::gate);
        let visible = public.then(|| quote!(pub));
        items.push(quote!(#gate #visible mod #name;));
        if !exports.is_empty() {
            let exports = use_item(&quote!(#gate pub use #name::), exports);
            uses.push((name.to_string(), exports));
        }
    }
    uses.sort_by(|(one, _), (other, _)| one.cmp(other));
    items.extend(uses.into_iter().map(|(_, item)| item));
    items
}
