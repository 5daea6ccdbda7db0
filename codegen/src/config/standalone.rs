//! Crates that stand alone, outside the workspace of the generator.

use serde::Deserialize;

use super::Report;

/// The manifests of crates that inherit nothing from a workspace.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Standalone {
    /// The version of the crates.
    pub version: String,
    /// The edition of Rust.
    pub edition: String,
    /// The oldest Rust that compiles them.
    pub rust_version: String,
    /// The required version of k8s-openapi.
    pub k8s_openapi: String,
    /// The required version of kube-core, whose trait the definitions implement.
    pub kube: String,
    /// The required version of the run-time crates, such as `kubernetes-kinds`.
    pub runtime: String,
    /// Further keys of `[package]`, such as `license`.
    #[serde(default)]
    pub package: toml::Table,
    /// The folder with a folder for each run-time crate, if they aren't those of the registry.
    pub runtime_path: Option<String>,
}

/// The keys of `[package]` that a crate has from elsewhere.
const OWN: [&str; 7] = [
    "build",
    "edition",
    "name",
    "readme",
    "rust-version",
    "version",
    "workspace",
];

impl Standalone {
    /// Checks that the further keys are none of the others.
    pub(super) fn check(&self, report: Report<'_>) {
        for key in self.package.keys() {
            let is_word = key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
            if OWN.contains(&key.as_str()) || !is_word {
                report(
                    format!("`{}` can't be set in [package]", key.escape_debug()),
                    "leave it out; there are `license`, `repository`, `authors` and others",
                );
            }
        }
    }
}
