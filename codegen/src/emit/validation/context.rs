//! The state of a file while its items are made.

use std::collections::{BTreeMap, BTreeSet};

use kubernetes_schema_terms::Term;
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;

use crate::emit::runtime::VALIDATION;
use crate::model::{ApiVersion, Field, Known, Struct};
use crate::name::Ident;

/// The names that the items of a file use, noted while these are made.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The traits whose methods are called.
    pub(super) check: bool,
    pub(super) set_defaults: bool,
    pub(super) semantic: bool,
    /// The types of the crate.
    pub(super) types: BTreeSet<Ident>,
    /// The constants of features.
    pub(super) features: BTreeSet<Ident>,
    /// The constants with names that a server reports: the name, and the field.
    pub(super) reported: BTreeMap<Ident, (String, String)>,
    /// The names of the validation that are written without its module.
    pub(super) names: BTreeSet<&'static str>,
}

/// The version whose items are made, and the names that they use.
pub(super) struct Context<'a> {
    pub(super) version: &'a ApiVersion,
    pub(super) uses: Uses,
}

impl Context<'_> {
    /// A name of the validation: by itself, or with its module where a type of the crate has the
    /// same name.
    pub(super) fn name(&mut self, name: &'static str) -> TokenStream {
        let ident = proc_macro2::Ident::new(name, Span::call_site());
        if self
            .version
            .types
            .values()
            .any(|ty| ty.name.as_str() == name)
        {
            quote!(#VALIDATION::#ident)
        } else {
            self.uses.names.insert(name);
            quote!(#ident)
        }
    }

    /// The values of an enumeration.
    pub(super) fn known(&mut self, known: &[Known]) -> TokenStream {
        let ty = self.name("Known");
        let known = known.iter().map(|value| match value {
            Known::Flag(flag) => quote!(#ty::Flag(#flag)),
            Known::Int(number) => {
                let number = Literal::i64_unsuffixed(*number);
                quote!(#ty::Int(#number))
            }
            Known::Text(text) => quote!(#ty::Text(#text)),
        });
        quote!(&[#(#known),*])
    }

    /// The method for the path of a value of a map. Servers of custom resources take keys for
    /// fields.
    pub(super) fn step(&self) -> TokenStream {
        match self.version.is_custom {
            true => quote!(key_as_field),
            false => quote!(key),
        }
    }

    /// The condition that the server has a feature on.
    pub(super) fn has(&mut self, target: &TokenStream, feature: &Ident) -> TokenStream {
        self.uses.features.insert(feature.clone());
        quote!(#target.has(&#feature))
    }

    /// Lines for servers that have the feature, if one is named.
    pub(super) fn with_feature(
        &mut self,
        target: &TokenStream,
        feature: Option<&Ident>,
        lines: TokenStream,
    ) -> TokenStream {
        let Some(feature) = feature else { return lines };
        let has = self.has(target, feature);
        quote! {
            if #has {
                #lines
            }
        }
    }

    /// The struct of the crate that a field holds, itself or in lists and maps.
    pub(super) fn held(&self, field: &Field) -> Option<&Struct> {
        let held = self.version.own_struct(field.ty.innermost());
        held.map(|(_, object)| object)
    }

    /// A term of the run-time crates as an expression.
    pub(super) fn term<T: Term>(&mut self, term: T) -> TokenStream {
        let variant = proc_macro2::Ident::new(term.variant(), Span::call_site());
        let ty = self.name(T::TYPE);
        quote!(#ty::#variant)
    }
}
