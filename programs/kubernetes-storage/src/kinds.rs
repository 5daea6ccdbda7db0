//! The registered kinds, and kinds that Kubernetes has never had.

use std::collections::BTreeSet;
use std::fmt;

use kubernetes_kinds::{GroupVersion, GroupVersionKind};
use kubernetes_manifests::scheme::{Part, Reason, RegisteredKind, Scheme, Scope, Unrepresentable};

use crate::older::OlderVersion;
use crate::template;
use crate::text::{nearest, truncate};

/// The most characters of an unknown kind that a message shows.
const MAX_SHOWN: usize = 60;

/// Returns a scheme with every kind and version. Conversion discards fields that the target can't
/// represent.
pub(crate) fn scheme() -> Scheme {
    let mut scheme = Scheme::new().with_unrepresentable(Unrepresentable::Discard);
    storage_all::add_to_scheme(&mut scheme);
    scheme
}

/// Returns the registered kinds of all groups and versions.
pub(crate) fn registered(scheme: &Scheme) -> impl Iterator<Item = &RegisteredKind> {
    scheme
        .group_versions()
        .flat_map(|version| scheme.kinds(version))
}

/// Returns true if all kinds of the group of an `apiVersion` are registered.
pub(crate) fn is_complete_group(scheme: &Scheme, api_version: &str) -> bool {
    let group = GroupVersion::from_api_version(api_version).group;
    scheme
        .group_versions()
        .any(|known| known.group == group && is_complete(scheme, known))
}

/// Returns true if all kinds of the group of a registered version are registered. Of the core
/// group, which has no name, only some are, and of custom resources a cluster may have other
/// versions.
pub(crate) fn is_complete(scheme: &Scheme, known: &GroupVersion) -> bool {
    let is_built_in = |kind| {
        scheme
            .kind(kind)
            .is_some_and(|kind| kind.lifecycle.is_some())
    };
    !known.group.is_empty()
        && scheme
            .kinds(known)
            .map(|known| &known.kind)
            .all(is_built_in)
}

/// Returns true if a part is of a registered group, is probably meant to be, or is too damaged to
/// know its group.
pub(crate) fn is_storage(scheme: &Scheme, part: &Part<'_>) -> bool {
    let mut versions = scheme.group_versions();
    let Some(version) = &part.api_version else {
        let Some(kind) = &part.kind else {
            return is_damaged(part);
        };
        return versions.any(|known| scheme.recognizes(&known.with_kind(kind.clone())));
    };
    let written = GroupVersion::from_api_version(version);
    let is_kind_of = |version: &GroupVersion| {
        let kind = part.kind.clone().map(|kind| version.with_kind(kind));
        kind.is_some_and(|kind| scheme.recognizes(&kind))
    };
    let is_of_group = versions.any(|known| {
        // A group without a dot is one of Kubernetes' own, and none of those has these kinds.
        let is_misnamed = !written.group.contains('.') && is_kind_of(known);
        is_misnamed || known.group == written.group && is_complete(scheme, known)
    });
    let is_wrong = |kind: &String| {
        let found = written.with_kind(kind.clone());
        is_misspelt(scheme, &found) || is_misplaced(scheme, &found)
    };
    let is_known = is_of_group || is_kind_of(&written) || is_damaged(part);
    is_known || part.kind.as_ref().is_some_and(is_wrong)
}

/// Returns true if the objects of a kind are in no namespace, in any version.
pub(crate) fn is_cluster_wide(scheme: &Scheme, group: &str, kind: &str) -> bool {
    registered(scheme).any(|known| {
        let id = &known.kind;
        id.kind == kind && id.group_version.group == group && known.scope == Scope::Cluster
    })
}

/// Returns the kind whose objects are in a list, or the kind itself. Each kind has a list, which
/// isn't registered by itself.
pub(crate) fn item(kind: &str) -> &str {
    kind.strip_suffix("List").unwrap_or(kind)
}

/// Returns true for a kind that isn't registered, but nearly has the name of one of its group and
/// version.
fn is_misspelt(scheme: &Scheme, found: &GroupVersionKind) -> bool {
    let item = item(&found.kind);
    let older = OlderVersion::named(&found.group_version.to_string());
    let newest = older.map(|older| GroupVersion::from_api_version(older.newest));
    let known = scheme
        .kinds(newest.as_ref().unwrap_or(&found.group_version))
        .map(|known| &*known.kind.kind);
    nearest(item, known).is_some_and(|near| near != item)
}

