//! Checks of custom resources beyond the keywords of their schemas.

use k8s_openapi::serde_json::Value;
use kubernetes_kinds::{ListMapKeys, Release};

use crate::checker::to_value;
use crate::{
    Checker, Error, ErrorType, Feature, FieldPath, Report, RequiredFields, Scale, Segment,
    Strategy, Warning,
};

/// The rule of errors of CEL rules.
pub(crate) const RULE: &str = "x-kubernetes-validations";

/// The path at which a server reports errors of a whole object.
pub(crate) const NOWHERE: &str = "<nil>";

/// The feature by which an update doesn't check unchanged values again.
pub(crate) const RATCHETING: Feature = Feature {
    gate: "CRDValidationRatcheting",
    introduced: Release::new(1, 28),
    beta: Some(Release::new(1, 30)),
    on: None,
    stable: Some(Release::new(1, 33)),
};

/// Returns the report. A server doesn't evaluate the CEL rules of a custom resource with other
/// errors that may make them meaningless, and reports that.
pub(crate) fn finish<K: Strategy>(mut checker: Checker<'_>) -> Report {
    flush(&mut checker);
    checker.settle();
    let Checker {
        report, lasting, ..
    } = &mut checker;
    if K::HAS_COMBINATIONS {
        report_once(report);
    }
    skip_cel_rules::<K>(report, lasting);
    checker.finish()
}

/// Adds the errors of combinations of schemas to the others.
fn flush(to: &mut Checker<'_>) {
    let combined = std::mem::take(&mut to.combined);
    let errors = combined.into_iter().flat_map(|(_, errors)| errors);
    to.report.errors.extend(errors);
}

/// Drops repeated errors: a schema and one in a combination may ask the same.
fn report_once(report: &mut Report) {
    let mut once: Vec<Error> = Vec::new();
    for error in std::mem::take(&mut report.errors) {
        let is_other = [RULE, "unique"].contains(&error.rule);
        if is_other || !once.iter().any(|known| known.repeats(&error)) {
            once.push(error);
        }
    }
    report.errors = once;
}

