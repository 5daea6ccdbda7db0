//! The checks that keywords of a schema ask for, and what collects their faults.
//!
//! Nothing is built as long as nothing is wrong: a place is a few words on the stack, and paths,
//! values and messages are made when a fault is.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json::{self, Value};
use kubernetes_kinds::quantity::Amount;

use crate::{Fault, FaultKind, NameFormat, Path, Pattern, Report, Target, Warning};

/// What is said of a changed value where the rule has no message of its own.
pub const IMMUTABLE: &str = "an update must not change it: keep the stored value, or delete the \
                             object and create it anew";

/// Up to so many elements are compared one by one; more go through a table.
const FEW: usize = 32;

/// Takes the faults and warnings of one object.
#[derive(Debug)]
pub struct Checker<'t> {
    target: &'t Target,
    report: Report,
}

/// What is wrong at a place, before it is a [`Fault`].
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The name of the rule.
    pub rule: &'static str,
}

impl Problem {
    /// A problem of that kind, by that rule.
    #[must_use]
    pub const fn new(kind: FaultKind, rule: &'static str) -> Self {
        Self { kind, rule }
    }
}

impl<'t> Checker<'t> {
    /// A checker that judges as the target does.
    #[must_use]
    pub const fn new(target: &'t Target) -> Self {
        Self {
            target,
            report: Report {
                faults: Vec::new(),
                warnings: Vec::new(),
            },
        }
    }

    /// For which server is judged.
    #[must_use]
    pub const fn target(&self) -> &'t Target {
        self.target
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Report {
        self.report
    }

    /// Notes a fault; `value` is what is at fault, if it tells something.
    #[cold]
    pub fn fault<V: Serialize + ?Sized>(
        &mut self,
        at: Path<'_>,
        problem: Problem,
        value: Option<&V>,
        message: impl Into<String>,
    ) {
        self.report.faults.push(Fault {
            kind: problem.kind,
            field: at.on_server(),
            path: at.exact(),
            value: value.and_then(|value| serde_json::to_value(value).ok()),
            message: message.into(),
            rule: problem.rule,
        });
    }

    /// Notes a fault of the kind `Invalid`.
    #[cold]
    pub fn invalid<V: Serialize + ?Sized>(
        &mut self,
        at: Path<'_>,
        rule: &'static str,
        value: &V,
        message: impl Into<String>,
    ) {
        self.fault(at, Problem::new(FaultKind::Invalid, rule), Some(value), message);
    }

    /// Notes that something is missing.
    #[cold]
    pub fn missing(
        &mut self,
        at: Path<'_>,
        rule: &'static str,
        message: impl Into<String>,
    ) {
        self.fault(at, Problem::new(FaultKind::Required, rule), None::<&Value>, message);
    }

    /// Notes that something may not be there.
    #[cold]
    pub fn forbidden(
        &mut self,
        at: Path<'_>,
        rule: &'static str,
        message: impl Into<String>,
    ) {
        self.fault(
            at,
            Problem::new(FaultKind::Forbidden, rule),
            None::<&Value>,
            message,
        );
    }

    /// Notes a warning.
    #[cold]
    pub fn warn(&mut self, at: Path<'_>, message: impl Into<String>) {
        self.report.warnings.push(Warning {
            path: at.exact(),
            message: message.into(),
        });
    }

    /// A value that must be there once defaults are set.
    #[inline]
    pub fn is_set(&mut self, at: Path<'_>, is_set: bool) {
        if !is_set {
            self.missing(
                at,
                "set",
                "the server sets it by default: set the defaults first",
            );
        }
    }

    /// A text that must not be empty; tells whether it isn't.
    #[inline]
    pub fn min_length(&mut self, at: Path<'_>, value: &str) -> bool {
        if value.is_empty() {
            self.missing(at, "minLength", "it must not be empty");
        }
        !value.is_empty()
    }

    /// A text of at most so many bytes.
    #[inline]
    pub fn max_length(
        &mut self,
        at: Path<'_>,
        value: &str,
        max: usize,
        kind: FaultKind,
    ) {
        if value.len() > max {
            let problem = Problem::new(kind, "maxLength");
            let message = format!("{} bytes; at most {max} are allowed", value.len());
            self.fault(at, problem, None::<&Value>, message);
        }
    }

    /// A text of that form.
    #[inline]
    pub fn format(&mut self, at: Path<'_>, value: &str, format: NameFormat) {
        if !format.matches(value) {
            let message = format!("it must be {}", format.description());
            self.invalid(at, "format", value, message);
        }
    }

    /// A text of that form, whatever the case of its letters.
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

    /// A text that matches a regular expression.
    pub fn pattern(&mut self, at: Path<'_>, value: &str, pattern: &Pattern) {
        if !pattern.matches(value) {
            let message = format!("it must match `{}`", pattern.as_str());
            self.invalid(at, "pattern", value, message);
        }
    }

    /// A number that must not be less.
    #[inline]
    pub fn minimum(&mut self, at: Path<'_>, value: impl Into<i64>, minimum: i64) {
        let value = value.into();
        if value < minimum {
            self.invalid(at, "minimum", &value, format!("it must be {minimum} or more"));
        }
    }

    /// A number that must not be more.
    #[inline]
    pub fn maximum(&mut self, at: Path<'_>, value: impl Into<i64>, maximum: i64) {
        let value = value.into();
        if value > maximum {
            self.invalid(at, "maximum", &value, format!("it must be {maximum} or less"));
        }
    }

