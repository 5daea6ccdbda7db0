//! Types of other crates in place of generated ones.

use super::{Config, CrateConfig, DocumentConfig, Part, Report};
use crate::name::RustPath;

impl Config {
    /// The crate of a document.
    pub(crate) fn crate_of(&self, document: &DocumentConfig) -> Option<&CrateConfig> {
        let mut crates = self.crates.iter();
        let is_own = |own: &DocumentConfig| std::ptr::eq(own, document);
        crates.find(|krate| krate.documents.iter().any(is_own))
    }
}

impl CrateConfig {
    /// Checks that the types are paths of crates which it depends on, and that its parts can do
    /// with them.
    pub(super) fn check_types(&self, report: Report<'_>) {
        for (of, path) in &self.types {
            let shown = path.escape_debug();
            let parsed = RustPath::given(path).filter(|path| !path.modules().is_empty());
            let Some(parsed) = parsed else {
                report(
                    format!("`{shown}` is not the path of a type"),
                    "write it with its crate, as in `k8s_openapi::api::core::v1::ObjectReference`",
                );
                continue;
            };
            let package = parsed.package();
            if let Some(package) = package.filter(|package| !self.depends_on(package))
                && !self.single_file
            {
                report(
                    format!("`{shown}`: the crate doesn't depend on `{package}`"),
                    "add it to the dependencies, with its version",
                );
            }
            let is_of_others = !path.starts_with("k8s_openapi::");
            for part in [Part::Merge, Part::Schemars] {
                if is_of_others && self.parts.has(part) {
                    report(
                        format!(
                            "`{}` is to be `{shown}`, which the part `{part}` knows nothing of",
                            of.escape_debug()
                        ),
                        "name the parts without it: those that such types can have are apply, \
                         builders, definition, manifests and validation",
                    );
                }
            }
        }
    }
}
