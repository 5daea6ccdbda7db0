//! Further dependencies of a crate, which derives and types of other crates need.

use super::{CrateConfig, Report};

/// The dependencies that every crate has or may have, in the versions of the generator.
const OWN: [&str; 5] = [
    "k8s-openapi",
    "kube-core",
    "kubernetes-kinds",
    "kubernetes-manifests",
    "kubernetes-validation",
];

impl CrateConfig {
    /// Checks that they are dependencies, and none that a crate has already.
    pub(super) fn check_dependencies(&self, report: Report<'_>) {
        for (name, of) in &self.dependencies {
            let shown = name.escape_debug();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            if name.is_empty() || !name.chars().all(plain) || !(of.is_str() || of.is_table()) {
                report(
                    format!("`{shown}` is not a dependency"),
                    "write it as in Cargo.toml: `name = \"1\"`, or a table with its `version`",
                );
            }
            if OWN.contains(&name.as_str()) {
                report(
                    format!("the dependency `{shown}` is there already"),
                    "leave it out: its version is that of the generator",
                );
            }
        }
        if self.single_file && !self.dependencies.is_empty() {
            report(
                format!("`{}` is a single file, and has dependencies", self.name),
                "add them to the crate that the file is for",
            );
        }
    }

    /// Returns true if the configuration names a dependency that code calls so.
    pub(crate) fn depends_on(&self, library: &str) -> bool {
        let mut names = self.dependencies.keys();
        names.any(|name| name.replace('-', "_") == library)
    }
}
