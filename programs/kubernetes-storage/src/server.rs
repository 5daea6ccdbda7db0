//! Creation of an object as an API server handles it: defaulting, preparation and validation.

use kubernetes_kinds::{GroupVersionKind, Release};
use kubernetes_manifests::scheme::{
    AnyObject, Part, Reason, Scheme, SchemeError, Syntax, Versioned,
};
use kubernetes_manifests::strict::FieldError;
use kubernetes_validation::{FieldPath, Report, Segment, Target, Validate};
use serde_json::Value;

use crate::template::has_placeholder;

/// The result of creating an object.
pub(crate) struct Created {
    /// The server's errors and warnings.
    pub(crate) report: Report,
    /// The stored object, if the server accepts it: with defaults, and without dropped fields.
    pub(crate) stored: AnyObject,
    /// The fields that the server drops because their feature gate is off.
    pub(crate) dropped: Vec<FieldPath>,
    /// The fields that the server's release doesn't have.
    pub(crate) unknown: Vec<FieldPath>,
    /// The fields that a server of any release drops because of their values.
    pub(crate) ignored: Vec<FieldPath>,
}

/// Creates an object of one kind; returns nothing for objects of other kinds.
type Create = fn(&AnyObject, &Target, &Document<'_>) -> Option<Created>;

/// Returns the text of an object as a value.
pub(crate) type Document<'a> = dyn Fn() -> Option<Value> + 'a;

/// An object that a server reads although its type here doesn't.
pub(crate) struct Readable {
    pub(crate) object: AnyObject,
    pub(crate) document: Value,
    /// The fields that the server's release doesn't have, which it skips whatever their type.
    pub(crate) unknown: Vec<FieldPath>,
    /// The fields whose values aren't there yet.
    pub(crate) placeholders: Vec<FieldPath>,
    /// The unknown fields, of which reading has found only those before its error.
    pub(crate) field_errors: Vec<FieldError>,
}

/// The most fields of an object that are left out.
const MOST: usize = 16;

/// Reads a part that can't be read without the fields that a server doesn't read when it creates
/// the object: the status of a custom resource, and fields that are newer than its release. Fields
/// with placeholders are left out, too.
pub(crate) fn readable(
    scheme: &Scheme,
    part: &Part<'_>,
    error: &SchemeError,
    target: &Target,
) -> Option<Readable> {
    if !matches!(error.reason(), Reason::Shape { .. }) {
        return None;
    }
    let mut document = part.document()?;
    let named = (part.api_version.as_deref()?, part.kind.as_deref()?);
    let kind = scheme.kind(&GroupVersionKind::from_type_meta(named.0, named.1))?;
    let read = |document: &Value| {
        let mut read = scheme.decode_json_all(document.to_string())?;
        Ok::<_, SchemeError>(read.pop())
    };
    let (mut unknown, mut placeholders) = (Vec::new(), Vec::new());
    for _ in 0..MOST {
        let error = match read(&document) {
            Ok(object) => {
                let text = document.to_string();
                let part = scheme.decode_each(&text, Syntax::Json).next();
                return Some(Readable {
                    object: object?,
                    field_errors: part.map(|part| part.field_errors).unwrap_or_default(),
                    document,
                    unknown,
                    placeholders,
                });
            }
            Err(error) => error,
        };
        let path = &error.location().path;
        let is_status = path.segments().first() == Some(&Segment::Field("status".into()));
        if kind.lifecycle.is_none() && is_status {
            document.as_object_mut()?.remove("status")?;
            continue;
        }
        if at(&mut document, path.segments()).is_some_and(|value| has_placeholder(value)) {
            remove(&mut document, path)?;
            placeholders.push(path.clone());
            continue;
        }
        let newer = SAMPLES.iter().find_map(|sample| {
            let mut tried = document.clone();
            *at(&mut tried, path.segments())? = serde_json::from_str(sample).ok()?;
            let created = create(&read(&tried).ok()??, target, &|| None)?;
            let mut unknown = created.unknown.into_iter();
            unknown.find(|newer| path.segments().starts_with(newer.segments()))
        })?;
        remove(&mut document, &newer)?;
        unknown.push(newer);
    }
    None
}

/// Values of all types that fields have.
const SAMPLES: [&str; 7] = [
    "true",
    "1",
    "\"a\"",
    "\"2026-01-01T00:00:00Z\"",
    "[]",
    "{}",
    "\"1\"",
];

/// Removes a field; returns nothing if there is none.
fn remove(document: &mut Value, path: &FieldPath) -> Option<Value> {
    let (last, outer) = path.segments().split_last()?;
    let Segment::Field(name) = last else {
        return None;
    };
    at(document, outer)?.as_object_mut()?.remove(&**name)
}

/// Returns the value at a path.
fn at<'v>(value: &'v mut Value, path: &[Segment]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Field(name) => value.get_mut(&**name),
        Segment::Key(name) => value.get_mut(name),
        Segment::Index(index) => value.get_mut(index),
    })
}

