//! Checks for the keywords of a schema, and the report that they add to.
//!
//! A valid object allocates nothing: paths are on the stack, and strings, values and messages
//! are made for errors only. Generic and inlined functions are small, because every generated crate
//! has its own copy.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json::Value;
use kubernetes_kinds::quantity::{self, Amount, QuantityError};
use kubernetes_kinds::wire;

#[cfg(feature = "pattern")]
use crate::Pattern;
use crate::{Error, ErrorType, NameFormat, Path, Report, Target, Warning};

/// The detail of an error for a changed value whose rule has no message of its own.
pub const IMMUTABLE: &str = "an update must not change it: keep the stored value, or delete the \
                             object and create it anew";

/// The rule of elements of lists that repeat others.
pub(crate) const UNIQUE: &str = "unique";

/// Removes the space that a server allows around a quantity of a JSON text, in which it reads no
/// escapes.
fn trimmed(value: &Quantity) -> &str {
    let is_space = |c: char| c.is_whitespace() && !c.is_control();
    value.0.trim_matches(is_space)
}

/// Returns true if a quantity is less than a number.
fn is_less(text: &str, minimum: i64) -> Result<bool, QuantityError> {
    if minimum <= 0 && !text.starts_with('-') {
        return quantity::check(text).map(|()| false);
    }
    Ok(Amount::parse(text)? < Amount::from(minimum))
}

/// Returns a value as JSON, for an [`Error`]; `None` if it has no such form.
#[cold]
pub fn to_value<V: Serialize + ?Sized>(value: &V) -> Option<Value> {
    wire::to_value(value).ok()
}

/// Collects the errors and warnings of one object.
#[derive(Debug)]
pub struct Checker<'t> {
    target: &'t Target,
    is_update: bool,
    pub(crate) report: Report,
    /// Errors of custom resources that a server reports on an update even if the value is
    /// unchanged, but not on a write of the status.
    pub(crate) lasting: Vec<crate::Error>,
    /// Errors of custom resources that an update reports for another reason than that the value at
    /// their paths has changed.
    #[cfg(feature = "custom-resources")]
    pub(crate) placed: Vec<Placed>,
}

/// Errors of an object that an update reports if a certain value has changed, which isn't the one
/// at their paths.
#[cfg(feature = "custom-resources")]
#[derive(Debug)]
pub(crate) struct Placed {
    /// The value; without one, an update reports the errors always.
    pub(crate) at: Option<kubernetes_kinds::FieldPath>,
    pub(crate) errors: Vec<Error>,
    /// The rule in CEL and the value that has it, if what is stored may replace its result.
    pub(crate) rule: Option<(&'static str, kubernetes_kinds::FieldPath)>,
}

#[cfg(feature = "custom-resources")]
impl Placed {
    /// Returns errors that depend on the value at a path.
    pub(crate) fn at(at: Path<'_>, errors: Vec<Error>) -> Self {
        Self {
            at: Some(at.exact()),
            errors,
            rule: None,
        }
    }

    /// Returns errors that every update reports.
    pub(crate) const fn always(errors: Vec<Error>) -> Self {
        Self {
            at: None,
            errors,
            rule: None,
        }
    }
}

/// The type of an error and the violated rule.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The type of the error.
    pub error_type: ErrorType,
    /// The stable name of the rule.
    pub rule: &'static str,
}

impl Problem {
    /// Returns a problem of a type and rule.
    #[must_use]
    pub const fn new(error_type: ErrorType, rule: &'static str) -> Self {
        Self { error_type, rule }
    }
}

