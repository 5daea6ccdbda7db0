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
        let result = holds();
        if result != Ok(true) {
            self.broken(at, rule, result.err());
        }
    }

    #[cold]
    fn broken(&mut self, at: Path<'_>, rule: &Rule, failure: Option<cel::Failure>) {
        let mut detail = match rule.message {
            "" => format!("the rule `{}` is broken", rule.cel),
            message => message.to_owned(),
        };
        if let Some(failure) = failure {
            detail = format!("{detail}; it can't be evaluated: {failure}");
        }
        let problem = Problem::new(rule.error_type, RULE);
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
