//! Ratcheting: an update of a custom resource isn't refused for values that it leaves unchanged.
//!
//! All functions are inlined, as generic code is, so that only programs that validate contain them.

use k8s_openapi::serde_json::{Map, Value};
use kubernetes_kinds::Release;

use crate::checker::{Placed, UNIQUE, to_value};
use crate::custom::{RULE, add_absent, steps};
use crate::{
    Checker, Error, ErrorType, Feature, FieldPath, FieldsByPath, Path, Report, Segment, Strategy,
    Target, Warning,
};

/// The feature by which an update doesn't check unchanged values again.
pub(crate) const RATCHETING: Feature = Feature {
    gate: "CRDValidationRatcheting",
    introduced: Release::new(1, 28),
    beta: Some(Release::new(1, 30)),
    on: None,
    stable: Some(Release::new(1, 33)),
};

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
    if !K::IS_CUSTOM || to.mark() == from && to.placed.is_empty() {
        return;
    }
    let since = to.report.errors.split_off(from);
    let (repeated, since): (Vec<_>, _) = since.into_iter().partition(|e| e.rule == UNIQUE);
    // A server compares all lists with those of the stored object.
    if !repeated.is_empty() && !has_repeated(stored, to.target()) {
        to.report.errors.extend(repeated);
    }
    let since = since.into_iter().map(|error| Placed {
        at: Some(error.path.clone()),
        errors: vec![error],
        rule: None,
    });
    let placed = std::mem::take(&mut to.placed).into_iter();
    // What is stored may still replace results of rules.
    let (of_rules, placed): (Vec<_>, Vec<_>) = placed.partition(|placed| placed.rule.is_some());
    to.placed = of_rules;
    let all = since.chain(placed).collect();
    keep_changed::<K>(all, (to_value(object), to_value(stored)), of_status, to);
}

/// Adds the required fields that the document of an update lacks, except of objects that the stored
/// document has as they are.
pub(crate) fn report_absent_in_update<K: Strategy>(
    document: &Value,
    stored: &Value,
    target: &Target,
    report: &mut Report,
) {
    let places = Places::new(K::CORRELATED_LISTS, K::OPEN);
    let is_reported = |error: &Error| {
        !target.has(&RATCHETING) || !is_of_unchanged(error, &places, document, stored)
    };
    add_absent::<K>(document, false, &is_reported, report);
}

/// Returns true if an error is about what an object lacks that is the stored one.
#[inline]
fn is_of_unchanged(error: &Error, places: &Places, document: &Value, stored: &Value) -> bool {
    let mut segments = error.path.segments();
    if error.error_type == ErrorType::Required {
        segments = segments.split_last().map_or(segments, |(_, object)| object);
    }
    let at: FieldPath = segments.iter().cloned().collect();
    places.is_unchanged(&at, document, stored)
}

/// Returns true if an element of a list repeats another in a stored object.
fn has_repeated<K: Strategy>(stored: &K, target: &Target) -> bool {
    let mut checker = Checker::of_update(target);
    stored.check(&Path::ROOT, &mut checker);
    stored.check_status(&Path::ROOT, &mut checker);
    let mut errors = checker.report.errors.iter();
    errors.any(|error| error.rule == UNIQUE)
}

