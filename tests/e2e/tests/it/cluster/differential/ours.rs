//! The results of our crates for a request.

use std::collections::BTreeSet;

use conformance::valid::Kind;
use core_v1::{PersistentVolume, PersistentVolumeClaim};
use groupsnapshot_v1::{VolumeGroupSnapshot, VolumeGroupSnapshotClass, VolumeGroupSnapshotContent};
use kubernetes_kinds::Release;
use kubernetes_manifests::strict;
use kubernetes_validation::{Error, FieldPath, Report, Segment, Target, Validate};
use serde::Serialize;
use serde::de::DeserializeOwned;
use snapshot_v1::{VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
};

use super::verdict::{Cause, Verdict};
use super::{Body, Case};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Create,
    Update,
    UpdateStatus,
}

impl Operation {
    /// The operations of a kind in a release.
    pub(crate) fn of(kind: Kind, release: Release) -> &'static [Self] {
        match kind.has_status(release) {
            true => &[Self::Create, Self::Update, Self::UpdateStatus],
            false => &[Self::Create, Self::Update],
        }
    }
}

/// Our result, and the rules that it comes from.
pub(crate) struct Ours {
    pub(crate) verdict: Verdict,
    /// `StorageClass parameters maxProperties` for each error.
    pub(crate) rules: BTreeSet<String>,
}

/// Validates a request as the server does.
pub(crate) fn judge(case: &Case, body: &Body, target: &Target) -> Ours {
    let kind = case.kind;
    match kind {
        Kind::CsiDriver => of::<CSIDriver>(case, body, target),
        Kind::CsiNode => of::<CSINode>(case, body, target),
        Kind::CsiStorageCapacity => of::<CSIStorageCapacity>(case, body, target),
        Kind::StorageClass => of::<StorageClass>(case, body, target),
        Kind::VolumeAttachment => of::<VolumeAttachment>(case, body, target),
        Kind::VolumeAttributesClass => of::<VolumeAttributesClass>(case, body, target),
        Kind::VolumeAttributesClassV1beta1 => {
            of::<storage_v1beta1::VolumeAttributesClass>(case, body, target)
        }
        Kind::PersistentVolume => of::<PersistentVolume>(case, body, target),
        Kind::PersistentVolumeClaim => of::<PersistentVolumeClaim>(case, body, target),
        Kind::VolumeSnapshot => of::<VolumeSnapshot>(case, body, target),
        Kind::VolumeSnapshotClass => of::<VolumeSnapshotClass>(case, body, target),
        Kind::VolumeSnapshotContent => of::<VolumeSnapshotContent>(case, body, target),
        Kind::VolumeGroupSnapshot => of::<VolumeGroupSnapshot>(case, body, target),
        Kind::VolumeGroupSnapshotClass => of::<VolumeGroupSnapshotClass>(case, body, target),
        Kind::VolumeGroupSnapshotContent => of::<VolumeGroupSnapshotContent>(case, body, target),
    }
}

fn of<K: Validate + DeserializeOwned + Serialize>(
    case: &Case,
    body: &Body,
    target: &Target,
) -> Ours {
    let Case {
        kind,
        operation,
        stored,
        ..
    } = case;
    let object = if body.is_yaml {
        strict::from_yaml::<K>(&body.text).map(|read| read.object)
    } else {
        // A program reads JSON without our reader, which says where an error is.
        serde_json::from_str::<K>(&body.text).map_err(|error| {
            match strict::from_json::<K>(&body.text) {
                Err(located) => located,
                Ok(_) => panic!("only one reader refuses {}: {error}", body.text),
            }
        })
    };
    let mut object = match object {
        Ok(object) => object,
        Err(error) => {
            let field = pattern(&error.location().path);
            return Ours {
                verdict: Verdict::Refused([Cause::unreadable(field)].into()),
                rules: BTreeSet::new(),
            };
        }
    };
    if kind.is_namespaced() {
        // The URL of the request names it.
        object
            .metadata_mut()
            .namespace
            .get_or_insert_with(|| "default".to_owned());
    }
    let stored = || serde_json::from_value(stored.clone()).expect("it can be read");
    let mut report = match operation {
        Operation::Create => object.default_and_validate(target),
        Operation::Update => object.default_and_validate_update(&stored(), target),
        Operation::UpdateStatus => object.default_and_validate_status(&stored(), target),
    };
    match operation {
        Operation::Create => K::report_absent(&case.object, &mut report),
        Operation::Update => {
            K::report_absent_in_update(&case.object, &case.stored, target, &mut report);
        }
        Operation::UpdateStatus => K::report_absent_in_status(&case.object, &mut report),
    }
    let rules = report.errors.iter();
    let rules = rules.map(|error| {
        let place = pattern(&error.path);
        format!(
            "{operation:?} {} {place} {} {}",
            kind.name(),
            error.rule,
            error.error_type
        )
    });
    let rules = rules.collect();
    Ours {
        verdict: verdict(&report, &object),
        rules,
    }
}

fn verdict(report: &Report, object: &impl Serialize) -> Verdict {
    if report.is_accepted() {
        let object = serde_json::to_value(object).expect("it can be written");
        let mut warnings: Vec<_> = report
            .warnings
            .iter()
            .map(|warning| warning.field.clone())
            .collect();
        warnings.sort();
        return Verdict::Accepted { object, warnings };
    }
    if report.errors.iter().any(|error| error.rule == "quantity") {
        // The server can't even decode the object, and says no more than that.
        return Verdict::Refused([Cause::without_causes(400)].into());
    }
    // A server looks at nothing else then; we report all errors.
    let is_stale = |error: &&Error| error.field == "metadata.resourceVersion";
    let first = report.errors.iter().find(is_stale);
    let causes = match first {
        Some(error) => std::slice::from_ref(error),
        None => report.errors.as_slice(),
    };
    let causes = causes.iter().map(|error| Cause {
        reason: error.error_type.reason().to_owned(),
        field: error.field.clone(),
    });
    Verdict::Refused(causes.collect())
}

/// A path without indices and keys.
fn pattern(path: &FieldPath) -> String {
    let mut text = String::new();
    for segment in path.segments() {
        match segment {
            Segment::Field(name) if text.is_empty() => text += name,
            Segment::Field(name) => text += &format!(".{name}"),
            _ => text += "[]",
        }
    }
    text
}
