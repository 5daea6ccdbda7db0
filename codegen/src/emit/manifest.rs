//! `Cargo.toml`, which inherits from the workspace what is the same for all crates, unless the
//! crate stands alone.

use std::collections::BTreeSet;

use super::file::{Content, File, origins};
use super::root;
use super::runtime::{Feature, KINDS, KUBE, Runtime};
use crate::config::{Bundle, Standalone};
use crate::model::{Crate, Needs};

/// The key with the summary of a package.
const DESCRIPTION: &str = "description";

/// The origin of manifests in the workspace.
const ORIGIN: &str = "codegen.toml";

/// The manifest of the crate.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let config = &krate.config;
    let target = config
        .conversion
        .iter()
        .map(|conversion| conversion.to.as_str());
    let needed = [
        needs(krate, |needs| needs.custom_resources).then_some("custom-resources"),
        needs(krate, |needs| needs.cel_library).then_some("cel-library"),
        needs(krate, |needs| needs.patterns).then_some("pattern"),
    ];
    let has = |feature: &Feature| root::has(krate, *feature);
    let features = Feature::ALL.into_iter().filter(has).map(|feature| {
        let is_validation = feature == Feature::Validation;
        let inner = needed.into_iter().flatten().filter(|_| is_validation);
        (feature, feature.runtime(), inner.collect())
    });
    let features: Vec<_> = features.collect();
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
    let others = others.into_iter().collect();
    let package = Package {
        name: &config.name,
        description: &config.description,
        features,
        rules: &config.rules_packages,
        crates,
        others,
        json_only: Vec::new(),
        of_kinds: of_kinds(krate),
        more: config.dependencies.iter().collect(),
        standalone: config.standalone.as_ref(),
        origin: match config.standalone {
            Some(_) => origins(&krate.versions).replace("//", "#"),
            None => ORIGIN.to_owned(),
        },
    };
    vec![package.manifest()]
}

