//! Versions of custom resources that their definitions list, but don't serve any more.

use kubernetes_kinds::{GroupVersion, GroupVersionKind};
use kubernetes_manifests::scheme::Part;
use serde_json::Value;

/// A version that isn't served any more. Its objects have the shape that they have in another.
pub(crate) struct Former {
    api_version: &'static str,
    /// The version that is served.
    pub(crate) served: &'static str,
    kinds: [&'static str; 3],
    /// The release that stopped to serve it, as a message names it.
    since: &'static str,
}

/// All that are known. The definitions of external-snapshotter 8.7 still list the version, so that
/// objects which were stored in it can be read.
const FORMER: [Former; 1] = [Former {
    api_version: "snapshot.storage.k8s.io/v1beta1",
    served: "snapshot.storage.k8s.io/v1",
    kinds: [
        "VolumeSnapshot",
        "VolumeSnapshotClass",
        "VolumeSnapshotContent",
    ],
    since: "external-snapshotter 6.0",
}];

impl Former {
    /// Returns the version of an object, if it isn't served any more.
    pub(crate) fn of(part: &Part<'_>) -> Option<&'static Self> {
        let (version, kind) = part.api_version.as_deref().zip(part.kind.as_deref())?;
        let mut all = FORMER.iter();
        all.find(|former| former.api_version == version && former.kinds.contains(&kind))
    }

    /// Returns an object in the version that is served.
    pub(crate) fn convert(&self, part: &Part<'_>) -> Option<Value> {
        let mut object = part.document()?;
        let fields = object.as_object_mut()?;
        fields.insert("apiVersion".to_owned(), self.served.into());
        Some(object)
    }

    /// Returns the kind in the version that is served.
    pub(crate) fn kind(&self, part: &Part<'_>) -> GroupVersionKind {
        let kind = part.kind.clone().unwrap_or_default();
        GroupVersion::from_api_version(self.served).with_kind(kind)
    }

    /// Says since when it isn't served, and what to use.
    pub(crate) fn message(&self) -> String {
        format!(
            "not served since {}; use apiVersion {}",
            self.since, self.served
        )
    }
}
