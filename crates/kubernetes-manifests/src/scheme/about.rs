//! Descriptions of registered kinds and conversions.

use std::any::TypeId;
use std::fmt;

use kubernetes_kinds::{GroupVersion, GroupVersionKind, Lifecycle};

use super::{Scheme, Versioned};

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

impl Scheme {
    /// Returns the group and version of every registered kind, sorted.
    pub fn group_versions(&self) -> impl Iterator<Item = &GroupVersion> {
        // The entries are sorted by group and version.
        let mut last = None;
        let versions = self.entries.keys().map(|kind| &kind.group_version);
        versions.filter(move |version| last.replace(*version) != Some(*version))
    }

    /// Returns the kinds of a group and version, sorted, with their lists.
    pub fn kinds<'s>(
        &'s self,
        group_version: &GroupVersion,
    ) -> impl Iterator<Item = &'s RegisteredKind> {
        self.registered()
            .filter(move |kind| kind.kind.group_version == *group_version)
    }

    /// Returns the kinds with a resource of that name, in any group and version.
    ///
    /// The name is the plural in lower case, as in URLs.
    pub fn resource<'s>(&'s self, resource: &str) -> impl Iterator<Item = &'s RegisteredKind> {
        self.registered()
            .filter(move |kind| kind.resource == resource)
    }

    /// Returns the description of a kind; lists have none.
    #[must_use]
    pub fn kind(&self, kind: &GroupVersionKind) -> Option<&RegisteredKind> {
        self.entries.get(kind)?.about.as_ref()
    }

    /// Returns true if a kind or a list is registered.
    #[must_use]
    pub fn recognizes(&self, kind: &GroupVersionKind) -> bool {
        self.entries.contains_key(kind)
    }

    /// Returns the routes from a kind or a list, the shortest first.
    #[must_use]
    pub fn routes(&self, from: &GroupVersionKind) -> Vec<Route> {
        let Some(entry) = self.entries.get(from) else {
            return Vec::new();
        };
        self.paths(entry.type_id)
            .iter()
            .map(|path| path.route())
            .collect()
    }

    /// Returns the route from one type to another; it is empty if they are the same.
    #[must_use]
    pub fn route<A: Versioned, B: Versioned>(&self) -> Option<Route> {
        let path = self.path(TypeId::of::<A>(), TypeId::of::<B>())?;
        Some(path.route())
    }

    pub(super) fn registered(&self) -> impl Iterator<Item = &RegisteredKind> {
        self.entries
            .values()
            .filter_map(|entry| entry.about.as_ref())
    }

    /// Returns the registered kinds that are most similar to one that isn't.
    pub(super) fn nearest(&self, found: &GroupVersionKind) -> Vec<GroupVersionKind> {
        let those = |like: &dyn Fn(&GroupVersionKind) -> bool| -> Vec<_> {
            self.entries
                .keys()
                .filter(|kind| like(kind))
                .cloned()
                .collect()
        };
        let group = &found.group_version.group;
        let by_name = those(&|kind| kind.kind == found.kind);
        let by_group = || those(&|kind| kind.group_version.group == *group);
        [by_name, by_group(), those(&|_| true)]
            .into_iter()
            .find(|kinds| !kinds.is_empty())
            .unwrap_or_default()
    }
}
