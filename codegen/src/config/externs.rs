//! Schemas that other crates have.

use serde::Deserialize;

use super::{Report, check_prefix};
use crate::name::RustPath;

/// Schemas that are not generated because a crate has them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extern {
    /// The prefix of the schemas' names, with its last dot. The longest match counts.
    pub prefix: String,
    /// The Rust module for it; further parts of a name are modules below it.
    pub path: String,
    /// Schemas so large that an optional field holds them in a `Box`.
    #[serde(default)]
    pub large: Vec<String>,
}

impl Extern {
    pub(super) fn check(&self, report: Report<'_>) {
        check_prefix(&self.prefix, report);
        if RustPath::below(&self.path, "Type").is_none() {
            report(
                format!("`{}` is not a Rust path", self.path.escape_debug()),
                "write a module path such as `k8s_openapi::api::core::v1`",
            );
        }
    }
}
