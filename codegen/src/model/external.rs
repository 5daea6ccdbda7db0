//! Types that other crates have.

use serde::Serialize;

use super::{Paths, Replaced};
use crate::name::RustPath;

/// A type that another crate has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct External {
    pub(crate) path: RustPath,
    /// The package of the crate, if that isn't k8s-openapi.
    pub(crate) package: Option<String>,
    /// True if that crate is one of the configuration.
    pub(crate) generated: bool,
    /// The type of k8s-openapi that takes its place if the generated crate lacks it.
    pub(crate) otherwise: Option<RustPath>,
    /// True if an optional field holds it in a `Box`.
    pub(crate) large: bool,
    /// True if it, or a type in it, has required fields, which it always writes.
    pub(crate) required: bool,
    /// The paths of what a merge replaces in it; `None` if it is replaced itself.
    pub(crate) merged: Option<Vec<Replaced>>,
    /// True if it has maps inside it, in a custom resource.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_maps: bool,
    /// The paths inside it, if it is used in custom resources.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub(crate) inside: Paths,
}
