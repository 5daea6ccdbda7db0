//! `Cargo.toml`, which inherits from the workspace what is the same for all crates.

use std::collections::BTreeSet;

use super::file::{Content, File};
use super::runtime::{Feature, KINDS, Runtime};
use crate::config::Bundle;
use crate::model::{Crate, Needs};

/// The manifest of the crate.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let config = &krate.config;
    let target = config
        .conversion
        .iter()
        .map(|conversion| conversion.to.as_str());
    let needs = |needs: fn(&Needs) -> bool| {
        krate
            .versions
            .iter()
            .any(|version| needs(&version.derived.needs))
    };
    let needed = [
        needs(|needs| needs.custom_resources).then_some("custom-resources"),
        needs(|needs| needs.patterns).then_some("pattern"),
    ];
    let of_kinds = [
        needs(|needs| needs.exact_values).then_some("custom-resources"),
        needs(|needs| needs.exact_floats).then_some("exact-floats"),
    ];
    let of_kinds: Vec<_> = of_kinds.into_iter().flatten().collect();
    let features = Feature::ALL.map(|feature| {
        let is_validation = feature == Feature::Validation;
        let inner = needed.into_iter().flatten().filter(|_| is_validation);
        (feature, feature.runtime(), inner.collect())
    });
    let mut crates: Vec<_> = target.collect();
    let mut others = BTreeSet::new();
    let externs = krate.versions.iter().flat_map(|version| {
        let fields = version.structs().flat_map(|(_, object)| &object.fields);
        let held: BTreeSet<_> = fields.filter_map(|field| field.ty.reference()).collect();
        held.into_iter()
            .filter_map(|name| version.externs.get(name))
    });
    for external in externs {
        match (&external.package, external.generated) {
            (Some(name), true) if *name == config.name => {}
            (Some(name), true) if !crates.contains(&name.as_str()) => crates.push(name),
            (Some(name), false) => drop(others.insert(name.as_str())),
            _ => {}
        }
    }
    let others: Vec<_> = others.into_iter().collect();
    vec![package(
        &config.name,
        &config.description,
        &features,
        &config.rules_packages,
        &crates,
        &others,
        &of_kinds,
    )]
}

/// The manifest of the crate that bundles these.
pub(super) fn bundle(bundle: &Bundle, crates: &[Crate<'_>]) -> File {
    let names = crates.iter().map(|krate| krate.config.name.as_str());
    let names: Vec<_> = names.collect();
    let features = Feature::ALL.map(|feature| {
        let is_own = feature == Feature::Manifests;
        (feature, feature.runtime().filter(|_| is_own), Vec::new())
    });
    package(
        &bundle.name,
        &bundle.description,
        &features,
        &[],
        &names,
        &[],
        &[],
    )
}

/// The manifest of a crate with these features, each with the run-time crate that it brings and
/// features of that, and the packages with its rules, which depends on these generated crates and
/// on others, and on the types' support with features.
fn package(
    name: &str,
    description: &str,
    features: &[(Feature, Option<Runtime>, Vec<&str>)],
    rules: &[String],
    crates: &[&str],
    others: &[&str],
    of_kinds: &[&str],
) -> File {
    let mut dependencies = vec![
        "k8s-openapi.workspace = true".to_owned(),
        match of_kinds {
            [] => format!("{}.workspace = true", KINDS.package),
            features => format!(
                "{} = {{ workspace = true, features = {features:?} }}",
                KINDS.package
            ),
        },
    ];
    let runtimes = features.iter().filter_map(|(_, runtime, _)| *runtime);
    let optional = runtimes.map(|Runtime { package, .. }| package);
    let optional = optional.chain(rules.iter().map(String::as_str));
    dependencies.extend(
        optional.map(|package| format!("{package} = {{ workspace = true, optional = true }}")),
    );
    dependencies.extend(
        crates
            .iter()
            .chain(others)
            .map(|name| format!("{name}.workspace = true")),
    );
    let features = features.iter().map(|(feature, runtime, inner)| {
        let name = feature.name();
        let mut parts = Vec::new();
        if let Some(Runtime { package, .. }) = runtime {
            parts.push(format!("\"dep:{package}\""));
            parts.extend(inner.iter().map(|inner| format!("\"{package}/{inner}\"")));
        }
        if *feature == Feature::Validation {
            parts.extend(rules.iter().map(|package| format!("\"dep:{package}\"")));
        }
        parts.extend(feature.needs().iter().map(|need| format!("\"{need}\"")));
        parts.extend(crates.iter().map(|krate| format!("\"{krate}/{name}\"")));
        format!("{name} = [{}]", parts.join(", "))
    });
    let features: Vec<_> = features.collect();
    let [name, description] = [name, description].map(toml::Value::from);
    let (dependencies, features) = (dependencies.join("\n"), features.join("\n"));
    let all = Feature::ALL
        .map(|feature| format!("\"{}\"", feature.name()))
        .join(", ");
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

# There are no unit tests; the examples of the documentation are tested.
[lib]
test = false

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
