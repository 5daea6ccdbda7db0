//! Rules in CEL, as a server of custom resources evaluates them.

use crate::custom::{NOWHERE, RULE};
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
            Err(failure) => self.broken(at, rule, Some(failure)),
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