    /// A quantity that must not be less; one that can't be read is at fault too.
    pub fn minimum_quantity(&mut self, at: Path<'_>, value: &Quantity, minimum: i64) {
        match Amount::parse(&value.0) {
            Ok(amount) if amount < Amount::from(minimum) => {
                let message = format!("it must be {minimum} or more");
                self.invalid(at, "minimum", &value.0, message);
            }
            Ok(_) => {}
            Err(error) => self.invalid(at, "quantity", &value.0, error.to_string()),
        }
    }

    /// A value of an enumeration, of which these are known.
    #[inline]
    pub fn known(&mut self, at: Path<'_>, value: &str, known: &[&str]) {
        if !known.contains(&value) {
            let known: Vec<_> = known.iter().filter(|known| !known.is_empty()).collect();
            let problem = Problem::new(FaultKind::NotSupported, "enum");
            self.fault(at, problem, Some(value), format!("it must be one of {known:?}"));
        }
    }

    /// A value of which these are accepted; the message says why others aren't.
    #[inline]
    pub fn accepted(
        &mut self,
        at: Path<'_>,
        value: &str,
        accepted: &[&str],
        message: &str,
    ) {
        if !accepted.contains(&value) {
            let problem = Problem::new(FaultKind::NotSupported, "enum");
            self.fault(at, problem, Some(value), message);
        }
    }

    /// A list or map that must have entries.
    #[inline]
    pub fn not_empty(&mut self, at: Path<'_>, entries: usize, rule: &'static str) {
        if entries == 0 {
            self.missing(at, rule, "at least one entry is needed");
        }
    }

    /// A list or map of at most so many entries; tells whether it is.
    #[inline]
    pub fn max_entries(
        &mut self,
        at: Path<'_>,
        entries: usize,
        max: usize,
        problem: Problem,
    ) -> bool {
        if entries > max {
            let message = format!("{entries} entries; at most {max} are allowed");
            self.fault(at, problem, None::<&Value>, message);
        }
        entries <= max
    }

    /// A map whose keys must not be empty.
    #[inline]
    pub fn keys_not_empty(&mut self, at: Path<'_>, map: &BTreeMap<String, String>) {
        if map.contains_key("") {
            // The map stands one step above its entry.
            let at = at.key("").above(1);
            self.invalid(at, "propertyNames", "", "a key must not be empty");
        }
    }

    /// A map whose keys and values have at most so many bytes in all.
    #[inline]
    pub fn max_total_length(
        &mut self,
        at: Path<'_>,
        map: &BTreeMap<String, String>,
        max: usize,
    ) {
        let total: usize = map.iter().map(|(key, value)| key.len() + value.len()).sum();
        if total > max {
            let problem = Problem::new(FaultKind::TooLong, "maxTotalLength");
            let message =
                format!("{total} bytes of keys and values; at most {max} are allowed");
            self.fault(at, problem, None::<&Value>, message);
        }
    }

    /// A value that must be there because another is.
    #[inline]
    pub fn depends(
        &mut self,
        at: Path<'_>,
        value: Option<&impl Serialize>,
        other: &str,
        has_other: bool,
    ) {
        if value.is_some() && !has_other {
            let problem = Problem::new(FaultKind::Invalid, "dependentRequired");
            let message =
                format!("it may only be set, to any value, if `{other}` is not empty");
            self.fault(at, problem, value, message);
        }
    }

    /// Fields of which exactly one must be set; tells whether that is so.
    #[inline]
    pub fn exactly_one(&mut self, at: Path<'_>, fields: &[(&str, bool)]) -> bool {
        let set = fields.iter().filter(|(_, is_set)| *is_set).count();
        if set != 1 {
            let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
            let message = format!("exactly one of {names:?} must be set; {set} are");
            match set {
                0 => self.missing(at, "oneOf", message),
                _ => self.forbidden(at, "oneOf", message),
            }
        }
        set == 1
    }

    /// A value that an update must not change.
    #[inline]
    pub fn immutable<V: Serialize + ?Sized>(
        &mut self,
        at: Path<'_>,
        is_same: bool,
        kind: FaultKind,
        value: &V,
        message: &str,
    ) {
        if !is_same {
            self.fault(at, Problem::new(kind, "immutable"), Some(value), message);
        }
    }

    /// Notes that an element has the same key as one before it.
    #[cold]
    pub fn duplicate<V: Serialize + ?Sized>(&mut self, at: Path<'_>, value: &V) {
        let problem = Problem::new(FaultKind::Duplicate, "unique");
        self.fault(at, problem, Some(value), "another before it has the same");
    }
}

/// Tells of the elements of a list whether one before them has the same key.
#[derive(Debug)]
pub struct Repeats<I, K> {
    /// For each element of a long list; a short one is looked through.
    repeats: Option<Vec<bool>>,
    keys: I,
    seen: usize,
    key: PhantomData<K>,
}

impl<K: Eq + Hash, I: ExactSizeIterator<Item = K> + Clone> Repeats<I, K> {
    /// Looks at the keys of a list, in its order.
    #[inline]
    pub fn of(keys: I) -> Self {
        let repeats = (keys.len() > FEW).then(|| {
            let mut seen = HashSet::with_capacity(keys.len());
            keys.clone().map(|key| !seen.insert(key)).collect()
        });
        Self {
            repeats,
            keys,
            seen: 0,
            key: PhantomData,
        }
    }

    /// Whether the next element, which has this key, repeats one before it.
    #[inline]
    pub fn next(&mut self, key: K) -> bool {
        let at = self.seen;
        self.seen += 1;
        match &self.repeats {
            Some(repeats) => repeats.get(at).copied().unwrap_or_default(),
            None => at > 0 && self.keys.clone().take(at).any(|before| before == key),
        }
    }
}
