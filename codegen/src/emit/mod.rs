//! Emit: makes tokens from the model, in one module for each output.

mod apply;
mod builders;
mod bundle;
mod by_hand;
mod conversion;
mod counterparts;
mod enums;
mod imports;
mod kind;
mod lists;
mod manifest;
mod merge;
mod resource;
mod root;
mod runtime;
mod schema;
mod scheme;
mod types;
mod validation;
mod wire;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use by_hand::paths as hand_written;

use crate::config::Bundle;
use crate::doc;
use crate::model::{ApiVersion, Crate, Module, Role, Struct, Type};
use crate::name::Ident;

/// A file before it is rendered.
#[derive(Debug)]
pub(crate) struct File {
    /// Where it is in the crate, with `/` between the parts.
    pub(crate) path: String,
    /// What its header says it is generated from.
    pub(crate) origin: String,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Rust {
        attributes: TokenStream,
        items: Vec<TokenStream>,
    },
    Toml(String),
    /// Macros, formatted already.
    Macros(String),
}

impl File {
    fn rust(
        path: String,
        origin: String,
        attributes: TokenStream,
        items: Vec<TokenStream>,
    ) -> Self {
        Self {
            path,
            origin,
            content: Content::Rust { attributes, items },
        }
    }
}

/// An output: the files that it adds to a crate.
type Output = fn(&Crate<'_>) -> Vec<File>;

/// All outputs, but for those that have a file for each file of types.
const OUTPUTS: [Output; 8] = [
    manifest::files,
    root::files,
    apply::files,
    counterparts::files,
    merge::files,
    schema::files,
    scheme::files,
    validation::files,
];

/// An output that has a file for each file of types.
type Each = fn(&ApiVersion, &Module) -> File;

/// What can be emitted at the same time as other parts.
pub(crate) enum Work<'a> {
    Whole(Output, &'a Crate<'a>),
    Each(Each, &'a ApiVersion, &'a Module),
    Bundle(&'a Bundle, &'a [Crate<'a>]),
}

impl Work<'_> {
    pub(crate) fn files(self) -> Vec<File> {
        match self {
            Self::Whole(output, krate) => output(krate),
            Self::Each(output, version, module) => vec![output(version, module)],
            Self::Bundle(bundle, crates) => bundle::emit(bundle, crates),
        }
    }
}

/// All files of a crate, as parts of the work.
pub(crate) fn works<'a>(krate: &'a Crate<'a>) -> Vec<Work<'a>> {
    let whole = OUTPUTS.iter().map(|output| Work::Whole(*output, krate));
    let each = krate.versions.iter().flat_map(|version| {
        let each = |output: Each, modules: &'a [Module]| {
            modules
                .iter()
                .map(move |module| Work::Each(output, version, module))
        };
        let types = each(types::file, &version.modules);
        let applied = each(apply::file, &version.apply.modules);
        types
            .chain(applied)
            .chain(each(schema::file, &version.modules))
    });
    whole.chain(each).collect()
}

/// What an output adds to the file of a struct.
type Part = fn(&ApiVersion, &Type, &Struct) -> Vec<TokenStream>;

/// The parts of a struct, in their order in the file.
const PARTS: [Part; 6] = [
    types::items,
    builders::items,
    resource::items,
    kind::items,
    lists::items,
    wire::items,
];

/// The macro that takes the table of a struct: parts have neither `apiVersion` nor `kind`.
fn table_macro(object: &Struct) -> TokenStream {
    match object.role {
        Role::Part => quote!(object),
        Role::Kind(_) | Role::Apply(_) | Role::List { .. } => quote!(kind),
    }
}

/// How the row of a field begins in a table.
fn presence(required: bool) -> TokenStream {
    if required {
        quote!(required)
    } else {
        quote!(optional)
    }
}

/// The modules in which the crate has types, each with its documents. The root is there even if
/// all types are further down.
fn places<'a>(krate: &'a Crate<'_>) -> BTreeMap<Option<&'a Ident>, Vec<&'a ApiVersion>> {
    let mut places = BTreeMap::from([(None, Vec::new())]);
    for version in &krate.versions {
        places
            .entry(version.module.as_ref())
            .or_default()
            .push(version);
    }
    places
}

/// The folder of a module's files, with `/` at its end.
fn folder(module: Option<&Ident>) -> String {
    match module {
        Some(module) => format!("src/{module}/"),
        None => "src/".to_owned(),
    }
}

/// What a file of types is made from: its first type; the others hang below it.
fn origin(version: &ApiVersion, module: &Module) -> String {
    let first = module.types.iter().find_map(|name| version.types.get(name));
    let pointer = first.map(|ty| format!(",\n// {}", ty.pointer));
    format!("{}{}", version.file, pointer.unwrap_or_default())
}

/// What a file is made from, of several documents.
fn origins<'a>(versions: impl IntoIterator<Item = &'a ApiVersion>) -> String {
    let mut files: Vec<_> = versions
        .into_iter()
        .map(|version| version.file.as_str())
        .collect();
    files.dedup();
    files.join(",\n// ")
}

/// Returns the attributes that make a documentation comment of the lines.
fn comment(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| spaced(line));
    quote!(#(#[doc = #lines])*)
}

/// Returns the attributes that make the documentation comment of a file of the lines.
fn inner_comment(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| spaced(line));
    quote!(#(#![doc = #lines])*)
}

fn spaced(line: &str) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!(" {line}")
    }
}

/// The groups and versions of the documents, for the text of comments.
fn group_versions<'a>(versions: impl IntoIterator<Item = &'a ApiVersion>) -> String {
    let versions = versions.into_iter();
    let mut names: Vec<_> = versions.flat_map(ApiVersion::group_versions).collect();
    names.dedup();
    let names: Vec<_> = names.iter().map(|name| doc::plain(name)).collect();
    names.join(" and ")
}

/// The Kubernetes releases of the documents, for the text of comments.
fn releases(versions: &[&ApiVersion]) -> String {
    let mut releases: Vec<_> = versions.iter().map(|v| v.release).collect();
    releases.sort();
    releases.dedup();
    let releases: Vec<_> = releases.iter().map(ToString::to_string).collect();
    releases.join(" and ")
}
