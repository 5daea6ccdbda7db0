//! What the API server does with objects: defaults, dropped fields, and rules.
//!
//! A type has an implementation only where there is something to do in it or below it; kinds
//! always have one.

mod checks;
mod defaults;
mod features;
mod kinds;
mod updates;
mod values;

use std::collections::BTreeSet;

use proc_macro2::{Group, Ident as Ident2, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::runtime::VALIDATION;
use super::{Content, File, folder, inner_comment, origin};
use crate::model::{ApiVersion, Module, Role, SchemaName, Shape, Struct, Ty, Type};
use crate::name::{self, Ident, SERVER_FOLDER};

/// Which types have something to do, in them or below them.
#[derive(Debug, Default)]
struct Needs<'a> {
    checks: BTreeSet<&'a SchemaName>,
    updates: BTreeSet<&'a SchemaName>,
    /// What has defaults, what has features, and what has either.
    sets: BTreeSet<&'a SchemaName>,
    drops: BTreeSet<&'a SchemaName>,
    defaults: BTreeSet<&'a SchemaName>,
    warnings: BTreeSet<&'a SchemaName>,
    /// What is compared as a whole on an update.
    compared: BTreeSet<&'a SchemaName>,
}

impl Needs<'_> {
    /// Whether a type has an implementation of any trait.
    fn any(&self, schema: &SchemaName) -> bool {
        let all = [
            &self.checks,
            &self.updates,
            &self.defaults,
            &self.warnings,
            &self.compared,
        ];
        all.iter().any(|set| set.contains(schema))
    }
}

/// What the modules of this output work on.
struct Context<'a> {
    version: &'a ApiVersion,
    needs: Needs<'a>,
}

impl<'a> Context<'a> {
    fn new(version: &'a ApiVersion) -> Self {
        let mut needs = Needs {
            checks: below(version, checks::has_own),
            updates: below(version, updates::has_own),
            sets: below(version, defaults::has_own),
            drops: below(version, defaults::drops),
            defaults: BTreeSet::new(),
            warnings: below(version, checks::warns),
            compared: BTreeSet::new(),
        };
        needs.defaults = needs.sets.union(&needs.drops).copied().collect();
        for (schema, object) in version.structs() {
            if let Role::Kind(_) = object.role {
                needs.checks.insert(schema);
                needs.defaults.insert(schema);
            }
        }
        needs.compared = updates::compared(version);
        Self { version, needs }
    }

    /// The files of types that have something to do.
    fn modules(&self) -> impl Iterator<Item = &'a Module> {
        let any = |module: &&Module| module.types.iter().any(|s| self.needs.any(s));
        self.version.modules.iter().filter(any)
    }

    /// The struct of the crate that a type refers to.
    fn own(&self, ty: &'a Ty) -> Option<(&'a SchemaName, &'a Type)> {
        let Ty::Ref(schema) = ty else { return None };
        let ty = self.version.types.get(schema)?;
        matches!(ty.shape, Shape::Struct(_)).then_some((schema, ty))
    }

    /// The enumeration of the crate that a type refers to.
    fn enumeration(&self, ty: &Ty) -> Option<&'a Ident> {
        let Ty::Ref(schema) = ty else { return None };
        let ty = self.version.types.get(schema)?;
        matches!(ty.shape, Shape::Enum(_)).then_some(&ty.name)
    }
}

