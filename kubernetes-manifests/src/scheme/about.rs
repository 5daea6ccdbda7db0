//! What a scheme tells of what is registered.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fmt;

use kubernetes_kinds::{GroupVersion, GroupVersionKind, Lifecycle};

use super::{Scheme, Versioned};

/// Whether the objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// One name in the whole cluster.
    Cluster,
    /// One name in each namespace.
    Namespaced,
}

/// A kind that is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisteredKind {
    /// The kind, with its group and version.
    pub kind: GroupVersionKind,
    /// The kind of its lists, if that is registered too.
    pub list_kind: Option<GroupVersionKind>,
    /// The name of its resource, `csinodes`.
    pub resource: &'static str,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
    /// When it came and went, where that is known.
    pub lifecycle: Option<Lifecycle>,
}

/// A way from one kind to another, over the kinds between them.
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
    /// What the object becomes.
    pub to: GroupVersionKind,
    /// Whether that can say less, so that something may be lost.
    pub lossy: bool,
}

impl Route {
    /// What the object becomes in the end.
    #[must_use]
    pub fn target(&self) -> Option<&GroupVersionKind> {
        self.steps.last().map(|step| &step.to)
    }

    /// Whether something may be lost on the way.
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
    /// Every group and version of which a kind is registered, sorted.
    pub fn group_versions(&self) -> impl Iterator<Item = &GroupVersion> {
        let sorted: BTreeSet<_> =
            self.entries.keys().map(|kind| &kind.group_version).collect();
        sorted.into_iter()
    }

    /// Every kind of a group and version, sorted; lists come with their kinds.
    pub fn kinds<'s>(
        &'s self,
        group_version: &GroupVersion,
    ) -> impl Iterator<Item = &'s RegisteredKind> {
        self.registered().filter(move |kind| kind.kind.group_version == *group_version)
    }

    /// Every kind that has a resource of that name, whatever its group and version.
    ///
    /// The name is that in URLs: the plural, in lower case.
    pub fn resource<'s>(
        &'s self,
        resource: &str,
    ) -> impl Iterator<Item = &'s RegisteredKind> {
        self.registered().filter(move |kind| kind.resource == resource)
    }

    /// What is registered of a kind; nothing of lists.
    #[must_use]
    pub fn kind(&self, kind: &GroupVersionKind) -> Option<&RegisteredKind> {
        self.entries.get(kind)?.about.as_ref()
    }

    /// Whether a kind or a list is registered.
    #[must_use]
    pub fn recognizes(&self, kind: &GroupVersionKind) -> bool {
        self.entries.contains_key(kind)
    }

    /// What a kind or a list can become, the nearest first.
    #[must_use]
    pub fn routes(&self, from: &GroupVersionKind) -> Vec<Route> {
        let Some(entry) = self.entries.get(from) else {
            return Vec::new();
        };
        self.paths(entry.type_id).iter().map(|path| path.route()).collect()
    }

    /// How one type becomes another, if it can; the route is empty for the type itself.
    #[must_use]
    pub fn route<A: Versioned, B: Versioned>(&self) -> Option<Route> {
        let path = self.path(TypeId::of::<A>(), TypeId::of::<B>())?;
        Some(path.route())
    }

    pub(super) fn registered(&self) -> impl Iterator<Item = &RegisteredKind> {
        self.entries.values().filter_map(|entry| entry.about.as_ref())
    }

    /// The registered kinds that come nearest to one that isn't.
    pub(super) fn nearest(&self, found: &GroupVersionKind) -> Vec<GroupVersionKind> {
        let those = |like: &dyn Fn(&GroupVersionKind) -> bool| -> Vec<_> {
            self.entries.keys().filter(|kind| like(kind)).cloned().collect()
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
