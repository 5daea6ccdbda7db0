//! The kinds that are known, and what a server makes of an object of each.

use kubernetes_manifests::scheme::{AnyObject, Scheme, Unrepresentable, Versioned};
use kubernetes_validation::{FieldPath, Report, Segment, Target, Validate};
use serde_json::Value;

/// What a server does with a new object.
pub(crate) struct Checked {
    pub(crate) report: Report,
    /// The fields that it takes out because their feature is off.
    pub(crate) dropped: Vec<FieldPath>,
    /// The fields that it doesn't know.
    pub(crate) unknown: Vec<FieldPath>,
}

/// Makes of an object what a server stores, if it is of the kind that this is made for.
type Store = fn(&AnyObject, &Target) -> Option<(AnyObject, Report)>;

macro_rules! stores {
    ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
        &[$(store_kind::<$kind>),*]
    };
}

const STORES: &[Store] = storage_all::for_each_kind!(stores);

/// Returns what a server stores of a new object, with its defaults and without what it doesn't keep, and
/// what it says of it; nothing if the object is of no kind that is known.
#[must_use]
pub fn stored(object: &AnyObject, target: &Target) -> Option<(AnyObject, Report)> {
    STORES.iter().find_map(|store| store(object, target))
}

fn store_kind<K: Versioned + Validate>(
    object: &AnyObject,
    target: &Target,
) -> Option<(AnyObject, Report)> {
    let mut object = object.downcast_ref::<K>()?.clone();
    let report = object.default_and_validate(target);
    Some((AnyObject::new(object), report))
}

/// Checks an object, if it is of the kind that this is made for.
type Check = fn(&AnyObject, &Target) -> Option<Checked>;

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

/// Returns what a server says of an object; nothing if it is of no kind that is known.
pub(crate) fn check(object: &AnyObject, target: &Target) -> Option<Checked> {
    CHECKS.iter().find_map(|check| check(object, target))
}

fn check_kind<K: Versioned + PartialEq + Validate>(
    object: &AnyObject,
    target: &Target,
) -> Option<Checked> {
    let mut object = object.downcast_ref::<K>()?.clone();
    // With all that a release can have, only what it doesn't know is missing.
    let everything = ["AllAlpha", "AllBeta"]
        .into_iter()
        .fold(Target::new(target.release()), |all, stage| all.with_gate(stage, true));
    let unknown = taken_out(&object, &everything);
    let mut dropped = taken_out(&object, target);
    dropped.retain(|path| !unknown.contains(path));
    let report = object.default_and_validate(target);
    Some(Checked {
        report,
        dropped,
        unknown,
    })
}

/// The fields of an object that a server takes out.
fn taken_out<K: Versioned + PartialEq + Validate>(
    object: &K,
    target: &Target,
) -> Vec<FieldPath> {
    let mut kept = object.clone();
    kept.drop_disabled(None, target);
    let mut found = Vec::new();
    if kept != *object
        && let (Ok(all), Ok(kept)) =
            (serde_json::to_value(object), serde_json::to_value(&kept))
    {
        missing(&all, &kept, &mut Vec::new(), &mut found);
    }
    found
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
            assert!(check(&objects[0], &target).is_some(), "{kind}");
            checked.insert(kind);
        }
        let versions = scheme.group_versions();
        let registered = versions.flat_map(|version| scheme.kinds(version));
        let registered: Vec<_> = registered.map(|kind| kind.kind.to_string()).collect();
        assert_eq!(registered.len(), CHECKS.len());
        assert_eq!(BTreeSet::from_iter(registered), checked);
    }
}
