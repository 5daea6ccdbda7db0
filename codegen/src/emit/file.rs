//! The files of a crate before they are rendered: their paths and contents.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;

use super::item::Item;
use crate::doc;
use crate::model::{ApiVersion, Crate, Module};
use crate::name::Ident;

/// A file before it is rendered.
#[derive(Debug)]
pub(crate) struct File {
    /// The path in the crate, with `/` between the parts.
    pub(crate) path: String,
    /// The source that its header names.
    pub(crate) origin: String,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Rust {
        attributes: TokenStream,
        items: Vec<Item>,
    },
    Toml(String),
    Markdown(String),
    /// Macros, formatted already.
    Macros(String),
}

impl File {
    pub(super) fn rust(
        path: String,
        origin: String,
        attributes: TokenStream,
        items: impl IntoIterator<Item: Into<Item>>,
    ) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        Self {
            path,
            origin,
            content: Content::Rust { attributes, items },
        }
    }
}

/// The modules in which the crate has types, each with its documents. The root is there even if
/// all types are further down.
pub(super) fn places<'a>(krate: &'a Crate<'_>) -> BTreeMap<Option<&'a Ident>, Vec<&'a ApiVersion>> {
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
pub(super) fn folder(module: Option<&Ident>) -> String {
    match module {
        Some(module) => format!("src/{module}/"),
        None => "src/".to_owned(),
    }
}

/// Returns the origin of a file of types: its first type; the others hang below it.
pub(super) fn origin(version: &ApiVersion, module: &Module) -> String {
    let first = module.types.iter().find_map(|name| version.types.get(name));
    match first {
        Some(ty) => format!("{},\n// {}", version.file_of(&ty.pointer), ty.pointer),
        None => version.file.clone(),
    }
}

/// Returns the origin of a file that is made from several documents.
pub(super) fn origins<'a>(versions: impl IntoIterator<Item = &'a ApiVersion>) -> String {
    let mut files = Vec::new();
    for version in versions {
        let more: BTreeSet<_> = version.files.values().collect();
        let all = std::iter::once(&version.file).chain(more);
        files.extend(all.map(String::as_str));
    }
    files.dedup();
    files.join(",\n// ")
}

/// The groups and versions of the documents, for the text of comments.
pub(super) fn group_versions<'a>(versions: impl IntoIterator<Item = &'a ApiVersion>) -> String {
    let versions = versions.into_iter();
    let mut names: Vec<_> = versions.flat_map(ApiVersion::group_versions).collect();
    names.dedup();
    let names: Vec<_> = names.iter().map(|name| doc::plain(name)).collect();
    names.join(" and ")
}

/// The Kubernetes releases of the documents, for the text of comments.
pub(super) fn releases(versions: &[&ApiVersion]) -> String {
    let mut releases: Vec<_> = versions.iter().map(|v| v.release).collect();
    releases.sort();
    releases.dedup();
    let releases: Vec<_> = releases.iter().map(ToString::to_string).collect();
    releases.join(" and ")
}