/// The features that a crate needs of the types' support.
pub(super) fn of_kinds(krate: &Crate<'_>) -> Vec<&'static str> {
    let features = [
        needs(krate, |needs| needs.exact_values).then_some("custom-resources"),
        needs(krate, |needs| needs.exact_floats).then_some("exact-floats"),
    ];
    features.into_iter().flatten().collect()
}

/// Returns true if a document of a crate needs something.
fn needs(krate: &Crate<'_>, is_needed: fn(&Needs) -> bool) -> bool {
    let mut versions = krate.versions.iter();
    versions.any(|version| is_needed(&version.derived.needs))
}

/// The manifest of the crate that bundles these.
pub(super) fn bundle(bundle: &Bundle, crates: &[Crate<'_>]) -> File {
    let names = crates.iter().map(|krate| krate.config.name.as_str());
    let names: Vec<_> = names.collect();
    let features = root::of_bundles(crates).map(|feature| {
        let is_own = feature == Feature::Manifests;
        (feature, feature.runtime().filter(|_| is_own), Vec::new())
    });
    let json_only = crates
        .iter()
        .filter(|krate| !root::has(krate, Feature::Protobuf));
    let package = Package {
        name: &bundle.name,
        description: &bundle.description,
        features: features.collect(),
        rules: &[],
        crates: names,
        others: Vec::new(),
        json_only: json_only.map(|krate| krate.config.name.as_str()).collect(),
        of_kinds: Vec::new(),
        more: Vec::new(),
        standalone: None,
        origin: ORIGIN.to_owned(),
    };
    package.manifest()
}

/// The manifest of a crate.
struct Package<'a> {
    name: &'a str,
    description: &'a str,
    /// Its features, each with the run-time crate that it brings and features of that.
    features: Vec<(Feature, Option<Runtime>, Vec<&'a str>)>,
    /// The packages with its rules.
    rules: &'a [String],
    /// The generated crates that it depends on.
    crates: Vec<&'a str>,
    /// Those of them that have no protobuf.
    json_only: Vec<&'a str>,
    /// The other crates that it depends on.
    others: Vec<&'a str>,
    /// The features that it needs of the types' support.
    of_kinds: Vec<&'a str>,
    /// The dependencies that the configuration names, as they are written.
    more: Vec<(&'a String, &'a toml::Value)>,
    standalone: Option<&'a Standalone>,
    /// The crate that it is of.
    origin: String,
}

impl Package<'_> {
    fn manifest(&self) -> File {
        let given = self.standalone.and_then(|of| of.package.get(DESCRIPTION));
        let [name, description] = [self.name, self.description].map(toml::Value::from);
        let description = given.unwrap_or(&description);
        let shared = self.standalone.map_or_else(inherited, own);
        let lints = match self.standalone {
            Some(_) => "",
            None => "[lints]\nworkspace = true\n\n",
        };
        let features = self.features();
        let features = match features.is_empty() {
            true => String::new(),
            false => format!("[features]\n{}\n\n", features.join("\n")),
        };
        let documented = self.features.iter().map(|(feature, ..)| feature.name());
        let documented: Vec<_> = documented.chain(["k8s-openapi/latest"]).collect();
        let dependencies = self.dependencies().join("\n");
        let text = format!(
            "\
[package]
name = {name}
description = {description}
readme = \"README.md\"
{shared}
# There are no unit tests; the examples of the documentation are tested.
[lib]
test = false

[dependencies]
{dependencies}

{features}{lints}\
# A library must not choose k8s-openapi's Kubernetes release; its documentation has to.
[package.metadata.docs.rs]
features = {documented:?}
"
        );
        File {
            path: "Cargo.toml".to_owned(),
            origin: self.origin.clone(),
            content: Content::Toml(text),
        }
    }

    fn dependencies(&self) -> Vec<String> {
        let mut all = vec![
            self.dependency("k8s-openapi", &[], false),
            self.dependency(KINDS.package, &self.of_kinds, false),
        ];
        let runtimes = self.features.iter().filter_map(|(_, runtime, _)| *runtime);
        let optional = runtimes.map(|Runtime { package, .. }| package);
        let optional = optional.chain(self.rules.iter().map(String::as_str));
        all.extend(optional.map(|package| self.dependency(package, &[], true)));
        let others = self.crates.iter().chain(&self.others);
        all.extend(others.map(|package| self.dependency(package, &[], false)));
        let more = self.more.iter();
        all.extend(more.map(|(name, of)| format!("{name} = {of}")));
        all
    }

    fn dependency(&self, package: &str, features: &[&str], optional: bool) -> String {
        let mut keys = match self.standalone {
            None if features.is_empty() && !optional => {
                return format!("{package}.workspace = true");
            }
            None => vec!["workspace = true".to_owned()],
            Some(standalone) => self.source(package, standalone),
        };
        if !features.is_empty() {
            keys.push(format!("features = {features:?}"));
        }
        if optional {
            keys.push("optional = true".to_owned());
        }
        format!("{package} = {{ {} }}", keys.join(", "))
    }

    /// The source of a dependency of a crate that stands alone.
    fn source(&self, package: &str, standalone: &Standalone) -> Vec<String> {
        let version = |version: &str| format!("version = {}", toml::Value::from(version));
        if package == "k8s-openapi" {
            let features = "default-features = false, features = [\"std\"]";
            return vec![version(&standalone.k8s_openapi), features.to_owned()];
        }
        if package == KUBE.package {
            let without = "default-features = false".to_owned();
            return vec![version(&standalone.kube), without];
        }
        let path = |path: String| format!("path = {}", toml::Value::from(path));
        if self.crates.contains(&package) {
            return vec![version(&standalone.version), path(format!("../{package}"))];
        }
        let folder = standalone.runtime_path.as_ref();
        let folder = folder.map(|folder| path(format!("{folder}/{package}")));
        std::iter::once(version(&standalone.runtime))
            .chain(folder)
            .collect()
    }

    fn features(&self) -> Vec<String> {
        let features = self.features.iter().map(|(feature, runtime, inner)| {
            let name = feature.name();
            let mut parts = Vec::new();
            if let Some(Runtime { package, .. }) = runtime {
                parts.push(format!("dep:{package}"));
                parts.extend(inner.iter().map(|inner| format!("{package}/{inner}")));
            }
            if *feature == Feature::Validation {
                parts.extend(self.rules.iter().map(|package| format!("dep:{package}")));
            }
            parts.extend(feature.needs().iter().map(|need| (*need).to_owned()));
            let crates = self
                .crates
                .iter()
                .filter(|krate| *feature != Feature::Protobuf || !self.json_only.contains(krate));
            parts.extend(crates.map(|krate| format!("{krate}/{name}")));
            format!("{name} = {parts:?}")
        });
        features.collect()
    }
}

/// The keys of a package that a workspace has.
fn inherited() -> String {
    let keys = [
        "version",
        "edition",
        "rust-version",
        "license",
        "repository",
        "keywords",
        "categories",
    ];
    let keys = keys.map(|key| format!("{key}.workspace = true\n"));
    keys.concat()
}

/// The keys of a package that stands alone. Its author has to choose the licence, by a further key.
fn own(standalone: &Standalone) -> String {
    let keys = [
        ("version", &standalone.version),
        ("edition", &standalone.edition),
        ("rust-version", &standalone.rust_version),
    ];
    let keys = keys.map(|(key, value)| format!("{key} = {}\n", toml::Value::from(value.as_str())));
    let more = standalone.package.iter();
    let more = more.filter(|(key, _)| *key != DESCRIPTION);
    let more = more.map(|(key, value)| format!("{key} = {value}\n"));
    keys.into_iter().chain(more).collect()
}
