//! Lists the registered kinds and conversions.

use std::any::TypeId;

use kubernetes_kinds::{GroupVersion, GroupVersionKind};

use super::content::Versioned;
use super::description::{RegisteredKind, Route};
use super::registry::Scheme;

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
        let mut routes = Vec::new();
        for path in &self.paths(entry.type_id) {
            routes.push(path.route());
        }
        routes
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
            let mut found = Vec::new();
            for kind in self.entries.keys() {
                if like(kind) {
                    found.push(kind.clone());
                }
            }
            found
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
