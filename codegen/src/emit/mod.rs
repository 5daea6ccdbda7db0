//! Emit: makes tokens from the model, in one module for each output.

mod apply;
mod builders;
mod bundle;
mod by_hand;
mod conversion;
mod enums;
mod imports;
mod kind;
mod lists;
mod manifest;
mod resource;
mod root;
mod runtime;
mod scheme;
mod types;
mod validation;
mod wire;

pub(crate) use bundle::emit as emit_bundle;
pub(crate) use by_hand::paths as hand_written;
use proc_macro2::TokenStream;
use quote::quote;

use crate::doc;
use crate::model::{ApiVersion, Crate, Module, Role, Shape};
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

/// The files of a crate.
pub(crate) fn emit(krate: &Crate<'_>) -> Vec<File> {
    let mut files = vec![manifest::file(krate)];
    files.extend(root::files(krate));
    files.extend(apply::files(krate));
    for version in &krate.versions {
        for module in &version.modules {
            let types = module.types.iter();
            let types = types.filter_map(|name| Some((name, version.types.get(name)?)));
            let mut items = imports::of(version, module);
            for (schema, ty) in types {
                match &ty.shape {
                    Shape::Struct(object) => {
                        items.push(types::item(version, ty, object));
                        items.extend(builders::items(version, ty, object));
                        items.extend(resource::items(version, ty, object));
                        if let Role::Kind(resource) = &object.role {
                            items.push(kind::item(ty, resource));
                        }
                        items.extend(lists::item(version, ty, object));
                        items.push(wire::item(ty, object));
                    }
                    Shape::Enum(shape) => items.extend(enums::items(ty, shape)),
                }
                items.extend(conversion::items(version, schema));
            }
            let folder = folder(version.module.as_ref());
            files.push(File {
                path: format!("{folder}{}.rs", module.name),
                origin: origin(version, module),
                content: Content::Rust {
                    attributes: TokenStream::new(),
                    items,
                },
            });
        }
    }
    files
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

/// The attributes that make a documentation comment of the lines.
fn comment(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| spaced(line));
    quote!(#(#[doc = #lines])*)
}

/// The same for the whole file.
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
