//! Defaults and validation: defaults, dropped fields, and rules.
//!
//! A type has an implementation only if it or a type below it has defaults or rules; kinds always
//! have one. The passes decide what there is to do, and it is only expanded here.

mod cel;
mod checks;
mod defaults;
mod features;
mod reported;
mod strategy;
mod together;
mod updates;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::imports::use_item;
use super::root::{Declared, declarations};
use super::runtime::{Feature, VALIDATION};
use super::{File, folder, inner_comment, origin, origins, places};
use crate::model::{ApiVersion, Argument, Crate, Field, Module, Rules, Struct, Ty};
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

    /// The method for the path of a value of a map. Servers of custom resources take keys for fields.
    fn step(&self) -> TokenStream {
        match self.version.is_custom {
            true => quote!(key_as_field),
            false => quote!(key),
        }
    }

    /// Whether the server has a feature on.
    fn has(&mut self, target: &TokenStream, feature: &Ident) -> TokenStream {
        self.uses.features.insert(feature.clone());
        quote!(#target.has(&#feature))
    }

    /// Lines for servers that have the feature, if one is named.
    fn with_feature(
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

    /// The struct of the crate that a field holds, itself or in a list or map.
    fn held(&self, field: &Field) -> Option<&Struct> {
        let held = match &field.ty {
            Ty::List(item) | Ty::Map(item) => item,
            other => other,
        };
        self.version.own_struct(held).map(|(_, object)| object)
    }
}

/// A method of `Check`, if there is anything to do.
fn check_method(
    cx: &mut Context<'_>,
    name: &TokenStream,
    stored: Option<&TokenStream>,
    lines: &TokenStream,
) -> Option<TokenStream> {
    (!lines.is_empty()).then(|| {
        let (path, checker) = (cx.name("Path"), cx.name("Checker"));
        // Their expressions are as long as the rules.
        let skip = has_rules(lines).then(|| quote!(#[rustfmt::skip]));
        quote! {
            #skip
            fn #name(&self, #stored at: &#path<'_>, to: &mut #checker<'_>) {
                #lines
            }
        }
    })
}

/// Whether lines have rules in CEL.
fn has_rules(lines: &TokenStream) -> bool {
    lines.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => has_rules(&group.stream()),
        TokenTree::Ident(ident) => ident == "Rule",
        _ => false,
    })
}

/// The name of a parameter, with an underscore if the lines don't use it.
fn parameter(name: &str, lines: &TokenStream) -> proc_macro2::Ident {
    fn uses(lines: TokenStream, name: &str) -> bool {
        let mut is_member = false;
        lines.into_iter().any(|token| {
            let after_dot = std::mem::replace(&mut is_member, token.to_string() == ".");
            match token {
                TokenTree::Group(group) => uses(group.stream(), name),
                TokenTree::Ident(ident) => ident == name && !after_dot,
                _ => false,
            }
        })
    }
    let unused = if uses(lines.clone(), name) { "" } else { "_" };
    format_ident!("{unused}{name}")
}

/// The elements of a list of an object, or the entries of a map.
fn elements(of: &TokenStream, field: &Field) -> TokenStream {
    let name = &field.name;
    if field.is_optional() {
        quote!(#of.#name.iter().flatten())
    } else {
        quote!(#of.#name.iter())
    }
}

/// What is stored of a field of which a struct is held.
fn old(field: &Field) -> TokenStream {
    let name = &field.name;
    if field.is_optional() {
        quote!(let old = stored.and_then(|stored| stored.#name.as_ref());)
    } else {
        quote!(let old = stored.map(|stored| &stored.#name);)
    }
}

/// The files of types that have something to do.
fn modules(version: &ApiVersion) -> impl Iterator<Item = &Module> {
    version.modules.iter().filter(|module| {
        let objects = module.types.iter().filter_map(|name| version.object(name));
        objects.into_iter().any(|object| object.behaviour.is_any())
    })
}

/// The methods that check keywords as servers of custom resources do.
const OF_SCHEMAS: [&str; 13] = [
    "above",
    "below",
    "known_number",
    "max_characters",
    "maximum_fraction",
    "min_characters",
    "min_entries",
    "minimum_fraction",
    "multiple_of",
    "multiple_of_fraction",
    "pattern_of_quantity",
    "pattern_of_text",
    "text_format",
];

/// Whether the crate is about custom resources, or checks what else only they are asked.
pub(super) fn asks_schemas(krate: &Crate<'_>) -> bool {
    fn asks(rules: &Rules) -> bool {
        rules.calls().any(|call| OF_SCHEMAS.contains(&call.method))
            || rules.have_cel()
            || rules.items.as_deref().is_some_and(asks)
    }
    krate.versions.iter().any(|version| {
        let mut objects = version.structs().map(|(_, object)| object);
        version.is_custom
            || objects.any(|object| {
                !object.rules.cel.is_empty() || object.fields.iter().any(|f| asks(&f.rules))
            })
    })
}

/// Whether a rule of the crate has a regular expression.
pub(super) fn has_patterns(krate: &Crate<'_>) -> bool {
    fn asks(rules: &Rules) -> bool {
        let mut arguments = rules.calls().flat_map(|call| &call.arguments);
        let mut cel = rules.cel(false).chain(rules.cel(true));
        arguments.any(|argument| matches!(argument, Argument::Pattern(_)))
            || cel.any(|rule| rule.holds.has_pattern())
            || rules.items.as_deref().is_some_and(asks)
    }
    let mut objects = krate.versions.iter().flat_map(|version| version.structs());
    objects.any(|(_, object)| {
        object.rules.cel.iter().any(|rule| rule.holds.has_pattern())
            || object.fields.iter().any(|field| asks(&field.rules))
    })
}

/// The module of a part of the crate, if there is anything to do.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Declared> {
    let any = versions
        .iter()
        .any(|version| modules(version).next().is_some());
    let gate = Some(Feature::Validation);
    any.then(|| Declared::new(name::fixed(VALIDATION_FOLDER), false, gate))
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
            let items = declarations(names.collect(), Vec::new());
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
            items.extend(strategy::item(&mut cx, schema, ty, object));
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
    if !all.is_empty() {
        uses.push(use_item(&quote!(use #VALIDATION::), &all));
    }
    let inner = cx.version.module.iter();
    let types: Vec<_> = cx.uses.types.iter().collect();
    uses.push(use_item(&quote!(use crate::#(#inner::)*), &types));
    uses
}
