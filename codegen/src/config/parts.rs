//! The parts of a crate beside its types.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Config, CrateConfig, Report};

/// A part of a generated crate. Its types with their lists, and what kube needs of them, are there
/// without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The types for server-side apply, a feature of the crate.
    Apply,
    /// `new` and `with_*` of the types.
    Builders,
    /// The definitions of custom resources with kube's trait for them, a feature of the crate. It
    /// is the only part that a crate has only if it is named.
    Definition,
    /// Conversion from and to types of k8s-openapi, a feature of the crate.
    K8sOpenapiTypes,
    /// Registration of the kinds, a feature of the crate.
    Manifests,
    /// Merging of objects, a feature of the crate.
    Merge,
    /// Reading and writing of Kubernetes' protobuf, a feature of the crate. Those without numbers
    /// of fields don't have it.
    Protobuf,
    /// JSON Schemas, a feature of the crate.
    Schemars,
    /// Defaults and checks, a feature of the crate.
    Validation,
}

impl Part {
    /// All of them, sorted.
    pub const ALL: [Self; 9] = [
        Self::Apply,
        Self::Builders,
        Self::Definition,
        Self::K8sOpenapiTypes,
        Self::Manifests,
        Self::Merge,
        Self::Protobuf,
        Self::Schemars,
        Self::Validation,
    ];

    /// The name in the configuration, which is that of the feature if it is one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Builders => "builders",
            Self::Definition => "definition",
            Self::K8sOpenapiTypes => "k8s-openapi-types",
            Self::Manifests => "manifests",
            Self::Merge => "merge",
            Self::Protobuf => "protobuf",
            Self::Schemars => "schemars",
            Self::Validation => "validation",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|part| part.name() == text);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!(
                "no part is named `{}`; there is {known}",
                text.escape_debug()
            )
        })
    }
}

/// Some parts of a crate; by default all but the definitions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Parts(BTreeSet<Part>);

impl Default for Parts {
    fn default() -> Self {
        let all = Part::ALL.into_iter();
        all.filter(|part| *part != Part::Definition).collect()
    }
}

impl FromIterator<Part> for Parts {
    fn from_iter<I: IntoIterator<Item = Part>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

impl Parts {
    /// Returns true if a part is among them.
    pub fn has(&self, part: Part) -> bool {
        self.0.contains(&part)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Part> {
        self.0.iter().copied()
    }

    /// Those of others that aren't among them.
    fn missing<'a>(&'a self, others: &'a Self) -> impl Iterator<Item = Part> + 'a {
        others.0.difference(&self.0).copied()
    }
}

impl Config {
    /// Checks that crates which others need have the parts that those have: the features of these
    /// bring their features.
    pub(super) fn check_parts(&self, report: Report<'_>) {
        for krate in &self.crates {
            krate.check_single(report);
        }
        let mut missing = |of: &str, has: &Parts, by: &str, wants: &Parts| {
            for part in has.missing(wants) {
                report(
                    format!("`{of}` lacks the part `{part}`, which `{by}` needs of it"),
                    "add it to `parts` of the crate, or leave `parts` out to have all",
                );
            }
        };
        for krate in &self.crates {
            if let Some(bundle) = &self.bundle {
                missing(&krate.name, &krate.parts, &bundle.name, &Parts::default());
            }
            let library = krate.name.replace('-', "_");
            let is_external = self.externs.iter().any(|external| {
                let first = external.path.split("::").next();
                first == Some(library.as_str())
            });
            for other in self.crates.iter().filter(|other| other.name != krate.name) {
                let conversion = other.conversion.as_ref();
                if is_external || conversion.is_some_and(|to| to.to == krate.name) {
                    missing(&krate.name, &krate.parts, &other.name, &other.parts);
                }
            }
        }
    }
}

impl CrateConfig {
    /// Checks that a single file has no more than can be in one.
    fn check_single(&self, report: Report<'_>) {
        if !self.single_file {
            return;
        }
        let has_definition = self.parts.has(Part::Definition);
        if has_definition
            || self.has_more_than_types()
            || !self.by_hand.is_empty()
            || self.rules.is_some()
        {
            report(
                format!(
                    "`{}` is a single file, and has more than types and builders",
                    self.name
                ),
                "write `parts = [\"builders\"]` or `parts = []`, and no `conversion`, `by-hand` or \
                 `rules`",
            );
        }
        if self.documents.len() > 1 {
            report(
                format!(
                    "`{}` is a single file, and has several documents",
                    self.name
                ),
                "name the files of a group and version in `more-files` of one document",
            );
        }
    }
}