/// Returns a number without sign as one of 64 bits with a sign, as generated code checks it; no
/// server stores a larger one.
#[must_use]
#[inline]
pub fn whole(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

impl<'t> Checker<'t> {
    /// Returns a checker that applies the rules of the target.
    #[must_use]
    pub const fn new(target: &'t Target) -> Self {
        Self {
            target,
            is_update: false,
            report: Report {
                errors: Vec::new(),
                warnings: Vec::new(),
            },
            lasting: Vec::new(),
            #[cfg(feature = "custom-resources")]
            placed: Vec::new(),
        }
    }

    /// Returns a checker of updates.
    #[must_use]
    pub fn of_update(target: &'t Target) -> Self {
        Self {
            is_update: true,
            ..Self::new(target)
        }
    }

    /// Returns true if an update is checked, rather than a new object.
    #[must_use]
    pub const fn is_update(&self) -> bool {
        self.is_update
    }

    /// Returns the server whose rules apply.
    #[must_use]
    pub const fn target(&self) -> &'t Target {
        self.target
    }

    /// The number of errors so far.
    pub(crate) fn mark(&self) -> usize {
        self.report.errors.len()
    }

    /// Returns the errors and warnings.
    #[must_use]
    #[inline]
    pub fn finish(mut self) -> Report {
        #[cfg(feature = "custom-resources")]
        self.add_placed();
        self.report.errors.append(&mut self.lasting);
        self.report
    }

    /// Adds the errors that depend on other values to the report.
    #[cfg(feature = "custom-resources")]
    #[inline]
    pub(crate) fn add_placed(&mut self) {
        let placed = std::mem::take(&mut self.placed);
        let errors = placed.into_iter().flat_map(|placed| placed.errors);
        self.report.errors.extend(errors);
    }

    /// Adds an error; `value` is the bad value, if it says more than the path.
    #[cold]
    pub fn error(
        &mut self,
        at: Path<'_>,
        problem: Problem,
        value: Option<Value>,
        detail: impl Into<String>,
    ) {
        self.add(at, problem, value, detail.into());
    }

    #[cold]
    pub(crate) fn add(
        &mut self,
        at: Path<'_>,
        problem: Problem,
        value: Option<Value>,
        detail: String,
    ) {
        self.report.errors.push(Error {
            error_type: problem.error_type,
            field: at.reported(),
            path: at.exact(),
            value,
            detail,
            rule: problem.rule,
            accepted: &[],
        });
    }

    /// Adds an error of the type `Invalid`.
    #[cold]
    pub fn invalid<V: Serialize + ?Sized>(
        &mut self,
        at: Path<'_>,
        rule: &'static str,
        value: &V,
        detail: impl Into<String>,
    ) {
        let problem = Problem::new(ErrorType::Invalid, rule);
        self.add(at, problem, to_value(value), detail.into());
    }

    /// Adds an error of the type `Required`.
    #[cold]
    pub fn required(&mut self, at: Path<'_>, rule: &'static str, detail: impl Into<String>) {
        self.add(
            at,
            Problem::new(ErrorType::Required, rule),
            None,
            detail.into(),
        );
    }

    /// Adds an error of the type `Forbidden`.
    #[cold]
    pub fn forbidden(&mut self, at: Path<'_>, rule: &'static str, detail: impl Into<String>) {
        self.add(
            at,
            Problem::new(ErrorType::Forbidden, rule),
            None,
            detail.into(),
        );
    }

    /// Adds an error of the type `Duplicate`: an element before this one has the same key.
    #[cold]
    pub fn duplicate<V: Serialize + ?Sized>(&mut self, at: Path<'_>, value: &V) {
        let problem = Problem::new(ErrorType::Duplicate, UNIQUE);
        let detail = "another before it has the same";
        self.add(at, problem, to_value(value), detail.to_owned());
    }

    /// Adds a warning.
    #[cold]
    pub fn warn(&mut self, at: Path<'_>, message: impl Into<String>) {
        self.report.warnings.push(Warning {
            field: at.reported(),
            path: at.exact(),
            message: message.into(),
        });
    }

    /// Checks that a value is set, as it must be once defaults are set.
    #[inline]
    pub fn is_set(&mut self, at: Path<'_>, is_set: bool) {
        if !is_set {
            self.required(
                at,
                "set",
                "the server sets it by default: set the defaults first",
            );
        }
    }

    /// Checks that a text is not empty; returns true if it isn't.
    #[inline]
    pub fn min_length(&mut self, at: Path<'_>, value: &str) -> bool {
        if value.is_empty() {
            self.required(at, "minLength", "it must not be empty");
        }
        !value.is_empty()
    }

    /// Checks that a text has at most `max` bytes.
    #[inline]
    pub fn max_length(&mut self, at: Path<'_>, value: &str, max: usize, error_type: ErrorType) {
        if value.len() > max {
            let problem = Problem::new(error_type, "maxLength");
            self.over(at, problem, value.len(), "bytes", max);
        }
    }

    /// Checks that a text has that format.
    #[inline]
    pub fn format(&mut self, at: Path<'_>, value: &str, format: NameFormat) {
        if !format.matches(value) {
            let message = format!("it must be {}", format.description());
            self.invalid(at, "format", value, message);
        }
    }

    /// Checks that a text has that format when its letters are in lower case.
    #[inline]
    pub fn format_lowered(&mut self, at: Path<'_>, value: &str, format: NameFormat) {
        if !format.matches_lowered(value) {
            let message = format!(
                "in lower case, which it is compared in, it must be {}",
                format.description()
            );
            self.invalid(at, "format", value, message);
        }
    }

    /// Checks that a text matches a regular expression.
    #[cfg(feature = "pattern")]
    pub fn pattern(&mut self, at: Path<'_>, value: &str, pattern: &Pattern) {
        if !pattern.matches(value) && !self.has_wrong_length(at) {
            let message = format!("it must match `{}`", pattern.as_str());
            self.invalid(at, "pattern", value, message);
        }
    }

    /// Returns true if the length of the text at a path was reported just before: a server reports
    /// one of length and pattern.
    #[cfg(feature = "pattern")]
    fn has_wrong_length(&self, at: Path<'_>) -> bool {
        let last = self.report.errors.last();
        last.is_some_and(|error| {
            ["minLength", "maxLength"].contains(&error.rule) && error.path == at.exact()
        })
    }

    /// Checks that a number is at least `minimum`.
    #[inline]
    pub fn minimum(&mut self, at: Path<'_>, value: impl Into<i64>, minimum: i64) {
        let value = value.into();
        if value < minimum {
            self.invalid(
                at,
                "minimum",
                &value,
                format!("it must be {minimum} or more"),
            );
        }
    }

    /// Checks that a number is at most `maximum`.
    #[inline]
    pub fn maximum(&mut self, at: Path<'_>, value: impl Into<i64>, maximum: i64) {
        let value = value.into();
        if value > maximum {
            self.invalid(
                at,
                "maximum",
                &value,
                format!("it must be {maximum} or less"),
            );
        }
    }

    /// Checks that a quantity can be parsed and is at least `minimum`.
    pub fn minimum_quantity(&mut self, at: Path<'_>, value: &Quantity, minimum: i64) {
        match is_less(trimmed(value), minimum) {
            Ok(false) => {}
            Ok(true) => {
                let message = format!("it must be {minimum} or more");
                self.invalid(at, "minimum", &value.0, message);
            }
            Err(error) => self.invalid(at, "quantity", &value.0, error.to_string()),
        }
    }

    /// Checks that a quantity can be parsed. Otherwise a server rejects the whole object before
    /// validation.
    pub fn quantity(&mut self, at: Path<'_>, value: &Quantity) {
        if let Err(error) = quantity::check(trimmed(value)) {
            self.invalid(at, "quantity", &value.0, error.to_string());
        }
    }

    /// Checks that a list or map has entries.
    #[inline]
    pub fn not_empty(&mut self, at: Path<'_>, entries: usize, rule: &'static str) {
        if entries == 0 {
            self.required(at, rule, "at least one entry is needed");
        }
    }

    /// Checks that a list or map has at most `max` entries; returns true if it has.
    #[inline]
    pub fn max_entries(
        &mut self,
        at: Path<'_>,
        entries: usize,
        max: usize,
        problem: Problem,
    ) -> bool {
        if entries > max {
            self.over(at, problem, entries, "entries", max);
        }
        entries <= max
    }

    /// Checks that no key of a map is empty.
    #[inline]
    pub fn keys_not_empty(&mut self, at: Path<'_>, map: &BTreeMap<String, String>) {
        if map.contains_key("") {
            // The server reports the map.
            let at = at.key("").reported_above(1);
            self.invalid(at, "propertyNames", "", "a key must not be empty");
        }
    }

    /// Checks that the keys and values of a map have at most `max` bytes in all.
    #[inline]
    pub fn max_total_length(&mut self, at: Path<'_>, map: &BTreeMap<String, String>, max: usize) {
        let total: usize = map.iter().map(|(key, value)| key.len() + value.len()).sum();
        if total > max {
            let problem = Problem::new(ErrorType::TooLong, "maxTotalLength");
            self.over(at, problem, total, "bytes of keys and values", max);
        }
    }

    /// Checks that a value is only set if the list `other` has elements.
    #[inline]
    pub fn depends(
        &mut self,
        at: Path<'_>,
        value: Option<&impl Serialize>,
        other: &str,
        has_other: bool,
    ) {
        if value.is_some() && !has_other {
            self.depends_on(at, value.and_then(to_value), other);
        }
    }

    /// Checks that exactly one of the fields is set; returns true if it is.
    #[inline]
    pub fn exactly_one(&mut self, at: Path<'_>, fields: &[(&str, bool)]) -> bool {
        let set = fields.iter().filter(|(_, is_set)| *is_set).count();
        if set != 1 {
            self.not_one(at, fields, set);
        }
        set == 1
    }

    /// Checks that an update doesn't change a value.
    #[inline]
    pub fn immutable<V: Serialize + ?Sized>(
        &mut self,
        at: Path<'_>,
        is_same: bool,
        error_type: ErrorType,
        value: &V,
        message: &str,
    ) {
        if !is_same {
            let problem = Problem::new(error_type, "immutable");
            self.add(at, problem, to_value(value), message.to_owned());
        }
    }

    #[cold]
    fn over(&mut self, at: Path<'_>, problem: Problem, count: usize, of: &str, max: usize) {
        let detail = format!("{count} {of}; at most {max} are allowed");
        self.add(at, problem, None, detail);
    }

    #[cold]
    fn depends_on(&mut self, at: Path<'_>, value: Option<Value>, other: &str) {
        let problem = Problem::new(ErrorType::Invalid, "dependentRequired");
        let detail = format!("it may only be set, to any value, if `{other}` is not empty");
        self.add(at, problem, value, detail);
    }

    #[cold]
    fn not_one(&mut self, at: Path<'_>, fields: &[(&str, bool)], set: usize) {
        let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
        let detail = format!("exactly one of {names:?} must be set; {set} are");
        match set {
            0 => self.required(at, "oneOf", detail),
            _ => self.forbidden(at, "oneOf", detail),
        }
    }
}

/// The detail of too few entries.
#[cfg(feature = "custom-resources")]
#[inline]
pub(crate) fn too_few(entries: usize, min: usize) -> String {
    format!("{entries} entries; at least {min} are needed")
}