/// `others` are errors that the report gets later.
fn skip_cel_rules<K: Strategy>(report: &mut Report, others: &[Error]) {
    if K::HAS_CEL_RULES && report.errors.iter().chain(others).any(is_in_the_way) {
        report.errors.retain(|error| error.rule != RULE);
        let detail = "the rules in CEL have not been evaluated, because of the other errors";
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

/// Checks the values of the subresource `scale`: replicas are whole numbers from 0 to 2³¹ - 1, a
/// label selector is a text. A server reports the path as the definition has it.
pub(crate) fn scale<K: Strategy>(object: &K, of_status: bool, to: &mut Checker<'_>) {
    if let Some(scale) = K::SCALE
        && let Some(object) = to_value(object)
    {
        scale_of(&object, scale, of_status, to);
    }
}

fn scale_of(object: &Value, scale: Scale, of_status: bool, to: &mut Checker<'_>) {
    let spec = (!of_status).then_some(scale.spec_replicas);
    for path in spec.into_iter().chain([scale.status_replicas]) {
        let value = inside(object, path);
        let is_number = |number: i64| i32::try_from(number).is_ok_and(|number| number >= 0);
        if value.is_some_and(|value| !value.as_i64().is_some_and(is_number)) {
            unscaled(path, value, "it must be a whole number of 31 bits", to);
        }
    }
    let selector = scale
        .label_selector
        .map(|path| (path, inside(object, path)));
    if let Some((path, Some(value))) = selector
        && !value.is_string()
    {
        unscaled(path, Some(value), "it must be a text", to);
    }
}

/// Returns the value at such a path, unless it is absent or `null`.
fn inside<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    let mut steps = path.trim_start_matches('.').split('.');
    let value = steps.try_fold(object, |value, step| value.get(step));
    value.filter(|value| !value.is_null())
}

fn unscaled(path: &'static str, value: Option<&Value>, detail: &str, to: &mut Checker<'_>) {
    let steps = path.trim_start_matches('.').split('.');
    let steps = steps.map(|step| Segment::Field(step.into()));
    to.report.errors.push(Error {
        error_type: ErrorType::Invalid,
        field: path.to_owned(),
        path: steps.collect(),
        value: value.cloned(),
        detail: detail.to_owned(),
        rule: "scale",
        accepted: &[],
    });
}

/// Adds the required fields that a document lacks, and the elements that are `null`, in place of
/// their other errors.
pub(crate) fn report_absent<K: Strategy>(document: &Value, report: &mut Report) {
    let absent = absent(document, K::REQUIRED, K::NULLABLE, K::NOT_NULL);
    if !absent.is_empty() {
        replace(absent, report);
        skip_cel_rules::<K>(report, &[]);
    }
}

// Inlined like the functions that it calls, so that only programs that use documents contain it.
#[inline]
fn absent(
    document: &Value,
    required: RequiredFields,
    nullable: RequiredFields,
    not_null: &[&'static str],
) -> Vec<Error> {
    let mut absent = Vec::new();
    for (path, names) in required {
        let nullable = nullable.iter().find(|(other, _)| other == path);
        let may_be_null = |name| nullable.is_some_and(|(_, names)| names.contains(name));
        each_value(
            document,
            &steps(path),
            &mut Vec::new(),
            &mut |value, place| {
                let Value::Object(object) = value else {
                    return;
                };
                for name in *names {
                    match object.get(*name) {
                        Some(Value::Null) if !may_be_null(name) => {}
                        Some(_) => continue,
                        None => {}
                    }
                    let field = Segment::Field((*name).into());
                    absent.push(lacks(place.iter().cloned().chain([field]).collect()));
                }
            },
        );
    }
    for path in not_null {
        each_value(
            document,
            &steps(path),
            &mut Vec::new(),
            &mut |value, place| {
                if value.is_null() {
                    absent.push(is_null(place.iter().cloned().collect()));
                }
            },
        );
    }
    absent
}

/// Adds errors in place of the errors of the same values and of values in them. But `null` as an
/// element is also none of the values of an enumeration.
#[inline]
fn replace(absent: Vec<Error>, report: &mut Report) {
    report.errors.retain_mut(|error| {
        let is_inside = |absent: &&Error| error.path.segments().starts_with(absent.path.segments());
        let Some(absent) = absent.iter().find(is_inside) else {
            return true;
        };
        let is_null = absent.error_type == ErrorType::TypeInvalid && absent.path == error.path;
        if is_null && error.error_type == ErrorType::NotSupported {
            error.value = Some(Value::Null);
            return true;
        }
        false
    });
    report.errors.extend(absent);
}

/// The fields of a path, each followed by `[]` for each list or map that it is.
#[inline]
fn steps(path: &'static str) -> Vec<&'static str> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let name = part.trim_end_matches("[]");
        steps.push(name);
        let elements = (part.len() - name.len()) / "[]".len();
        steps.extend(std::iter::repeat_n("[]", elements));
    }
    steps
}

#[inline]
fn lacks(path: FieldPath) -> Error {
    of_document(
        path,
        ErrorType::Required,
        "required",
        "the schema asks for it",
    )
}

#[inline]
fn is_null(path: FieldPath) -> Error {
    let detail = "the schema doesn't allow `null` in this list; remove the element";
    Error {
        value: Some(Value::Null),
        ..of_document(path, ErrorType::TypeInvalid, "nullable", detail)
    }
}

#[inline]
fn of_document(path: FieldPath, error_type: ErrorType, rule: &'static str, detail: &str) -> Error {
    // A server names keys of maps like fields here.
    let steps = path.segments().iter().map(|segment| match segment {
        Segment::Key(key) => Segment::Field(key.clone().into()),
        other => other.clone(),
    });
    Error {
        error_type,
        field: steps.collect::<FieldPath>().to_string(),
        path,
        value: None,
        detail: detail.to_owned(),
        rule,
        accepted: &[],
    }
}

/// Calls a function with each value at a path, in which `[]` is any element of a list or value of a
/// map.
#[inline]
fn each_value(
    value: &Value,
    steps: &[&str],
    place: &mut Vec<Segment>,
    found: &mut dyn FnMut(&Value, &[Segment]),
) {
    let Some((step, rest)) = steps.split_first() else {
        found(value, place);
        return;
    };
    let mut go = |segment, value: &Value, rest: &[&str]| {
        place.push(segment);
        each_value(value, rest, place, found);
        place.pop();
    };
    match (*step, value) {
        ("[]", Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                go(Segment::Index(index), item, rest);
            }
        }
        ("[]", Value::Object(map)) => {
            for (key, value) in map {
                go(Segment::Key(key.clone()), value, rest);
            }
        }
        (name, Value::Object(object)) => {
            if let Some(value) = object.get(name) {
                go(Segment::Field(name.to_owned().into()), value, rest);
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

/// The first release in which that applies to a write of the status, too.
const RATCHETING_OF_STATUS: Release = Release::new(1, 33);

/// Drops the errors since a mark that are about unchanged values. A server returns those of CEL
/// rules as warnings.
pub(crate) fn ratchet<K: Strategy>(
    object: &K,
    stored: &K,
    from: usize,
    of_status: bool,
    to: &mut Checker<'_>,
) {
    if !K::IS_CUSTOM || to.mark() == from && to.combined.is_empty() {
        return;
    }
    if of_status && to.target().release() < RATCHETING_OF_STATUS {
        flush(to);
        // Outside of the status, a server evaluates only CEL rules.
        let status = Segment::Field("status".into());
        let since = to.report.errors.split_off(from);
        let is_checked = |e: &Error| e.rule == RULE || e.path.segments().first() == Some(&status);
        to.report
            .errors
            .extend(since.into_iter().filter(is_checked));
        return;
    }
    if !to.target().has(&RATCHETING) {
        flush(to);
        return;
    }
    if let (Some(new), Some(old)) = (to_value(object), to_value(stored)) {
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
        // Within a combination a server checks unchanged values again.
        to.combined
            .retain(|(path, _)| !is_stored(path, &new, &old, K::LIST_MAP_KEYS));
    }
    flush(to);
}

/// Returns true if the value at a path, or one that contains it, is equal in both objects.
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

/// Returns the element of a list that has the same keys; without keys, elements have no
/// counterparts.
fn counterpart<'v>(element: &Value, list: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    let is_it = |other: &&Value| keys.iter().all(|key| other.get(key) == element.get(key));
    list.as_array()?.iter().find(is_it)
}
