//! The types of k8s-openapi for the same schemas.

use serde::Serialize;

use crate::name::RustPath;
use crate::release::Release;

/// The module of k8s-openapi with the types of a group-version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct K8sOpenapiModule {
    /// The module.
    pub(crate) path: String,
    /// The prefix of the names of its schemas.
    pub(crate) prefix: String,
    /// The release of the document. Types of later releases have fields that ours lack.
    pub(crate) release: Release,
    /// The first release that k8s-openapi can be built for.
    pub(crate) oldest: Release,
    /// The last release that k8s-openapi can be built for.
    pub(crate) newest: Release,
}

impl K8sOpenapiModule {
    /// The last release in which k8s-openapi has the types.
    pub(crate) fn last(&self) -> Release {
        self.release.min(self.newest)
    }
}

/// A type of k8s-openapi.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Counterpart {
    /// The type; of a list, that of its items.
    pub(crate) path: RustPath,
    /// The releases that have it, from the first of k8s-openapi if it names none.
    pub(crate) since: Option<Release>,
    /// The last release that has it, unless all do.
    pub(crate) last: Option<Release>,
    /// The releases that have all fields, in all parts.
    pub(crate) complete: Availability,
    /// The releases that have each field.
    pub(crate) fields: Vec<Availability>,
}

/// The releases, among those that have a type, in which it has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Availability {
    /// All of them.
    Always,
    /// This one and later ones.
    Since(Release),
    /// None of them.
    Never,
}
