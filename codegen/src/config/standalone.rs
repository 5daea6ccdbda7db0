//! Crates that stand alone, outside the workspace of the generator.

use serde::Deserialize;

/// What the manifests of crates say that inherit nothing from a workspace.
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
    /// The folder with a folder for each run-time crate, if they aren't those of the registry.
    pub runtime_path: Option<String>,
}
