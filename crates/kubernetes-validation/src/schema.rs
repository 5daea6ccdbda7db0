//! Checks of custom resources for the keywords of JSON Schema.
//!
//! Lengths are in characters here. The rules of Kubernetes' own kinds are written in Go, where they
//! are in bytes.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
#[cfg(feature = "pattern")]
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json::Value;

use crate::checker::{to_value, too_few};
use crate::custom::NOWHERE;
use crate::{Checker, Error, ErrorType, Path, Problem};

impl Checker<'_> {
    /// Checks that a text has no fewer characters: `minLength`.
    #[inline]
    pub fn min_characters(&mut self, at: Path<'_>, value: &str, min: usize) {
        let count = value.chars().count();
        if count < min {
            let detail = format!("{count} characters; at least {min} are needed");
            self.invalid(at, "minLength", value, detail);
        }
    }

    /// Checks that a text has no more characters: `maxLength`.
    #[inline]
    pub fn max_characters(&mut self, at: Path<'_>, value: &str, max: usize) {
        let count = value.chars().count();
        if count > max {
            let problem = Problem::new(ErrorType::TooLong, "maxLength");
            let detail = format!("{count} characters; at most {max} are allowed");
            self.error(at, problem, None, detail);
        }
    }

    /// Checks that bytes have no fewer characters in base64: `minLength`.
    #[inline]
    pub fn min_encoded(&mut self, at: Path<'_>, value: &ByteString, min: usize) {
        let count = encoded(value);
        if count < min {
            let detail = format!("{count} characters in base64; at least {min} are needed");
            self.invalid(at, "minLength", value, detail);
        }
    }

    /// Checks that bytes have no more characters in base64: `maxLength`.
    #[inline]
    pub fn max_encoded(&mut self, at: Path<'_>, value: &ByteString, max: usize) {
        let count = encoded(value);
        if count > max {
            let problem = Problem::new(ErrorType::TooLong, "maxLength");
            let detail = format!("{count} characters in base64; at most {max} are allowed");
            self.error(at, problem, None, detail);
        }
    }

    /// Checks that a list or map has no fewer entries: `minItems`, `minProperties`.
    #[inline]
    pub fn min_entries(&mut self, at: Path<'_>, entries: usize, min: usize, rule: &'static str) {
        if entries < min {
            self.invalid(at, rule, &entries, too_few(entries, min));
        }
    }

    /// Checks that a map has entries with these keys: `required`.
    #[inline]
    pub fn required_keys<V>(
        &mut self,
        at: Path<'_>,
        map: &BTreeMap<String, V>,
        keys: &[&'static str],
    ) {
        for key in keys.iter().filter(|key| !map.contains_key(**key)) {
            self.required(at.field(key), "required", "the schema asks for it");
        }
    }

    /// Checks that a number is greater than a limit: `minimum` with `exclusiveMinimum`.
    #[inline]
    pub fn above<T: PartialOrd + Serialize>(&mut self, at: Path<'_>, value: T, limit: T) {
        self.holds(
            at,
            "minimum",
            value > limit,
            &value,
            "must be greater than",
            &limit,
        );
    }

    /// Checks that a number is less than a limit: `maximum` with `exclusiveMaximum`.
    #[inline]
    pub fn below<T: PartialOrd + Serialize>(&mut self, at: Path<'_>, value: T, limit: T) {
        self.holds(
            at,
            "maximum",
            value < limit,
            &value,
            "must be less than",
            &limit,
        );
    }

    /// Checks that a number with a fraction isn't less than a limit: `minimum`.
    #[inline]
    pub fn minimum_fraction(&mut self, at: Path<'_>, value: impl Into<f64>, limit: f64) {
        let value = value.into();
        self.holds(
            at,
            "minimum",
            value >= limit,
            &value,
            "must be at least",
            &limit,
        );
    }

    /// Checks that a number with a fraction isn't greater than a limit: `maximum`.
    #[inline]
    pub fn maximum_fraction(&mut self, at: Path<'_>, value: impl Into<f64>, limit: f64) {
        let value = value.into();
        self.holds(
            at,
            "maximum",
            value <= limit,
            &value,
            "must be at most",
            &limit,
        );
    }

    /// Checks that a whole number is a multiple of another: `multipleOf`.
    #[inline]
    pub fn multiple_of(&mut self, at: Path<'_>, value: impl Into<i64>, of: i64) {
        let value = value.into();
        let is_multiple = value.checked_rem(of).is_none_or(|rest| rest == 0);
        self.holds(
            at,
            "multipleOf",
            is_multiple,
            &value,
            "must be a multiple of",
            &of,
        );
    }

    /// Checks that a number with a fraction is a multiple of another: `multipleOf`. As in a server,
    /// a quotient within 10⁻⁹ of a whole number counts as whole.
    #[inline]
    pub fn multiple_of_fraction(&mut self, at: Path<'_>, value: impl Into<f64>, of: f64) {
        let value = value.into();
        let quotient = value / of;
        let is_multiple = (quotient - quotient.round()).abs() < 1e-9;
        self.holds(
            at,
            "multipleOf",
            is_multiple,
            &value,
            "must be a multiple of",
            &of,
        );
    }

    /// Checks that a number is one of those that an enumeration has: `enum`.
    #[inline]
    pub fn known_number<T: PartialEq + Serialize>(&mut self, at: Path<'_>, value: T, known: &[T]) {
        if !known.contains(&value) {
            let problem = Problem::new(ErrorType::NotSupported, "enum");
            let known = to_value(known).unwrap_or_default();
            self.error(
                at,
                problem,
                to_value(&value),
                format!("must be one of {known}"),
            );
        }
    }

    /// Checks that at least one of some groups of fields is set, or exactly one if `only_one`:
    /// `anyOf` and `oneOf` of `required`. An entry without a name is another condition. Returns
    /// true if the check succeeds.
    #[inline]
    pub fn set_together(
        &mut self,
        at: Path<'_>,
        rule: &'static str,
        only_one: bool,
        groups: &[&[(&'static str, bool)]],
    ) -> bool {
        let holds = |group: &&&[(&str, bool)]| group.iter().all(|(_, holds)| *holds);
        let set = groups.iter().filter(holds).count();
        let fits = if only_one { set == 1 } else { set > 0 };
        if !fits {
            let detail = if only_one {
                format!("exactly one of the schemas must hold; {set} do")
            } else {
                "at least one of the schemas must hold".to_owned()
            };
            self.of_schemas(at, rule, detail);
        }
        // A server also reports the fields that the first group lacks.
        if let (0, Some(first)) = (set, groups.first()) {
            self.all_set(at, first);
        }
        fits
    }

    /// Checks that all of some fields are set: `required` in `allOf`. Returns true if they are.
    #[inline]
    pub fn all_set(&mut self, at: Path<'_>, fields: &[(&'static str, bool)]) -> bool {
        for (field, _) in fields.iter().filter(|(_, is_set)| !is_set) {
            match *field {
                "" => self.of_schemas(at, "not", "others must not be set".to_owned()),
                field => self.missing(at.field(field)),
            }
        }
        fields.iter().all(|(_, is_set)| *is_set)
    }

    /// Checks that not all of some fields are set: `not` with `required`. Returns true if they
    /// are not.
    #[inline]
    pub fn not_set_together(&mut self, at: Path<'_>, are_set: bool, fields: &[&str]) -> bool {
        if are_set {
            let detail = format!("{fields:?} must not be set, or not together");
            self.of_schemas(at, "not", detail);
        }
        !are_set
    }

    /// Checks that all schemas of an `allOf` hold.
    #[inline]
    pub fn all_of(&mut self, at: Path<'_>, holds: &[bool]) {
        if holds.contains(&false) {
            let none = if holds.contains(&true) {
                ""
            } else {
                "; none does"
            };
            self.of_schemas(at, "allOf", format!("all of the schemas must hold{none}"));
        }
    }

    /// Adds an error of an object that violates a combination of schemas. A server reports once
    /// what it says in the same words.
    #[cold]
    fn of_schemas(&mut self, at: Path<'_>, rule: &'static str, detail: String) {
        let path = at.exact();
        let mut errors = self.report.errors.iter();
        let is_same = |error: &Error| error.detail == detail || rule == "not";
        if !errors.any(|error| error.rule == rule && error.path == path && is_same(error)) {
            let problem = Problem::new(ErrorType::Invalid, rule);
            self.error(at.reported_at(NOWHERE), problem, None, detail);
        }
    }

    #[cold]
    fn missing(&mut self, at: Path<'_>) {
        let path = at.exact();
        let mut errors = self.report.errors.iter();
        if !errors.any(|e| e.error_type == ErrorType::Required && e.path == path) {
            self.required(at, "required", "the schema asks for it");
        }
    }

    fn holds<T: Serialize>(
        &mut self,
        at: Path<'_>,
        rule: &'static str,
        holds: bool,
        value: &T,
        must: &str,
        limit: &T,
    ) {
        if !holds {
            let limit = to_value(limit).unwrap_or_default();
            self.invalid(at, rule, value, format!("{must} {limit}"));
        }
    }
}

/// The largest whole number that a server takes for one where it is written with a fraction.
const LARGEST: f64 = 9_007_199_254_740_991.0;

/// Returns true if a whole number has 32 bits.
#[inline]
pub(crate) fn is_short(number: f64) -> bool {
    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number)
}

/// Returns true if a value is of a type of JSON Schema; `int32` is a whole number.
#[inline]
pub(crate) fn has_type(value: &Value, ty: &str) -> bool {
    match (ty, value) {
        ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer" | "int32", Value::Number(number)) => {
            let is_whole = |number: f64| number.fract() == 0.0 && number.abs() <= LARGEST;
            number.is_i64() || number.as_f64().is_some_and(is_whole)
        }
        _ => false,
    }
}

/// The length of bytes in base64.
#[inline]
fn encoded(value: &ByteString) -> usize {
    value.0.len().div_ceil(3) * 4
}

#[cfg(feature = "pattern")]
impl Checker<'_> {
    /// Checks that a quantity, as it is written, has a match somewhere: `pattern`.
    #[inline]
    pub fn pattern_of_quantity(
        &mut self,
        at: Path<'_>,
        value: &Quantity,
        pattern: &crate::Pattern,
    ) {
        self.pattern(at, &value.0, pattern);
    }
}
