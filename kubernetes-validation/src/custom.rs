//! How a server checks custom resources, beyond the keywords of their schemas.

use k8s_openapi::serde_json::{Map, Value};
use kubernetes_kinds::{ListMapKeys, Release};

use crate::{
    Checker, Error, ErrorType, Feature, FieldPath, Report, Segment, Strategy, Warning,
};

/// What errors of rules in CEL say that they break.
pub(crate) const RULE: &str = "x-kubernetes-validations";

/// Where a server reports errors of an object as a whole, or of none of its fields.
pub(crate) const NOWHERE: &str = "<nil>";

/// On an update, what hasn't changed isn't checked again.
const RATCHETING: Feature = Feature {
    gate: "CRDValidationRatcheting",
    introduced: Release::new(1, 28),
    beta: Some(Release::new(1, 30)),
    on: None,
    stable: Some(Release::new(1, 33)),
};

/// Returns the report. A server leaves the rules in CEL of a custom resource unevaluated where they
/// may not make sense, and says so.
pub(crate) fn finish<K: Strategy>(mut checker: Checker<'_>) -> Report {
    leave_rules::<K>(&mut checker.report);
    checker.finish()
}

fn leave_rules<K: Strategy>(report: &mut Report) {
    if K::HAS_CEL_RULES && report.errors.iter().any(is_in_the_way) {
        report.errors.retain(|error| error.rule != RULE);
        let detail =
            "the rules in CEL have not been evaluated, because of the other errors";
        report.errors.push(Error {
            error_type: ErrorType::Invalid,
            field: NOWHERE.to_owned(),
            path: FieldPath::default(),
            value: None,
            detail: detail.to_owned(),
            rule: RULE,
            accepted: &[],
        });
    }
}

/// Adds the required fields that a document lacks, in place of what else is said of them.
pub(crate) fn report_absent<K: Strategy>(document: &Value, report: &mut Report) {
    let mut absent = Vec::new();
    for (path, names) in K::REQUIRED {
        let steps: Vec<_> = path.split('.').filter(|step| !step.is_empty()).collect();
        each_object(document, &steps, &mut Vec::new(), &mut |object, place| {
            for name in names.iter().filter(|name| !object.contains_key(**name)) {
                absent.push(lacks(place, name));
            }
        });
    }
    if absent.is_empty() {
        return;
    }
    report.errors.retain(|error| {
        let is_inside =
            |absent: &Error| error.path.segments().starts_with(absent.path.segments());
        !absent.iter().any(is_inside)
    });
    report.errors.extend(absent);
    leave_rules::<K>(report);
}

fn lacks(place: &[Segment], name: &'static str) -> Error {
    let name = Segment::Field(name.into());
    let path: FieldPath = place.iter().cloned().chain([name]).collect();
    // A server names keys of maps like fields here.
    let steps = path.segments().iter().map(|segment| match segment {
        Segment::Key(key) => Segment::Field(key.clone().into()),
        other => other.clone(),
    });
    Error {
        error_type: ErrorType::Required,
        field: steps.collect::<FieldPath>().to_string(),
        path,
        value: None,
        detail: "the schema asks for it".to_owned(),
        rule: "required",
        accepted: &[],
    }
}

/// Calls a function with each object at a path, in which `[]` is any element of a list or value of a
/// map.
fn each_object(
    value: &Value,
    steps: &[&str],
    place: &mut Vec<Segment>,
    found: &mut impl FnMut(&Map<String, Value>, &[Segment]),
) {
    let Some((step, rest)) = steps.split_first() else {
        if let Value::Object(object) = value {
            found(object, place);
        }
        return;
    };
    let mut go = |segment, value: &Value, rest: &[&str]| {
        place.push(segment);
        each_object(value, rest, place, found);
        place.pop();
    };
    match (step.strip_suffix("[]"), value) {
        (Some(""), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                go(Segment::Index(index), item, rest);
            }
        }
        (Some(""), Value::Object(map)) => {
            for (key, value) in map {
                go(Segment::Key(key.clone()), value, rest);
            }
        }
        (Some(list), Value::Object(object)) => {
            if let Some(value) = object.get(list) {
                let inner: Vec<_> =
                    std::iter::once("[]").chain(rest.iter().copied()).collect();
                go(Segment::Field(list.to_owned().into()), value, &inner);
            }
        }
        (None, Value::Object(object)) => {
            if let Some(value) = object.get(*step) {
                go(Segment::Field((*step).to_owned().into()), value, rest);
            }
        }
        _ => {}
    }
}

fn is_in_the_way(error: &Error) -> bool {
    use ErrorType::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
    let blocking = [NotSupported, Required, TooLong, TooMany, TypeInvalid];
    blocking.contains(&error.error_type)
}

/// Since this release, that holds for a write of the status too.
const RATCHETING_OF_STATUS: Release = Release::new(1, 33);

/// Drops the errors since a mark that are about values as they are stored. Where they are of rules in
/// CEL, a server warns of them.
pub(crate) fn ratchet<K: Strategy>(
    object: &K,
    stored: &K,
    from: usize,
    of_status: bool,
    to: &mut Checker<'_>,
) {
    if to.mark() == from {
        return;
    }
    if of_status && to.target().release() < RATCHETING_OF_STATUS {
        // Of all else than the status, only rules in CEL are looked at.
        let status = Segment::Field("status".into());
        let since = to.report.errors.split_off(from);
        let is_checked =
            |e: &Error| e.rule == RULE || e.path.segments().first() == Some(&status);
        to.report.errors.extend(since.into_iter().filter(is_checked));
        return;
    }
    if !to.target().has(&RATCHETING) {
        return;
    }
    if let (Some(new), Some(old)) = (object.ratcheted(), stored.ratcheted()) {
        for error in to.report.errors.split_off(from) {
            if !is_stored(&error.path, &new, &old, K::LIST_MAP_KEYS) {
                to.report.errors.push(error);
            } else if error.rule == RULE {
                to.report.warnings.push(Warning {
                    message: error.detail,
                    field: error.field,
                    path: error.path,
                });
            }
        }
    }
}

/// Whether the value at a path, or one that it is in, is the same in both.
fn is_stored(path: &FieldPath, new: &Value, old: &Value, lists: ListMapKeys) -> bool {
    let (mut new, mut old) = (new, old);
    let mut at = String::new();
    for segment in path.segments() {
        let inside = match segment {
            Segment::Field(name) => {
                let dot = if at.is_empty() { "" } else { "." };
                at.extend([dot, name]);
                new.get(&**name).zip(old.get(&**name))
            }
            Segment::Key(key) => new.get(&**key).zip(old.get(&**key)),
            Segment::Index(index) => {
                let keys = lists.iter().find(|(list, _)| *list == at);
                at += "[]";
                new.get(*index)
                    .and_then(|new| Some((new, counterpart(new, old, keys?.1)?)))
            }
        };
        match inside {
            Some((inner, stored)) if inner == stored => return true,
            Some(inside) => (new, old) = inside,
            None => return false,
        }
    }
    new == old
}

/// The element of a list that has the same keys; without keys, elements have no counterparts.
fn counterpart<'v>(
    element: &Value,
    list: &'v Value,
    keys: &[&str],
) -> Option<&'v Value> {
    let is_it =
        |other: &&Value| keys.iter().all(|key| other.get(key) == element.get(key));
    list.as_array()?.iter().find(is_it)
}