/// The types for which something holds, and those that have such a type inside.
fn below(
    version: &ApiVersion,
    has_own: fn(&ApiVersion, &Struct) -> bool,
) -> BTreeSet<&SchemaName> {
    let objects: Vec<_> = version
        .structs()
        .filter(|(_, object)| !matches!(object.role, Role::List { .. }))
        .collect();
    let mut found: BTreeSet<_> = objects
        .iter()
        .filter(|(_, object)| has_own(version, object))
        .map(|(schema, _)| *schema)
        .collect();
    loop {
        let before = found.len();
        for (schema, object) in &objects {
            let mut inside = BTreeSet::new();
            for field in &object.fields {
                field.ty.references(&mut inside);
            }
            if inside.iter().any(|name| found.contains(name)) {
                found.insert(schema);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The module of a part of the crate, if there is anything to do.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Ident> {
    let any = versions.iter().any(|v| Context::new(v).modules().next().is_some());
    any.then(|| name::fixed(SERVER_FOLDER))
}

/// The files of a part of the crate: one for each file of types that has something to do, and
/// the one that declares them.
pub(super) fn files(place: Option<&Ident>, versions: &[&ApiVersion]) -> Vec<File> {
    let mut names = BTreeSet::new();
    let mut files = Vec::new();
    for version in versions {
        let cx = Context::new(version);
        for module in cx.modules() {
            names.insert(&module.name);
            files.push(file(&cx, module));
        }
    }
    if !names.is_empty() {
        files.push(root(place, versions, names));
    }
    files
}

fn root(
    place: Option<&Ident>,
    versions: &[&ApiVersion],
    names: BTreeSet<&Ident>,
) -> File {
    let names = names.into_iter();
    let about = "What an API server does with the kinds: defaults and rules.";
    let origin: Vec<_> = versions.iter().map(|version| version.file.as_str()).collect();
    File {
        path: format!("{}{SERVER_FOLDER}/mod.rs", folder(place)),
        origin: origin.join(",\n// "),
        content: Content::Rust {
            attributes: inner_comment(&[about.to_owned()]),
            items: names.map(|name| quote!(mod #name;)).collect(),
        },
    }
}

fn file(cx: &Context<'_>, module: &Module) -> File {
    let mut items = Vec::new();
    for schema in &module.types {
        let Some(ty) = cx.version.types.get(schema) else {
            continue;
        };
        if let Shape::Struct(object) = &ty.shape {
            items.extend(defaults::item(cx, schema, ty, object));
            items.extend(checks::item(cx, schema, ty, object));
            items.extend(kinds::item(cx, ty, object));
            items.extend(updates::semantic(cx, schema, ty, object));
        }
    }
    let mut words = Words::default();
    let items = items.into_iter().map(|item| shorten(cx, item, &mut words));
    let items: Vec<_> = items.collect();
    let features = features::items(&words.all, cx.version).into_iter();
    let features: Vec<_> = features.map(|item| shorten(cx, item, &mut words)).collect();
    let mut all = imports(cx, &words);
    all.extend(features);
    all.extend(items);
    let folder = folder(cx.version.module.as_ref());
    File {
        path: format!("{folder}{SERVER_FOLDER}/{}.rs", module.name),
        origin: origin(cx.version, module),
        content: Content::Rust {
            attributes: TokenStream::new(),
            items: all,
        },
    }
}

/// What the items use: names of the validation, traits whose methods they call, and types of
/// the crate.
fn imports(cx: &Context<'_>, words: &Words) -> Vec<TokenStream> {
    let mut names: Vec<TokenStream> = Vec::new();
    for name in &words.short {
        let name = Ident2::new(name, Span::call_site());
        names.push(quote!(#name));
    }
    let methods = [
        ("Check", ["check", "check_update", "warn"].as_slice()),
        ("Semantic", &["is_same"]),
        ("SetDefaults", &["set_defaults", "drop_disabled"]),
    ];
    for (name, methods) in methods {
        let calls = methods.iter().any(|method| words.methods.contains(*method));
        if calls && !words.short.contains(name) {
            let name = Ident2::new(name, Span::call_site());
            names.push(quote!(#name as _));
        }
    }
    // As rustfmt sorts them.
    names.sort_by_key(ToString::to_string);
    let mut uses = Vec::new();
    uses.extend(match names.as_slice() {
        [] => None,
        [name] => Some(quote!(use #VALIDATION::#name;)),
        names => Some(quote!(use #VALIDATION::{#(#names),*};)),
    });
    let mut types: Vec<_> = cx.version.types.values().map(|ty| &ty.name).collect();
    types.retain(|name| words.all.contains(name.as_str()));
    types.sort();
    let inner = cx.version.module.iter();
    uses.push(match types.as_slice() {
        [name] => quote!(use crate::#(#inner::)* #name;),
        names => quote!(use crate::#(#inner::)* {#(#names),*};),
    });
    uses
}

/// What occurs in the items of a file.
#[derive(Debug, Default)]
struct Words {
    all: BTreeSet<String>,
    /// What is called with a dot before it.
    methods: BTreeSet<String>,
    /// The names of the validation that are written without their module.
    short: BTreeSet<String>,
}

/// Takes the module from names of the validation, where no type of the crate has the same.
fn shorten(cx: &Context<'_>, tokens: TokenStream, words: &mut Words) -> TokenStream {
    let mut short: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter();
    let mut after_dot = false;
    while let Some(token) = tokens.next() {
        let is_dot = matches!(&token, TokenTree::Punct(p) if p.as_char() == '.');
        match token {
            TokenTree::Group(group) => {
                let inside = shorten(cx, group.stream(), words);
                short.push(Group::new(group.delimiter(), inside).into());
            }
            TokenTree::Ident(ident) if ident == PREFIX => {
                let path: Vec<_> = tokens.by_ref().take(3).collect();
                match path.as_slice() {
                    [_, _, TokenTree::Ident(name)] if !is_own(cx, name) => {
                        words.short.insert(name.to_string());
                        words.all.insert(name.to_string());
                        short.push(name.clone().into());
                    }
                    _ => {
                        short.extend(VALIDATION.to_token_stream());
                        short.extend(path);
                    }
                }
            }
            TokenTree::Ident(ident) => {
                words.all.insert(ident.to_string());
                if after_dot {
                    words.methods.insert(ident.to_string());
                }
                short.push(ident.into());
            }
            other => short.push(other),
        }
        after_dot = is_dot;
    }
    short.into_iter().collect()
}

/// The module that the items are written with.
const PREFIX: &str = "validation";

fn is_own(cx: &Context<'_>, name: &Ident2) -> bool {
    cx.version.types.values().any(|ty| *name == ty.name.as_str())
}
