//! Rules in CEL, as a server of custom resources evaluates them.

use crate::checker::Placed;
use crate::custom::{NOWHERE, RULE};
use crate::ratcheting::RATCHETING;
use crate::{Checker, ErrorType, Path, Problem, cel};

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
        match holds() {
            Ok(true) => {}
            result => self.violated(at, &[], rule, result),
        }
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
            result => self.violated(at, below, rule, result),
        }
    }

    /// Adds the error of a rule without a result, or with one that isn't true.
    ///
    /// An update asks whether the value has changed that has the rule, whatever the path says; a
    /// rule without a result is reported always.
    #[cold]
    fn violated(
        &mut self,
        at: Path<'_>,
        below: &[&'static str],
        rule: &Rule,
        result: cel::Result<bool>,
    ) {
        let from = self.mark();
        match result {
            Ok(_) => self.broken_below(at, below, rule),
            Err(failure) => self.broken(at, rule, Some(failure)),
        }
        let errors = self.report.errors.split_off(from);
        self.placed.push(match result {
            Ok(_) => Placed::at(at, errors),
            Err(_) => Placed::always(errors),
        });
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
        let from = self.placed.len();
        self.rule_below(at, below, rule, || holds(new, old));
        // An update reports it even of an unchanged value.
        for placed in self.placed.iter_mut().skip(from) {
            placed.at = None;
            placed.rule = Some((rule.cel, at.exact()));
        }
    }

    /// Drops the errors of a rule from a check without what is stored.
    fn forget(&mut self, at: Path<'_>, rule: &Rule) {
        if self.placed.iter().any(|placed| placed.rule.is_some()) {
            let of_rule = Some((rule.cel, at.exact()));
            self.placed.retain(|placed| placed.rule != of_rule);
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
