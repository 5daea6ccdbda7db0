//! Descriptions of registered kinds and conversions.

use std::fmt;

use kubernetes_kinds::{GroupVersionKind, Lifecycle};

/// The scope of the names of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Names are unique in the cluster.
    Cluster,
    /// Names are unique in a namespace.
    Namespaced,
}

/// A registered kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisteredKind {
    /// The kind, with its group and version.
    pub kind: GroupVersionKind,
    /// The kind of its lists, if that is registered too.
    pub list_kind: Option<GroupVersionKind>,
    /// The name of its resource, `csinodes`.
    pub resource: &'static str,
    /// The scope: cluster or namespace.
    pub scope: Scope,
    /// The releases in which it was introduced, deprecated and removed, where they are known.
    pub lifecycle: Option<Lifecycle>,
}

/// The conversions from one kind to another.
///
/// Shown as `storage.k8s.io/v1 CSINode, storage.k8s.io/v1beta1 CSINode (lossy)`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// The conversions in their order; never empty.
    pub steps: Vec<Step>,
}

/// One conversion of a [`Route`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The target of the conversion.
    pub to: GroupVersionKind,
    /// True if some fields may not be representable in the target.
    pub lossy: bool,
}

impl Route {
    /// Returns the target of the last conversion.
    #[must_use]
    pub fn target(&self) -> Option<&GroupVersionKind> {
        self.steps.last().map(|step| &step.to)
    }

    /// Returns true if one of the conversions is lossy.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.steps.iter().any(|step| step.lossy)
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let lossy = if step.lossy { " (lossy)" } else { "" };
            write!(f, "{comma}{}{lossy}", step.to)?;
        }
        Ok(())
    }
}
