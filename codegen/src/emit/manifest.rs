//! `Cargo.toml`: what is the same for all crates comes from the workspace.

use super::{Content, File};
use crate::model::Crate;

/// The manifest of the crate.
pub(super) fn file(krate: &Crate<'_>) -> File {
    let name = toml::Value::from(krate.config.name.as_str());
    let description = toml::Value::from(krate.config.description.as_str());
    let target = match &krate.config.conversion {
        Some(conversion) => format!("{}.workspace = true\n", conversion.to),
        None => String::new(),
    };
    let text = format!(
        "\
[package]
name = {name}
description = {description}
readme = \"README.md\"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
repository.workspace = true
keywords.workspace = true
categories.workspace = true

[dependencies]
apimachinery.workspace = true
k8s-openapi.workspace = true
{target}
[lints]
workspace = true

# A library must not choose k8s-openapi's Kubernetes release; its documentation has to.
[package.metadata.docs.rs]
features = [\"k8s-openapi/latest\"]
"
    );
    File {
        path: "Cargo.toml".to_owned(),
        origin: "codegen.toml".to_owned(),
        content: Content::Toml(text),
    }
}
