//! Older versions of custom resources, which have no types of their own: their objects are read as
//! those of the newest version.

use kubernetes_kinds::{FieldPath, GroupVersion, GroupVersionKind};
use kubernetes_manifests::scheme::Part;
use serde_json::{Map, Value};

/// An older version of custom resources.
pub(crate) struct OlderVersion {
    pub(crate) api_version: &'static str,
    /// The version that has types. Its objects have the same shape, but for the renamed field.
    pub(crate) newest: &'static str,
    kinds: [&'static str; 3],
    state: State,
    renamed: Option<Renamed>,
}

/// The state of a version in the definitions.
enum State {
    Served,
    /// Served, and deprecated since a release.
    Deprecated(&'static str),
    /// Not served any more since a release.
    Gone(&'static str),
}

/// Advice about the version of an object.
pub(crate) enum Advice {
    /// It is served, but shouldn't be used any more.
    Deprecated(String),
    /// No server has it.
    NotServed(String),
}

/// A field of the status that has another name in the newest version.
pub(crate) struct Renamed {
    kind: &'static str,
    pub(crate) old: &'static str,
    pub(crate) new: &'static str,
}

const SNAPSHOTS: [&str; 3] = [
    "VolumeSnapshot",
    "VolumeSnapshotClass",
    "VolumeSnapshotContent",
];

const GROUP_SNAPSHOTS: [&str; 3] = [
    "VolumeGroupSnapshot",
    "VolumeGroupSnapshotClass",
    "VolumeGroupSnapshotContent",
];

/// All that are known: those in the definitions of external-snapshotter 8.7. They still list
/// v1beta1 of snapshots, so that objects which were stored in it can be read.
const OLDER: [OlderVersion; 3] = [
    OlderVersion {
        api_version: "snapshot.storage.k8s.io/v1beta1",
        newest: "snapshot.storage.k8s.io/v1",
        kinds: SNAPSHOTS,
        state: State::Gone("external-snapshotter 6.0"),
        renamed: None,
    },
    OlderVersion {
        api_version: "groupsnapshot.storage.k8s.io/v1beta1",
        newest: "groupsnapshot.storage.k8s.io/v1",
        kinds: GROUP_SNAPSHOTS,
        state: State::Deprecated("external-snapshotter 8.4"),
        renamed: Some(Renamed {
            kind: "VolumeGroupSnapshotContent",
            old: "volumeSnapshotHandlePairList",
            new: "volumeSnapshotInfoList",
        }),
    },
    OlderVersion {
        api_version: "groupsnapshot.storage.k8s.io/v1beta2",
        newest: "groupsnapshot.storage.k8s.io/v1",
        kinds: GROUP_SNAPSHOTS,
        state: State::Served,
        renamed: None,
    },
];

impl OlderVersion {
    /// Returns the older version that an `apiVersion` names.
    pub(crate) fn named(api_version: &str) -> Option<&'static Self> {
        OLDER.iter().find(|older| older.api_version == api_version)
    }

    /// Returns the version of an object, if it is an older one.
    pub(crate) fn of(part: &Part<'_>) -> Option<&'static Self> {
        let (version, kind) = part.api_version.as_deref().zip(part.kind.as_deref())?;
        Self::named(version).filter(|older| older.kinds.contains(&kind))
    }

    /// Returns the kind of an object in the newest version.
    pub(crate) fn newest_kind(&self, part: &Part<'_>) -> GroupVersionKind {
        let kind = part.kind.clone().unwrap_or_default();
        GroupVersion::from_api_version(self.newest).with_kind(kind)
    }

    /// Returns an object in the newest version.
    pub(crate) fn convert(&'static self, part: &Part<'_>) -> Option<Value> {
        let mut object = self.read(part)?;
        if let (Some(renamed), Some(status)) = (self.renamed(part), status(&mut object))
            && let Some(value) = status.remove(renamed.old)
        {
            status.insert(renamed.new.to_owned(), value);
        }
        Some(object)
    }

    /// Returns an object as one of the newest version, in which every field has the place that it
    /// has in the text. A renamed field is left out; a server doesn't read the status when it
    /// creates an object.
    pub(crate) fn to_check(&'static self, part: &Part<'_>) -> Option<Value> {
        let mut object = self.read(part)?;
        if let (Some(renamed), Some(status)) = (self.renamed(part), status(&mut object)) {
            status.remove(renamed.old);
        }
        Some(object)
    }

    /// Returns the place and the new name of the renamed field, if the object has it.
    pub(crate) fn to_rename(
        &'static self,
        part: &Part<'_>,
    ) -> Option<(FieldPath, &'static Renamed)> {
        let renamed = self.renamed(part)?;
        Some((set(part, renamed.old)?, renamed))
    }

    /// Returns the place of a field with the new name, which this version doesn't have.
    pub(crate) fn unknown(&'static self, part: &Part<'_>) -> Option<(FieldPath, &'static Renamed)> {
        let renamed = self.renamed(part)?;
        Some((set(part, renamed.new)?, renamed))
    }

    /// Says what is wrong with the version, and what to use.
    pub(crate) fn advice(&self) -> Option<Advice> {
        let help = format!("use apiVersion {}", self.newest);
        match self.state {
            State::Served => None,
            State::Deprecated(since) => Some(Advice::Deprecated(format!(
                "deprecated since {since}; {help}"
            ))),
            State::Gone(since) => Some(Advice::NotServed(format!(
                "not served since {since}; {help}"
            ))),
        }
    }

    fn renamed(&'static self, part: &Part<'_>) -> Option<&'static Renamed> {
        let renamed = self.renamed.as_ref()?;
        (part.kind.as_deref() == Some(renamed.kind)).then_some(renamed)
    }

    /// Reads an object, and says that it is of the newest version.
    fn read(&self, part: &Part<'_>) -> Option<Value> {
        let mut object = part.document()?;
        let fields = object.as_object_mut()?;
        fields.insert("apiVersion".to_owned(), self.newest.into());
        Some(object)
    }
}

fn status(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object.get_mut("status")?.as_object_mut()
}

/// Returns the place of a field of the status, if an object has it.
fn set(part: &Part<'_>, field: &'static str) -> Option<FieldPath> {
    let path = FieldPath::new("status").child(field);
    path.resolve(&part.document()?).is_some().then_some(path)
}