/// Returns true for a registered kind in a registered group that doesn't have it, or in one that
/// nearly has the name of its own.
fn is_misplaced(scheme: &Scheme, found: &GroupVersionKind) -> bool {
    let group = &*found.group_version.group;
    let same = || registered(scheme).filter(|known| known.kind.kind == item(&found.kind));
    let groups = || same().map(|known| &*known.kind.group_version.group);
    // A group without a dot is one of Kubernetes' own.
    if !group.contains('.') || groups().next().is_none() || groups().any(|known| known == group) {
        return false;
    }
    scheme.group_versions().any(|known| known.group == group) || nearest(group, groups()).is_some()
}

/// Returns true if the text has a syntax error, so that its kind is uncertain.
pub(crate) fn is_damaged(part: &Part<'_>) -> bool {
    let is_list = part.api_version.as_deref() == Some("v1") && part.kind.as_deref() == Some("List");
    match &part.object {
        Ok(_) => false,
        Err(error) => is_list || matches!(error.reason(), Reason::Syntax { .. }),
    }
}

/// A kind or version that Kubernetes has never had.
pub(crate) struct UnknownKind {
    /// The field to correct: `kind` or `apiVersion`.
    pub(crate) field: &'static str,
    message: String,
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl UnknownKind {
    /// Returns the error of a part whose group is complete, but has no such version or kind, or
    /// whose kind is misspelt or of another group.
    /// Returns nothing for registered kinds, other groups, and placeholders of templates.
    pub(crate) fn of_part(scheme: &Scheme, part: &Part<'_>) -> Option<Self> {
        let (version, kind) = part.api_version.as_deref().zip(part.kind.as_deref())?;
        let found = GroupVersionKind::from_type_meta(version, kind);
        let is_other = scheme.recognizes(&found)
            || !(is_complete_group(scheme, version)
                || is_misspelt(scheme, &found)
                || is_misplaced(scheme, &found))
            || template::is_placeholder(&found.to_string());
        (!is_other).then(|| Self::new(scheme, &found))
    }

    /// Returns the error of a kind that isn't registered, with the registered kinds that are
    /// nearest.
    pub(crate) fn new(scheme: &Scheme, found: &GroupVersionKind) -> Self {
        let item = item(&found.kind);
        let suffix = found.kind.strip_prefix(item).unwrap_or_default();
        let is_group =
            |kind: &GroupVersionKind| kind.group_version.group == found.group_version.group;
        let shown = truncate(&found.to_string(), MAX_SHOWN);
        let registered = || registered(scheme).map(|known| &known.kind);

        let in_group = registered()
            .filter(|kind| is_group(kind))
            .map(|kind| &*kind.kind);
        let is_elsewhere = registered().any(|kind| kind.kind == item && !is_group(kind));
        let meant = nearest(item, in_group).filter(|kind| *kind != item && !is_elsewhere);
        if let Some(meant) = meant {
            return Self {
                field: "kind",
                message: format!("Kubernetes has no {shown}; did you mean {meant}{suffix}?"),
            };
        }
        let is_near: [&dyn Fn(&GroupVersionKind) -> bool; 3] = [
            &|kind| kind.kind == item && is_group(kind),
            &|kind| kind.kind == item,
            &is_group,
        ];
        let known = is_near.iter().find_map(|is_near| {
            let near = registered().filter(|kind| is_near(kind));
            let near: Vec<_> = near.map(|kind| format!("{kind}{suffix}")).collect();
            (!near.is_empty()).then(|| near.join(", "))
        });
        let known = known.unwrap_or_default();
        Self {
            field: "apiVersion",
            message: format!("Kubernetes has no {shown}; available: {known}"),
        }
    }
}

/// Parses the name of a registered kind.
pub(crate) fn parse(text: &str) -> Result<String, String> {
    let scheme = scheme();
    let known: BTreeSet<_> = registered(&scheme).map(|known| &*known.kind.kind).collect();
    if known.contains(text) {
        return Ok(text.to_owned());
    }
    let near = nearest(text, known.iter().copied());
    let meant = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    let known: Vec<_> = known.into_iter().collect();
    Err(format!("{meant}supported kinds: {}", known.join(", ")))
}
