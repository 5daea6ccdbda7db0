//! The checks of enumerations, whose errors have the accepted values.

use k8s_openapi::serde_json::Value;

use crate::checker::{Checker, Problem, to_value};
use crate::{ErrorType, Path};

impl Checker<'_> {
    /// Checks that a value of an enumeration is a known one.
    #[inline]
    pub fn known(&mut self, at: Path<'_>, value: &str, known: &'static [&'static str]) {
        if !known.contains(&value) {
            self.unknown(at, value, known);
        }
    }

    /// Adds the error of a value that is `null`, which no enumeration has.
    #[cold]
    pub fn null(&mut self, at: Path<'_>) {
        let problem = Problem::new(ErrorType::NotSupported, "enum");
        let detail = "the enumeration doesn't have `null`".to_owned();
        self.error(at, problem, Some(Value::Null), detail);
    }

    /// Checks that a value is accepted; the message gives the reason why others aren't.
    #[inline]
    pub fn accepted(
        &mut self,
        at: Path<'_>,
        value: &str,
        accepted: &'static [&'static str],
        message: &str,
    ) {
        if !accepted.contains(&value) {
            self.not_supported(at, value, accepted, message.to_owned());
        }
    }

    #[cold]
    fn unknown(&mut self, at: Path<'_>, value: &str, known: &'static [&'static str]) {
        let mut detail = String::from("it must be one of [");
        let mut comma = "";
        for &known in known {
            if !known.is_empty() {
                for part in [comma, "\"", known, "\""] {
                    detail.push_str(part);
                }
                comma = ", ";
            }
        }
        detail.push(']');
        self.not_supported(at, value, known, detail);
    }

    #[cold]
    fn not_supported(
        &mut self,
        at: Path<'_>,
        value: &str,
        accepted: &'static [&'static str],
        detail: String,
    ) {
        let problem = Problem::new(ErrorType::NotSupported, "enum");
        self.add(at, problem, to_value(value), detail);
        if let Some(error) = self.report.errors.last_mut() {
            error.accepted = accepted;
        }
    }
}
