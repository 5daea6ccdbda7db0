//! Rules in CEL, as a server of custom resources evaluates them.

use crate::custom::{NOWHERE, RATCHETING, RULE};
use crate::report::Broken;
use crate::{Checker, Error, ErrorType, Path, Problem, cel};

/// A rule of a schema, `x-kubernetes-validations`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The expression in the schema.
    pub cel: &'static str,
    /// The type of its error.
    pub error_type: ErrorType,
    /// The message of the error; empty if the schema has none.
    pub message: &'static str,
}

impl Checker<'_> {
    /// Checks that a rule holds. A rule without a result is violated, too.
    #[inline]
    pub fn rule(&mut self, at: Path<'_>, rule: &Rule, holds: impl FnOnce() -> cel::Result<bool>) {
        self.rule_below(at, &[], rule, holds);
    }

    /// Checks that a rule holds, which is reported at a field below the value: `fieldPath`. A
    /// server reports one without a result at the value itself.
    #[inline]
    pub fn rule_below(
        &mut self,
        at: Path<'_>,
        below: &[&'static str],
        rule: &Rule,
        holds: impl FnOnce() -> cel::Result<bool>,
    ) {
        match holds() {
            Ok(true) => {}
            Ok(false) => self.broken_below(at, below, rule),
            Err(failure) => self.without_result(at, rule, failure),
        }
    }

    /// Checks that a rule holds for a value and for what is stored of it, if anything is:
    /// `optionalOldSelf`. The rule is reported at the fields below the value.
    ///
    /// A value is checked without what is stored first. If something is, a second call with it
    /// replaces the result.
    pub fn rule_of_change<T: ?Sized>(
        &mut self,
        (at, below): (Path<'_>, &[&'static str]),
        rule: &Rule,
        new: &T,
        old: Option<&T>,
        holds: impl FnOnce(&T, Option<&T>) -> cel::Result<bool>,
    ) {
        match old {
            // Only servers that leave unchanged values unchecked evaluate it then.
            None if !self.target().has(&RATCHETING) => return,
            None => {}
            Some(_) => self.forget(at, rule),
        }
        let from = self.mark();
        self.rule_below(at, below, rule, || holds(new, old));
        for error in self.report.errors.split_off(from) {
            self.keep(at, rule, error);
        }
    }

    /// Drops the errors of a rule from a check without what is stored.
    fn forget(&mut self, at: Path<'_>, rule: &Rule) {
        if !self.unratcheted.is_empty() {
            let at = at.exact();
            self.unratcheted
                .retain(|broken| broken.cel != rule.cel || broken.at != at);
        }
    }

    #[cold]
    fn keep(&mut self, at: Path<'_>, rule: &Rule, error: Error) {
        self.unratcheted.push(Broken {
            cel: rule.cel,
            at: at.exact(),
            error,
        });
    }

    /// Adds the errors that no update turns into warnings to the others.
    pub(crate) fn settle(&mut self) {
        let unratcheted = self.unratcheted.drain(..).map(|broken| broken.error);
        self.report.errors.extend(unratcheted);
    }

    /// A server rejects an update for a rule without a result, even of an unchanged value.
    #[cold]
    fn without_result(&mut self, at: Path<'_>, rule: &Rule, failure: cel::Failure) {
        let from = self.mark();
        self.broken(at, rule, Some(failure));
        for error in self.report.errors.split_off(from) {
            self.keep(at, rule, error);
        }
    }

    fn broken_below(&mut self, at: Path<'_>, below: &[&'static str], rule: &Rule) {
        match below.split_first() {
            Some((field, below)) => self.broken_below(at.field(field), below, rule),
            None => self.broken(at, rule, None),
        }
    }

    #[cold]
    fn broken(&mut self, at: Path<'_>, rule: &Rule, failure: Option<cel::Failure>) {
        let mut detail = match rule.message {
            "" => format!("the rule `{}` is broken", rule.cel),
            message => message.to_owned(),
        };
        let mut error_type = rule.error_type;
        if let Some(failure) = failure {
            detail = format!("{detail}; it can't be evaluated: {failure}");
            error_type = ErrorType::Invalid;
        }
        let problem = Problem::new(error_type, RULE);
        self.add(at, problem, None, detail);
        // The server reports keys of maps as keys here, and as fields elsewhere.
        if let Some(error) = self.report.errors.last_mut() {
            error.field = match error.path.to_string() {
                path if path.is_empty() => NOWHERE.to_owned(),
                path => path,
            };
        }
    }
}
