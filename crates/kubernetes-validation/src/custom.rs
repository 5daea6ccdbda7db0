//! Checks of custom resources beyond the keywords of their schemas.
//!
//! All functions are inlined, as generic code is, so that only programs that validate contain them.

use k8s_openapi::serde_json::Value;

use crate::checker::{UNIQUE, to_value, too_few};
use crate::{Checker, Error, ErrorType, FieldPath, FieldsByPath, Report, Scale, Segment, Strategy};

/// The rule of errors of CEL rules.
pub(crate) const RULE: &str = "x-kubernetes-validations";

/// The rule of the least number of fields.
const LEAST: &str = "minProperties";

/// The problem of the error in place of rules in CEL that haven't been evaluated.
const SKIPPED: &str = "the rules in CEL have not been evaluated, because of the other errors";

/// The path at which a server reports errors of a whole object.
pub(crate) const NOWHERE: &str = "<nil>";

/// Returns the report. A server doesn't evaluate the CEL rules of a custom resource with other
/// errors that may make them meaningless, and reports that.
pub(crate) fn finish<K: Strategy>(mut checker: Checker<'_>) -> Report {
    checker.add_placed();
    let Checker {
        report, lasting, ..
    } = &mut checker;
    if K::HAS_COMBINATIONS {
        report_once(report);
    }
    skip_cel_rules::<K>(report, lasting);
    checker.finish()
}

/// Returns the report of a write of the status. A server reports at the status what it reports of a
/// whole object without a place, except of rules in CEL.
pub(crate) fn finish_status<K: Strategy>(mut checker: Checker<'_>) -> Report {
    checker.add_placed();
    place_in_status(&mut checker.report);
    finish::<K>(checker)
}

#[inline]
fn place_in_status(report: &mut Report) {
    let errors = report.errors.iter_mut();
    for error in errors.filter(|error| error.field == NOWHERE && error.rule != RULE) {
        "status".clone_into(&mut error.field);
    }
}

/// Drops repeated errors: a schema and one in a combination may ask the same.
#[inline]
fn report_once(report: &mut Report) {
    let mut once: Vec<Error> = Vec::new();
    for error in std::mem::take(&mut report.errors) {
        let is_other = [RULE, UNIQUE].contains(&error.rule);
        if is_other || !once.iter().any(|known| known.repeats(&error)) {
            once.push(error);
        }
    }
    report.errors = once;
}

impl Error {
    /// Returns true if the error only says that the other errors of the report keep a server from
    /// evaluating rules in CEL.
    #[must_use]
    #[inline]
    pub fn is_about_skipped_rules(&self) -> bool {
        self.rule == RULE && self.detail == SKIPPED
    }
}

/// `others` are errors that the report gets later.
fn skip_cel_rules<K: Strategy>(report: &mut Report, others: &[Error]) {
    if K::HAS_CEL_RULES && report.errors.iter().chain(others).any(is_in_the_way) {
        report.errors.retain(|error| error.rule != RULE);
        report.errors.push(Error {
            error_type: ErrorType::Invalid,
            field: NOWHERE.to_owned(),
            path: FieldPath::default(),
            value: None,
            detail: SKIPPED.to_owned(),
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

#[inline]
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

/// Returns the value at such a path, unless it is absent or in something that is `null`. To a
/// server, `null` itself is a value there.
#[inline]
fn inside<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    let mut steps = path.trim_start_matches('.').split('.');
    steps.try_fold(object, |value, step| value.get(step))
}

#[inline]
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
pub(crate) fn report_absent<K: Strategy>(document: &Value, of_status: bool, report: &mut Report) {
    add_absent::<K>(document, of_status, &|_| true, report);
}

/// Adds those of them that are reported.
pub(crate) fn add_absent<K: Strategy>(
    document: &Value,
    of_status: bool,
    is_reported: &dyn Fn(&Error) -> bool,
    report: &mut Report,
) {
    // A status that is written by itself isn't seen where the rest is.
    let is_seen = |path: &str| {
        let first = path.split(['.', '[']).next();
        (K::HAS_STATUS && first == Some("status")) == of_status
    };
    let absent = absent(document, K::REQUIRED, K::NULLABLE, K::NOT_NULL, &is_seen);
    if !absent.is_empty() {
        replace(absent, is_reported, report);
        for &(path, least) in K::LEAST.iter().filter(|(path, _)| is_seen(path)) {
            add_too_few(document, (path, least), is_reported, report);
        }
        skip_cel_rules::<K>(report, &[]);
    }
}

#[inline]
fn absent(
    document: &Value,
    required: FieldsByPath,
    nullable: FieldsByPath,
    not_null: &[&'static str],
    is_seen: &dyn Fn(&str) -> bool,
) -> Vec<Error> {
    let mut absent = Vec::new();
    for (path, names) in required.iter().filter(|(path, _)| is_seen(path)) {
        let nullable = nullable.iter().find(|(other, _)| other == path);
        let may_be_null = |name| nullable.is_some_and(|(_, names)| names.contains(name));
        each_at(document, path, &mut |value, place| {
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
        });
    }
    for path in not_null.iter().filter(|path| is_seen(path)) {
        each_at(document, path, &mut |value, place| {
            if value.is_null() {
                absent.push(is_null(place.iter().cloned().collect()));
            }
        });
    }
    absent
}

/// Adds those that are reported in place of the errors of the same values and of values in them.
/// But `null` as an element is also none of the values of an enumeration.
#[inline]
fn replace(absent: Vec<Error>, is_reported: &dyn Fn(&Error) -> bool, report: &mut Report) {
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
    report.errors.extend(absent.into_iter().filter(is_reported));
}

/// Adds the objects that have less fields than they must, unless that is known: what is read of a
/// document has all required fields.
#[inline]
fn add_too_few(
    document: &Value,
    (path, least): (&'static str, usize),
    is_reported: &dyn Fn(&Error) -> bool,
    report: &mut Report,
) {
    each_at(document, path, &mut |value, place| {
        let Value::Object(object) = value else {
            return;
        };
        let number = object.values().filter(|value| !value.is_null()).count();
        let at: FieldPath = place.iter().cloned().collect();
        let is_known = |error: &Error| error.rule == LEAST && error.path == at;
        if number >= least || report.errors.iter().any(is_known) {
            return;
        }
        let detail = too_few(number, least);
        let error = Error {
            value: Some(number.into()),
            ..of_document(at, ErrorType::Invalid, LEAST, &detail)
        };
        report.errors.extend(Some(error).filter(is_reported));
    });
}

/// The fields of a path, each followed by `[]` for each list or map that it is.
#[inline]
pub(crate) fn steps(path: &'static str) -> Vec<&'static str> {
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
fn each_at(document: &Value, path: &'static str, found: &mut dyn FnMut(&Value, &[Segment])) {
    each_value(document, &steps(path), &mut Vec::new(), found);
}

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

#[inline]
fn is_in_the_way(error: &Error) -> bool {
    use ErrorType::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
    let blocking = [NotSupported, Required, TooLong, TooMany, TypeInvalid];
    blocking.contains(&error.error_type)
}
