//! The kinds that are known, and what a server makes of an object of each.

use kubernetes_kinds::{GroupVersion, GroupVersionKind};
use kubernetes_manifests::scheme::{AnyObject, Part, Scheme, Unrepresentable, Versioned};
use kubernetes_validation::{FieldPath, Report, Segment, Target, Validate};
use serde_json::Value;

use crate::finding::Note;
use crate::{template, told};

/// What a server does with a new object.
pub struct Checked {
    /// What it says of the object.
    pub report: Report,
    /// What it stores, if it accepts that: with its defaults and without what it doesn't keep.
    pub stored: AnyObject,
    /// The fields that it takes out because their feature is off.
    pub dropped: Vec<FieldPath>,
    /// The fields that it doesn't know.
    pub unknown: Vec<FieldPath>,
}

/// Checks an object, if it is of the kind that this is made for.
type Check = fn(&AnyObject, &Target, &Document<'_>) -> Option<Checked>;

/// Returns the text of an object as a value.
pub type Document<'a> = dyn Fn() -> Option<Value> + 'a;

macro_rules! checks {
    ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
        &[$(check_kind::<$kind>),*]
    };
}

/// The checks of every kind.
const CHECKS: &[Check] = storage_all::for_each_kind!(checks);

/// Every version that is known. Conversion discards what a version can't represent.
#[must_use]
pub fn scheme() -> Scheme {
    let mut scheme = Scheme::new().with_unrepresentable(Unrepresentable::Discard);
    storage_all::add_to_scheme(&mut scheme);
    scheme
}

/// Returns whether an `apiVersion` is of a group all of whose kinds are known, in any version.
#[must_use]
pub fn is_known_group(scheme: &Scheme, api_version: &str) -> bool {
    let group = GroupVersion::from_api_version(api_version).group;
    scheme
        .group_versions()
        .any(|known| known.group == group && is_whole(scheme, known))
}

/// Returns whether all kinds of a group are known, in any version. Of the core group, which has no
/// name, only some are, and of custom resources a cluster may have more versions than there are
/// here: others are left alone.
pub(crate) fn is_whole(scheme: &Scheme, known: &GroupVersion) -> bool {
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

/// Returns what is wrong with the type of a part: its group is known, but Kubernetes has never had the
/// version or the kind. Returns nothing for kinds that are known, for other groups, and for
/// placeholders of templates.
#[must_use]
pub fn no_such_kind(scheme: &Scheme, part: &Part<'_>) -> Option<Note> {
    let (version, kind) = part.api_version.as_deref().zip(part.kind.as_deref())?;
    let found = GroupVersionKind::from_type_meta(version, kind);
    let is_other = scheme.recognizes(&found)
        || !is_known_group(scheme, version)
        || template::is_placeholder(&found.to_string());
    (!is_other).then(|| told::no_such_kind(scheme, &found))
}

/// Returns what a server makes of a new object; nothing if it is of no kind that is known. Only its
/// document shows which required fields are absent.
#[must_use]
pub fn check(object: &AnyObject, target: &Target, document: &Document<'_>) -> Option<Checked> {
    CHECKS
        .iter()
        .find_map(|check| check(object, target, document))
}

fn check_kind<K: Versioned + PartialEq + Validate>(
    object: &AnyObject,
    target: &Target,
    document: &Document<'_>,
) -> Option<Checked> {
    let mut object = object.downcast_ref::<K>()?.clone();
    // With all that a release can have, only what it doesn't know is missing.
    let everything = ["AllAlpha", "AllBeta"]
        .into_iter()
        .fold(Target::new(target.release()), |all, stage| {
            all.with_gate(stage, true)
        });
    let unknown = taken_out(&object, &everything);
    let mut dropped = taken_out(&object, target);
    dropped.retain(|path| !unknown.contains(path));
    let mut report = object.default_and_validate(target);
    if K::IS_CUSTOM
        && let Some(document) = document()
    {
        K::report_absent(&document, &mut report);
    }
    Some(Checked {
        report,
        stored: AnyObject::new(object),
        dropped,
        unknown,
    })
}

/// The fields of an object that a server takes out.
fn taken_out<K: Versioned + PartialEq + Validate>(object: &K, target: &Target) -> Vec<FieldPath> {
    let mut kept = object.clone();
    kept.drop_disabled(None, target);
    let mut found = Vec::new();
    if kept != *object
        && let (Ok(all), Ok(kept)) = (serde_json::to_value(object), serde_json::to_value(&kept))
    {
        missing(&all, &kept, &mut Vec::new(), &mut found);
    }
    found
}

/// The fields of one value that the other doesn't have.
fn missing(all: &Value, kept: &Value, at: &mut Vec<Segment>, found: &mut Vec<FieldPath>) {
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_registered_kind_is_checked() {
        macro_rules! texts {
            ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
                [$(serde_json::to_string(&<$kind>::default())),*]
            };
        }
        let scheme = scheme();
        let target = Target::new(storage_all::KUBERNETES);
        let mut checked = BTreeSet::new();
        for text in storage_all::for_each_kind!(texts) {
            let objects = scheme.decode_json_all(text.unwrap_or_default());
            let objects = objects.unwrap_or_default();
            let kind = objects[0].kind().to_string();
            assert!(check(&objects[0], &target, &|| None).is_some(), "{kind}");
            checked.insert(kind);
        }
        let versions = scheme.group_versions();
        let registered = versions.flat_map(|version| scheme.kinds(version));
        let registered: Vec<_> = registered.map(|kind| kind.kind.to_string()).collect();
        assert_eq!(registered.len(), CHECKS.len());
        assert_eq!(BTreeSet::from_iter(registered), checked);
    }
}