macro_rules! creators {
    ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
        &[$(create_kind::<$kind>),*]
    };
}

/// One function for each registered kind.
const CREATORS: &[Create] = storage_all::for_each_kind!(creators);

/// Creates an object as a server would; returns nothing if its kind is not registered. Only its
/// `document` shows which required fields are absent.
pub(crate) fn create(
    object: &AnyObject,
    target: &Target,
    document: &Document<'_>,
) -> Option<Created> {
    CREATORS
        .iter()
        .find_map(|create| create(object, target, document))
}

fn create_kind<K: Versioned + PartialEq + Validate>(
    object: &AnyObject,
    target: &Target,
    document: &Document<'_>,
) -> Option<Created> {
    let mut object = object.downcast_ref::<K>()?.clone();
    // With every gate enabled, a server drops only fields that its release doesn't have, and those
    // whose values it doesn't take.
    let with_all_gates = |release| {
        let stages = ["AllAlpha", "AllBeta"].into_iter();
        stages.fold(Target::new(release), |all, stage| {
            all.with_gate(stage, true)
        })
    };
    let mut unknown = dropped_fields(&object, &with_all_gates(target.release()));
    let mut dropped = dropped_fields(&object, target);
    dropped.retain(|path| !unknown.contains(path));
    let mut ignored = unknown.clone();
    for release in known_releases() {
        if ignored.is_empty() {
            break;
        }
        let lost = dropped_fields(&object, &with_all_gates(release));
        ignored.retain(|path| lost.contains(path));
    }
    unknown.retain(|path| !ignored.contains(path));
    let mut report = object.default_and_validate(target);
    if K::IS_CUSTOM
        && let Some(document) = document()
    {
        K::report_absent(&document, &mut report);
    }
    Some(Created {
        report,
        stored: AnyObject::new(object),
        dropped,
        unknown,
        ignored,
    })
}

/// Returns the releases that the rules cover.
fn known_releases() -> impl Iterator<Item = Release> {
    let (oldest, newest) = (Target::OLDEST, storage_all::KUBERNETES);
    (oldest.minor..=newest.minor).map(move |minor| Release::new(newest.major, minor))
}

/// Returns the fields of an object that a server drops.
fn dropped_fields<K: Versioned + PartialEq + Validate>(
    object: &K,
    target: &Target,
) -> Vec<FieldPath> {
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

/// Adds the paths of the fields of `all` that `kept` doesn't have.
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
    use crate::kinds::scheme;

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
            assert!(create(&objects[0], &target, &|| None).is_some(), "{kind}");
            checked.insert(kind);
        }
        let versions = scheme.group_versions();
        let registered = versions.flat_map(|version| scheme.kinds(version));
        let registered: Vec<_> = registered.map(|kind| kind.kind.to_string()).collect();
        assert_eq!(registered.len(), CREATORS.len());
        assert_eq!(BTreeSet::from_iter(registered), checked);
    }
}
