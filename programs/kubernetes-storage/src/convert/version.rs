//! The version that a release serves.

use kubernetes_kinds::{GroupVersionKind, Release};
use kubernetes_manifests::scheme::Scheme;

/// Returns the newest version of a kind that a release serves, preferably by default, or the kind
/// that has replaced it. Returns nothing if the release serves none.
pub(super) fn newest(
    scheme: &Scheme,
    kind: &GroupVersionKind,
    release: Release,
) -> Option<GroupVersionKind> {
    let lifecycle = |kind: &GroupVersionKind| scheme.kind(kind).and_then(|known| known.lifecycle);
    let routes = scheme.routes(kind);
    let others = routes.iter().filter_map(|route| route.target());
    let served = std::iter::once(kind)
        .chain(others)
        .filter(|kind| lifecycle(kind).is_none_or(|lifecycle| lifecycle.is_served(release)));
    let rank = |kind: &&GroupVersionKind| {
        let version = &kind.group_version.version;
        let by_default = lifecycle(kind)
            .is_none_or(|lifecycle| lifecycle.is_served_by_default(version, release));
        (by_default, priority(version))
    };
    served.max_by_key(rank).cloned()
}

/// Orders versions as Kubernetes does: `v1`, then `v1beta1`, then `v1alpha1`.
fn priority(version: &str) -> (u8, u32, u32) {
    let numbers = version.strip_prefix('v').unwrap_or(version);
    let number = |text: &str| text.parse().unwrap_or_default();
    for (stage, name) in [(1, "alpha"), (2, "beta")] {
        if let Some((major, minor)) = numbers.split_once(name) {
            return (stage, number(major), number(minor));
        }
    }
    (3, number(numbers), 0)
}
