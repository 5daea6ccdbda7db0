//! The configuration of the crate that bundles the others.

use serde::Deserialize;

use super::{CrateConfig, Report, check_name};

/// A crate that re-exports all others and lists their kinds and conversions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// The crate's name, which is also its folder's. The names of kinds in its lists leave out the
    /// words that the names of their crates start with as well.
    pub name: String,
    /// The summary for the manifest and the first line of its documentation.
    pub description: String,
    /// Further words for its documentation, in Markdown.
    #[serde(default)]
    pub about: String,
}

impl Bundle {
    pub(super) fn check(&self, crates: &[CrateConfig], report: Report<'_>) {
        check_name(&self.name, report);
        if crates.iter().any(|krate| krate.name == self.name) {
            report(
                format!("the bundle and a crate have the name `{}`", self.name),
                "give the crate of [bundle] a name of its own",
            );
        }
    }
}
