//! The kinds that are judged, and what a server says of an object of each.

use kubernetes_manifests::scheme::{AnyObject, Scheme, Unrepresentable, Versioned};
use kubernetes_validation::{FieldPath, Report, Segment, Target, Validate};
use serde_json::Value;

/// What a server does with a new object.
pub(crate) struct Verdict {
    pub(crate) report: Report,
    /// The fields that it takes out, because it doesn't have them or has their feature off.
    pub(crate) dropped: Vec<FieldPath>,
}

/// Judges an object, if it is of the kind that this is made for.
type Judge = fn(&AnyObject, &Target) -> Option<Verdict>;

const JUDGES: [Judge; 17] = [
    judge::<storage_v1::CSIDriver>,
    judge::<storage_v1::CSINode>,
    judge::<storage_v1::CSIStorageCapacity>,
    judge::<storage_v1::StorageClass>,
    judge::<storage_v1::VolumeAttachment>,
    judge::<storage_v1::VolumeAttributesClass>,
    judge::<storage_v1beta1::CSIDriver>,
    judge::<storage_v1beta1::CSINode>,
    judge::<storage_v1beta1::CSIStorageCapacity>,
    judge::<storage_v1beta1::StorageClass>,
    judge::<storage_v1beta1::VolumeAttachment>,
    judge::<storage_v1beta1::VolumeAttributesClass>,
    judge::<storage_v1alpha1::CSIStorageCapacity>,
    judge::<storage_v1alpha1::VolumeAttachment>,
    judge::<storage_v1alpha1::VolumeAttributesClass>,
    judge::<storage_v1alpha1::csi::CSIDriver>,
    judge::<storage_v1alpha1::csi::CSINodeInfo>,
];

/// Every version that is judged.
pub(crate) fn scheme() -> Scheme {
    let mut scheme = Scheme::new().with_unrepresentable(Unrepresentable::Discard);
    storage_v1::add_to_scheme(&mut scheme);
    storage_v1beta1::add_to_scheme(&mut scheme);
    storage_v1alpha1::add_to_scheme(&mut scheme);
    storage_v1alpha1::csi::add_to_scheme(&mut scheme);
    scheme
}

/// What a server says of an object; nothing if it is of no kind that is known.
pub(crate) fn verdict(object: &AnyObject, target: &Target) -> Option<Verdict> {
    JUDGES.iter().find_map(|judge| judge(object, target))
}

fn judge<K: Versioned + PartialEq + Validate>(
    object: &AnyObject,
    target: &Target,
) -> Option<Verdict> {
    let mut object = object.downcast_ref::<K>()?.clone();
    let mut kept = object.clone();
    kept.drop_disabled(None, target);
    let mut dropped = Vec::new();
    if kept != object
        && let (Ok(all), Ok(kept)) =
            (serde_json::to_value(&object), serde_json::to_value(&kept))
    {
        missing(&all, &kept, &mut Vec::new(), &mut dropped);
    }
    let report = object.default_and_validate(target);
    Some(Verdict { report, dropped })
}

/// The fields of one value that the other doesn't have.
fn missing(
    all: &Value,
    kept: &Value,
    at: &mut Vec<Segment>,
    found: &mut Vec<FieldPath>,
) {
    let mut step = |segment, all: &Value, kept: Option<&Value>| {
        at.push(segment);
        match kept {
            Some(kept) => missing(all, kept, at, found),
            None => found.push(at.iter().cloned().collect()),
        }
        at.pop();
    };
    match (all, kept) {
        (Value::Object(all), Value::Object(kept)) => {
            for (name, value) in all {
                step(Segment::Field(name.clone().into()), value, kept.get(name));
            }
        }
        (Value::Array(all), Value::Array(kept)) => {
            for (index, value) in all.iter().enumerate() {
                step(Segment::Index(index), value, kept.get(index));
            }
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_registered_kind_is_judged() {
        let scheme = scheme();
        let mut kinds = 0;
        for version in scheme.group_versions() {
            for kind in scheme.kinds(version) {
                let text = serde_json::json!({
                    "apiVersion": version.to_string(), "kind": kind.kind.kind,
                    "provisioner": "", "driverName": "", "storageClassName": "",
                    "spec": {
                        "drivers": [], "attacher": "", "nodeName": "", "source": {}
                    },
                });
                let objects = scheme.decode_json_all(text.to_string());
                let objects = objects.unwrap_or_default();
                assert!(
                    verdict(&objects[0], &Target::new(storage_v1::KUBERNETES)).is_some(),
                    "{}",
                    kind.kind
                );
                kinds += 1;
            }
        }
        assert_eq!(kinds, JUDGES.len());
    }
}
