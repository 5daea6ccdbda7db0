//! `Cargo.toml`, which inherits from the workspace what is the same for all crates.

use super::runtime::{Feature, KINDS, MANIFESTS, Runtime};
use super::{Content, File, validation};
use crate::config::Bundle;
use crate::model::Crate;

/// The manifest of the crate.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let target = krate.config.conversion.as_ref().map(|conversion| &conversion.to);
    let mut dependencies = vec![
        "k8s-openapi.workspace = true".to_owned(),
        format!("{}.workspace = true", KINDS.package),
    ];
    let mut features = Vec::new();
    for feature in Feature::ALL {
        let mut parts = Vec::new();
        if let Some(Runtime { package, .. }) = feature.runtime() {
            dependencies
                .push(format!("{package} = {{ workspace = true, optional = true }}"));
            parts.push(format!("\"dep:{package}\""));
            if feature == Feature::Validation && validation::has_patterns(krate) {
                parts.push(format!("\"{package}/pattern\""));
            }
        }
        let name = feature.name();
        parts.extend(target.map(|target| format!("\"{target}/{name}\"")));
        features.push(format!("{name} = [{}]", parts.join(", ")));
    }
    dependencies.extend(target.map(|target| format!("{target}.workspace = true")));
    let config = &krate.config;
    vec![package(&config.name, &config.description, &dependencies, &features)]
}

/// The manifest of the crate that bundles these.
pub(super) fn bundle(bundle: &Bundle, crates: &[Crate<'_>]) -> File {
    let names = || crates.iter().map(|krate| krate.config.name.as_str());
    let mut dependencies = vec![
        "k8s-openapi.workspace = true".to_owned(),
        format!("{}.workspace = true", KINDS.package),
        format!("{} = {{ workspace = true, optional = true }}", MANIFESTS.package),
    ];
    dependencies.extend(names().map(|name| format!("{name}.workspace = true")));
    let features = Feature::ALL.map(|feature| {
        let own = (feature == Feature::Manifests)
            .then(|| format!("\"dep:{}\"", MANIFESTS.package));
        let parts = names().map(|name| format!("\"{name}/{}\"", feature.name()));
        let parts: Vec<_> = own.into_iter().chain(parts).collect();
        format!("{} = [{}]", feature.name(), parts.join(", "))
    });
    package(&bundle.name, &bundle.description, &dependencies, &features)
}

fn package(
    name: &str,
    description: &str,
    dependencies: &[String],
    features: &[String],
) -> File {
    let [name, description] = [name, description].map(toml::Value::from);
    let (dependencies, features) = (dependencies.join("\n"), features.join("\n"));
    let all = Feature::ALL.map(|feature| format!("\"{}\"", feature.name())).join(", ");
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
{dependencies}

[features]
{features}

[lints]
workspace = true

# A library must not choose k8s-openapi's Kubernetes release; its documentation has to.
[package.metadata.docs.rs]
features = [{all}, \"k8s-openapi/latest\"]
"
    );
    File {
        path: "Cargo.toml".to_owned(),
        origin: "codegen.toml".to_owned(),
        content: Content::Toml(text),
    }
}