fn keep_changed<K: Strategy>(
    all: Vec<Placed>,
    (new, old): (Option<Value>, Option<Value>),
    of_status: bool,
    to: &mut Checker<'_>,
) {
    let target = to.target();
    let is_ratcheted = match of_status {
        true => target.release() >= RATCHETING_OF_STATUS,
        false => target.has(&RATCHETING),
    };
    let places = Places::new(K::CORRELATED_LISTS, K::OPEN);
    let status = Segment::Field("status".into());
    for Placed { at, errors, .. } in all {
        let unchanged = match (&at, &new, &old) {
            (Some(at), Some(new), Some(old)) if is_ratcheted => places.is_unchanged(at, new, old),
            _ => false,
        };
        for error in errors {
            // Outside of a status that is written, a server evaluates only CEL rules.
            let is_of_status = || error.path.segments().first() == Some(&status);
            if of_status && error.rule != RULE && !is_of_status() {
                continue;
            }
            if !unchanged {
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

/// The rows of the constants of a kind about places in its objects.
struct Places(Vec<Row>);

struct Row {
    steps: Vec<&'static str>,
    names: &'static [&'static str],
    is_list: bool,
}

/// A place: the rows about it and about what is in it, with the steps from there.
struct Place<'r>(Vec<(&'r [&'static str], &'r Row)>);

impl Places {
    #[inline]
    fn new(lists: FieldsByPath, open: FieldsByPath) -> Self {
        let lists = lists.iter().map(|row| (row, true));
        let rows = lists.chain(open.iter().map(|row| (row, false)));
        let rows = rows.map(|((path, names), is_list)| Row {
            steps: steps(path),
            names,
            is_list,
        });
        Self(rows.collect())
    }

    /// Returns true if the value at a path, or one that contains it, is the stored one.
    ///
    /// The object as a whole never is: a server doesn't find its metadata in the schema.
    #[inline]
    fn is_unchanged(&self, path: &FieldPath, new: &Value, old: &Value) -> bool {
        let rows = self.0.iter().map(|row| (row.steps.as_slice(), row));
        let (mut place, mut new, mut old) = (Place(rows.collect()), new, old);
        for segment in path.segments() {
            let found = match segment {
                Segment::Field(name) => place.member(name, new, old),
                Segment::Key(key) => place.member(key, new, old),
                Segment::Index(index) => new
                    .get(*index)
                    .and_then(|new| Some((new, place.counterpart(new, old)?))),
            };
            let Some(found) = found else {
                return false;
            };
            place = match segment {
                Segment::Field(name) => place.inside(name),
                Segment::Key(key) => place.inside(key),
                Segment::Index(_) => place.inside(ELEMENT),
            };
            (new, old) = found;
            if place.is_same(new, old) {
                return true;
            }
        }
        false
    }
}

/// The step to any element of a list or value of a map.
const ELEMENT: &str = "[]";

impl<'r> Place<'r> {
    /// Returns the place of an element or a field.
    #[inline]
    fn inside(&self, name: &str) -> Self {
        let rows = self.0.iter().filter_map(|(steps, row)| {
            let (step, rest) = steps.split_first()?;
            [ELEMENT, name].contains(step).then_some((rest, *row))
        });
        Self(rows.collect())
    }

    #[inline]
    fn names(&self, of_list: bool) -> Option<&'static [&'static str]> {
        let mut rows = self.0.iter();
        let row = rows.find(|(steps, row)| steps.is_empty() && row.is_list == of_list)?;
        Some(row.1.names)
    }

    /// Returns a member of two objects. To a server, a field that the schema doesn't have has no
    /// stored counterpart.
    #[inline]
    fn member<'v>(
        &self,
        name: &str,
        new: &'v Value,
        old: &'v Value,
    ) -> Option<(&'v Value, &'v Value)> {
        let known = self.names(false);
        match known.is_none_or(|known| known.contains(&name)) {
            true => new.get(name).zip(old.get(name)),
            false => None,
        }
    }

    /// Returns the first element of a stored list that has the same keys. All of them must be
    /// there; elements without keys have no counterparts.
    #[inline]
    fn counterpart<'v>(&self, element: &Value, list: &'v Value) -> Option<&'v Value> {
        let keys = self.names(true)?;
        let key_of = |element: &Value, key: &str| {
            let key = element.get(key);
            key.is_some_and(|key| !key.is_null() && !key.is_object() && !key.is_array())
        };
        if !keys.iter().all(|key| key_of(element, key)) {
            return None;
        }
        let is_it = |other: &&Value| keys.iter().all(|key| other.get(key) == element.get(key));
        list.as_array()?.iter().find(is_it)
    }

    /// Returns true if a server takes two values for the same.
    #[inline]
    fn is_same(&self, new: &Value, old: &Value) -> bool {
        match (new, old) {
            (Value::Array(list), Value::Array(stored)) if self.names(true).is_some() => {
                let inside = self.inside(ELEMENT);
                let is_same = |element| {
                    let counterpart = self.counterpart(element, old);
                    counterpart.is_some_and(|stored| inside.is_same(element, stored))
                };
                list.len() == stored.len() && list.iter().all(is_same)
            }
            (Value::Object(object), Value::Object(stored)) => self.are_same(object, stored),
            // Elements without keys are compared without looking at the schema.
            _ => new == old,
        }
    }

    #[inline]
    fn are_same(&self, new: &Map<String, Value>, old: &Map<String, Value>) -> bool {
        let known = self.names(false);
        let is_same = |(name, value): (&String, &Value)| {
            known.is_none_or(|known| known.contains(&name.as_str()))
                && old
                    .get(name)
                    .is_some_and(|stored| self.inside(name).is_same(value, stored))
        };
        new.len() == old.len() && new.iter().all(is_same)
    }
}
