//! Defaults and validation: defaults, dropped fields, and rules.
//!
//! A type has an implementation only if it or a type below it has defaults or rules; kinds always
//! have one. Passes settle the rules and their order; this module spells them in Rust.

mod cel;
mod checks;
mod closures;
mod combined;
mod context;
mod defaults;
mod expression;
mod features;
mod methods;
mod operand;
mod reported;
mod rule;
mod sameness;
mod strategy;
mod target;
mod together;
mod unchecked;
mod updates;
mod values;

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::comment::inner_comment;
use super::declared::{Declared, declarations};
use super::file::{File, folder, origin, origins, places};
use super::imports::use_item;
use super::runtime::{Feature, VALIDATION};
use crate::model::{ApiVersion, Crate, Module};
use crate::name::{self, VALIDATION_FOLDER};
use context::{Context, Uses};

/// The files of types that have something to do.
fn modules(version: &ApiVersion) -> impl Iterator<Item = &Module> {
    version.layout.modules.iter().filter(|module| {
        let objects = module.types.iter().filter_map(|name| version.object(name));
        objects.into_iter().any(|object| object.behaviour.is_any())
    })
}

/// The module of a part of the crate, if there is anything to do.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Declared> {
    let any = versions
        .iter()
        .any(|version| modules(version).next().is_some());
    let gate = Some(Feature::Validation);
    let exports = unchecked::name(versions).into_iter().collect();
    any.then(|| Declared::new(name::fixed(VALIDATION_FOLDER), false, gate).exporting(exports))
}

/// One file for each file of types that has something to do, and those that declare them.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let mut files = Vec::new();
    for (place, versions) in places(krate) {
        let modules = versions
            .iter()
            .flat_map(|v| modules(v).map(move |m| (*v, m)));
        let modules: Vec<_> = modules.collect();
        files.extend(
            modules
                .iter()
                .map(|(version, module)| file(version, module)),
        );
        if !modules.is_empty() {
            let names = modules.iter().map(|(_, module)| module.name.clone());
            let names = names.map(|name| Declared::new(name, false, None));
            let mut items = declarations(names.collect(), Vec::new());
            items.extend(unchecked::item(&versions));
            let about = "Defaults and validation of the kinds, as in an API server.";
            files.push(File::rust(
                format!("{}{VALIDATION_FOLDER}/mod.rs", folder(place)),
                origins(versions.iter().copied()),
                inner_comment(&[about.to_owned()]),
                items,
            ));
        }
    }
    files
}

fn file(version: &ApiVersion, module: &Module) -> File {
    let uses = Uses::default();
    let mut cx = Context { version, uses };
    let mut items = Vec::new();
    for schema in &module.types {
        let Some(ty) = version.types.get(schema) else {
            continue;
        };
        if let Some(object) = ty.object()
            && object.behaviour.is_any()
        {
            cx.uses.types.insert(ty.name.clone());
            items.extend(defaults::item(&mut cx, ty, object));
            items.extend(checks::item(&mut cx, ty, object));
            items.extend(strategy::item(&mut cx, ty, object));
            items.extend(updates::semantic(&mut cx, ty, object));
            items.extend(sameness::item(&mut cx, ty, object));
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
    // Sorted as rustfmt does.
    all.sort_by_key(|(name, _)| *name);
    let all: Vec<_> = all.into_iter().map(|(_, name)| name).collect();
    let mut uses = Vec::new();
    if !all.is_empty() {
        uses.push(use_item(&quote!(use #VALIDATION::), &all));
    }
    let inner = cx.version.module.iter();
    let types: Vec<_> = cx.uses.types.iter().collect();
    uses.push(use_item(&quote!(use crate::#(#inner::)*), &types));
    uses
}
