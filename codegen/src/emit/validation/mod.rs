//! Defaults and validation: defaults, dropped fields, and rules.
//!
//! A type has an implementation only if it or a type below it has defaults or rules; kinds always
//! have one. The passes decide what there is to do, and it is only expanded here.

mod checks;
mod defaults;
mod features;
mod reported;
mod strategy;
mod updates;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::runtime::VALIDATION;
use super::{File, folder, inner_comment, origin, origins, places};
use crate::model::{ApiVersion, Argument, Crate, Module, Rules, Shape};
use crate::name::{self, Ident, VALIDATION_FOLDER};

/// What the items of a file use, noted while they are made.
#[derive(Debug, Default)]
struct Uses {
    /// The traits whose methods are called.
    check: bool,
    set_defaults: bool,
    semantic: bool,
    /// The types of the crate.
    types: BTreeSet<Ident>,
    /// The constants of features.
    features: BTreeSet<Ident>,
    /// The constants with names that a server reports: the name, and the field.
    reported: BTreeMap<Ident, (String, String)>,
    /// The names of the validation that are written without its module.
    names: BTreeSet<&'static str>,
}

/// What the modules of this output work on.
struct Context<'a> {
    version: &'a ApiVersion,
    uses: Uses,
}

impl Context<'_> {
    /// A name of the validation: by itself, or with its module where a type of the crate has the
    /// same name.
    fn name(&mut self, name: &'static str) -> TokenStream {
        let ident = proc_macro2::Ident::new(name, Span::call_site());
        if self.version.types.values().any(|ty| ty.name.as_str() == name) {
            quote!(#VALIDATION::#ident)
        } else {
            self.uses.names.insert(name);
            quote!(#ident)
        }
    }

    /// Whether the server has a feature on.
    fn has(&mut self, target: &TokenStream, feature: &Ident) -> TokenStream {
        self.uses.features.insert(feature.clone());
        quote!(#target.has(&#feature))
    }
}

/// The files of types that have something to do.
fn modules(version: &ApiVersion) -> impl Iterator<Item = &Module> {
    version.modules.iter().filter(|module| {
        let objects = module.types.iter().filter_map(|name| version.object(name));
        objects.into_iter().any(|object| object.behaviour.is_any())
    })
}

/// Whether a rule of the crate has a regular expression.
pub(super) fn has_patterns(krate: &Crate<'_>) -> bool {
    fn asks(rules: &Rules) -> bool {
        let mut arguments = rules.calls().flat_map(|call| &call.arguments);
        arguments.any(|argument| matches!(argument, Argument::Pattern(_)))
            || rules.items.as_deref().is_some_and(asks)
    }
    let objects = krate.versions.iter().flat_map(|version| version.structs());
    let mut fields = objects.flat_map(|(_, object)| &object.fields);
    fields.any(|field| asks(&field.rules))
}

/// The module of a part of the crate, if there is anything to do.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Ident> {
    let any = versions.iter().any(|version| modules(version).next().is_some());
    any.then(|| name::fixed(VALIDATION_FOLDER))
}

/// One file for each file of types that has something to do, and those that declare them.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let mut files = Vec::new();
    for (place, versions) in places(krate) {
        let mut names = BTreeSet::new();
        for version in &versions {
            for module in modules(version) {
                names.insert(&module.name);
                files.push(file(version, module));
            }
        }
        if !names.is_empty() {
            files.push(root(place, &versions, names));
        }
    }
    files
}

fn root(
    place: Option<&Ident>,
    versions: &[&ApiVersion],
    names: BTreeSet<&Ident>,
) -> File {
    let names = names.into_iter();
    let about = "Defaults and validation of the kinds, as in an API server.";
    let path = format!("{}{VALIDATION_FOLDER}/mod.rs", folder(place));
    let items = names.map(|name| quote!(mod #name;)).collect();
    File::rust(
        path,
        origins(versions.iter().copied()),
        inner_comment(&[about.to_owned()]),
        items,
    )
}

fn file(version: &ApiVersion, module: &Module) -> File {
    let uses = Uses::default();
    let mut cx = Context { version, uses };
    let mut items = Vec::new();
    for schema in &module.types {
        let Some(ty) = version.types.get(schema) else {
            continue;
        };
        if let Shape::Struct(object) = &ty.shape
            && object.behaviour.is_any()
        {
            cx.uses.types.insert(ty.name.clone());
            items.extend(defaults::item(&mut cx, ty, object));
            items.extend(checks::item(&mut cx, ty, object));
            items.extend(strategy::item(&mut cx, ty, object));
            items.extend(updates::semantic(&mut cx, ty, object));
        }
    }
    let features = features::items(&mut cx);
    let mut all = imports(&cx);
    all.extend(features);
    all.extend(reported::items(&cx));
    all.extend(items);
    let folder = folder(version.module.as_ref());
    let path = format!("{folder}{VALIDATION_FOLDER}/{}.rs", module.name);
    File::rust(path, origin(version, module), TokenStream::new(), all)
}

/// The `use` items of a file.
fn imports(cx: &Context<'_>) -> Vec<TokenStream> {
    let traits = [
        (cx.uses.check, "Check"),
        (cx.uses.semantic, "Semantic"),
        (cx.uses.set_defaults, "SetDefaults"),
    ];
    let named = |name| (name, proc_macro2::Ident::new(name, Span::call_site()));
    // A trait that isn't named has its methods all the same.
    let traits = traits
        .into_iter()
        .filter(|(is_called, name)| *is_called && !cx.uses.names.contains(name));
    let traits = traits.map(|(_, name)| named(name));
    let traits = traits.map(|(name, ident)| (name, quote!(#ident as _)));
    let names = cx.uses.names.iter().map(|name| named(name));
    let names = names.map(|(name, ident)| (name, quote!(#ident)));
    let mut all: Vec<_> = traits.chain(names).collect();
    // As rustfmt sorts them.
    all.sort_by_key(|(name, _)| *name);
    let all: Vec<_> = all.into_iter().map(|(_, name)| name).collect();
    let mut uses = Vec::new();
    uses.extend(match all.as_slice() {
        [] => None,
        [name] => Some(quote!(use #VALIDATION::#name;)),
        names => Some(quote!(use #VALIDATION::{#(#names),*};)),
    });
    let inner = cx.version.module.iter();
    let types: Vec<_> = cx.uses.types.iter().collect();
    uses.push(match types.as_slice() {
        [name] => quote!(use crate::#(#inner::)* #name;),
        names => quote!(use crate::#(#inner::)* {#(#names),*};),
    });
    uses
}
