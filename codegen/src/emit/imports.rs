//! The imports of a file. Only types are imported by name; traits and functions are written with
//! their modules, so that no Kubernetes name can clash with them. The names of the validation are
//! imported where no type has them.
//!
//! Emitters mark a name with the module that it is imported from. Once the items of a file are
//! there, [`Imports::file`] leaves the name alone and adds the `use` items.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote};

use super::File;
use super::runtime::{self, KINDS, MANIFESTS};
use crate::model::{ApiVersion, External};
use crate::name::{self, Ident};

/// The module of names that are imported, as in `#VALIDATION::Check`.
pub(super) struct Import(&'static [&'static str]);

/// A name that is imported.
pub(super) struct Imported(Import, &'static str);

pub(super) const BTREE_MAP: Imported =
    Imported(Import(&["std", "collections"]), "BTreeMap");
pub(super) const CONVERT: Imported = Imported(Import(&[KINDS.library]), "convert");
pub(super) const WIRE: Imported = Imported(Import(&[KINDS.library]), "wire");
pub(super) const FROM_KINDS: Import = Import(&[KINDS.library]);
pub(super) const FROM_SCHEME: Import = Import(&[MANIFESTS.library, "scheme"]);
pub(super) const VALIDATION: Import = Import(&[runtime::VALIDATION.library]);

impl ToTokens for Import {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let modules = self.0.iter().map(|module| format_ident!("{module}"));
        tokens.append(mark(&quote!(#(#modules)*)));
    }
}

impl ToTokens for Imported {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self(module, name) = self;
        let name = format_ident!("{name}");
        tokens.extend(quote!(#module::#name));
    }
}

/// Modules in a group without delimiters, which nothing else makes.
fn mark(modules: &TokenStream) -> Group {
    Group::new(Delimiter::None, modules.clone())
}

/// A type of the crate.
pub(super) fn own(version: &ApiVersion, name: &Ident) -> TokenStream {
    let inner = version.module.iter();
    let modules = mark(&quote!(crate #(#inner)*));
    quote!(#modules::#name)
}

/// A type of another crate: by its short name, unless that hides another.
pub(super) fn external(version: &ApiVersion, external: &External) -> TokenStream {
    let (modules, name) = (external.path.modules(), external.path.name());
    let others = version.externs.values().filter(|e| e.path.name() == name).count();
    if others == 1 && !name::is_prelude(name) {
        let modules = mark(&quote!(#(#modules)*));
        quote!(#modules::#name)
    } else {
        quote!(#(#modules::)* #name)
    }
}

/// What the names of a file mean, and what it imports.
#[derive(Debug, Default)]
pub(super) struct Imports<'a> {
    /// The types of the crate, which can't be imported from elsewhere.
    own: BTreeSet<&'a Ident>,
    /// Those whose namesakes the module above the file has, which are meant then.
    above: BTreeSet<&'a Ident>,
    /// The types that the file declares.
    declared: BTreeSet<String>,
    names: BTreeMap<Vec<String>, BTreeSet<String>>,
    /// The traits of the validation whose methods are called.
    pub(super) traits: BTreeSet<&'static str>,
}

impl<'a> Imports<'a> {
    pub(super) fn of(versions: &[&'a ApiVersion]) -> Self {
        let types = versions.iter().flat_map(|version| version.types.values());
        Self {
            own: types.map(|ty| &ty.name).collect(),
            ..Self::default()
        }
    }

    /// Those of a file of apply types.
    pub(super) fn of_apply(version: &'a ApiVersion) -> Self {
        Self {
            above: version.apply.types.values().map(|ty| &ty.name).collect(),
            ..Self::of(&[version])
        }
    }

    /// The file with the items, in which imported names are short.
    pub(super) fn file(
        mut self,
        path: String,
        origin: String,
        items: Vec<TokenStream>,
    ) -> File {
        let tokens: Vec<_> = items.iter().cloned().flatten().collect();
        for pair in tokens.windows(2) {
            if let [TokenTree::Ident(keyword), TokenTree::Ident(name)] = pair
                && (keyword == "struct" || keyword == "enum")
            {
                self.declared.insert(name.to_string());
            }
        }
        let items: Vec<_> = items.into_iter().map(|item| self.short(item)).collect();
        let items = self.items().into_iter().chain(items).collect();
        File::rust(path, origin, TokenStream::new(), items)
    }

    fn short(&mut self, tokens: TokenStream) -> TokenStream {
        let mut short = TokenStream::new();
        let mut tokens = tokens.into_iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(modules) if modules.delimiter() == Delimiter::None => {
                    // Behind the colons.
                    if let Some(name) = tokens.nth(2) {
                        short.extend(self.name(modules.stream(), &name));
                    }
                }
                TokenTree::Group(group) => {
                    let inside = self.short(group.stream());
                    short.append(Group::new(group.delimiter(), inside));
                }
                token => short.append(token),
            }
        }
        short
    }

    /// A name of a module as it is written in the file.
    fn name(&mut self, modules: TokenStream, name: &TokenTree) -> TokenStream {
        let text = name.to_string();
        let has =
            |names: &BTreeSet<&Ident>| names.iter().any(|own| own.as_str() == text);
        let modules: Vec<_> = modules.into_iter().collect();
        let mut path: Vec<_> = modules.iter().map(ToString::to_string).collect();
        if path.first().is_none_or(|root| root != "crate") {
            if has(&self.own) {
                return quote!(#(#modules::)* #name);
            }
        } else if self.declared.contains(&text) {
            return quote!(#name);
        } else if has(&self.above) {
            path = vec!["super".to_owned()];
        }
        self.names.entry(path).or_default().insert(text);
        quote!(#name)
    }

    /// The `use` items, as rustfmt sorts them.
    fn items(mut self) -> Vec<TokenStream> {
        for name in self.traits {
            let names = self
                .names
                .entry(vec![runtime::VALIDATION.library.to_owned()])
                .or_default();
            // A trait that is named has its methods with that.
            if !names.contains(name) {
                names.insert(format!("{name} as _"));
            }
        }
        let mut uses: Vec<_> = self.names.into_iter().collect();
        let place = |modules: &[String]| match modules.first().map(String::as_str) {
            Some("std") => 0,
            Some("super") => 2,
            Some("crate") => 3,
            _ => 1,
        };
        uses.sort_by_key(|(modules, _)| place(modules));
        let uses = uses.iter().map(|(modules, names)| {
            let modules = modules.iter().map(|module| format_ident!("{module}"));
            let names = names.iter().filter_map(|name| name.parse().ok());
            let names: Vec<TokenStream> = names.collect();
            use_item(&quote!(use #(#modules::)*), &names)
        });
        uses.collect()
    }
}

/// A `use` of names, without braces around one.
pub(super) fn use_item(start: &TokenStream, names: &[impl ToTokens]) -> TokenStream {
    match names {
        [name] => quote!(#start #name;),
        names => quote!(#start {#(#names),*};),
    }
}
