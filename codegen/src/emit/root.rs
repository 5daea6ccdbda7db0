//! `lib.rs`: what the crate is, its files, and all its types at the top.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Content, File, inner_comment, releases};
use crate::doc::{self, NoLinks};
use crate::model::{Crate, Role, Shape};
use crate::release::Release;

/// The root of the crate.
pub(super) fn file(krate: &Crate<'_>) -> File {
    let mut items: Vec<TokenStream> = Vec::new();
    let modules =
        krate.versions.iter().flat_map(|v| v.modules.iter().map(move |m| (v, m)));
    let names = modules.clone().map(|(_, module)| &module.name);
    items.extend(names.map(|name| quote!(mod #name;)));
    for (version, module) in modules {
        let file = &module.name;
        let types = module.types.iter().filter_map(|name| version.types.get(name));
        let mut types: Vec<_> = types.map(|ty| &ty.name).collect();
        types.sort();
        items.push(match types.as_slice() {
            [name] => quote!(pub use #file::#name;),
            names => quote!(pub use #file::{#(#names),*};),
        });
    }
    let attributes = inner_comment(&lines(krate));
    let origin: Vec<_> =
        krate.versions.iter().map(|version| version.file.as_str()).collect();
    let origin = origin.join(", ");
    File {
        path: "src/lib.rs".to_owned(),
        origin,
        content: Content::Rust { attributes, items },
    }
}

fn lines(krate: &Crate<'_>) -> Vec<String> {
    let description = format!("{}.", krate.config.description.trim_end_matches('.'));
    let mut lines = doc::lines(&description, &NoLinks);
    lines.push(String::new());
    lines.push(format!(
        "Generated from the OpenAPI documents of Kubernetes {}.",
        releases(&krate.versions)
    ));
    for version in &krate.versions {
        let mut rows = Vec::new();
        for ty in version.types.values() {
            let Shape::Struct(object) = &ty.shape else {
                continue;
            };
            let Role::Kind(resource) = &object.role else {
                continue;
            };
            let scope = if resource.namespaced {
                "namespace"
            } else {
                "cluster"
            };
            let since = ty.docs.lifecycle.as_ref().map(|lifecycle| lifecycle.introduced);
            let since =
                since.map(|release: Release| release.to_string()).unwrap_or_default();
            let status = if resource.status { "status" } else { "" };
            rows.push(format!("| [`{}`] | {scope} | {since} | {status} |", ty.name));
        }
        if !rows.is_empty() {
            lines.push(String::new());
            lines.push("| kind | scope | since | subresource |".to_owned());
            lines.push("|---|---|---|---|".to_owned());
            lines.append(&mut rows);
        }
    }
    if !krate.config.about.is_empty() {
        lines.push(String::new());
        lines.extend(krate.config.about.trim_end().lines().map(doc::harmless));
    }
    lines
}
