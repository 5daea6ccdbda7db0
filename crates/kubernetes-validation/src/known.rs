//! The values of enumerations in custom resources that aren't texts alone.

use std::fmt;

use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json::{Number, Value};

use crate::checker::to_value;
use crate::{Checker, ErrorType, Path, Problem};

/// A value of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(&'static str),
}

impl Known {
    fn is(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Flag(flag), Value::Bool(value)) => flag == *value,
            (Self::Text(text), Value::String(value)) => text == value,
            (Self::Text(text), Value::Number(value)) => is_code_of(value, text),
            (Self::Int(number), Value::Number(value)) => {
                // It takes a fraction for the whole number before it.
                let before = || value.as_f64().map(|value| value as i64);
                value.as_i64().or_else(before) == Some(number)
            }
            _ => false,
        }
    }
}

/// Returns true if a text is the character of a code. A server takes a whole number for that.
#[inline]
pub(crate) fn is_code_of(number: &Number, text: &str) -> bool {
    number.as_i64().is_some_and(|number| {
        let code = u32::try_from(number).ok();
        let character = code.and_then(char::from_u32).unwrap_or('\u{fffd}');
        text.chars().eq([character])
    })
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl Checker<'_> {
    /// Checks that a flag, a number or a text is one of those that an enumeration has: `enum`.
    #[inline]
    pub fn known_value<T: Serialize>(&mut self, at: Path<'_>, value: &T, known: &[Known]) {
        if let Some(value) = to_value(value) {
            self.known_json(at, &value, known);
        }
    }

    #[inline]
    pub(crate) fn known_json(&mut self, at: Path<'_>, value: &Value, known: &[Known]) {
        if !known.iter().any(|known| known.is(value)) {
            let known: Vec<_> = known.iter().map(ToString::to_string).collect();
            let detail = format!("it must be one of [{}]", known.join(", "));
            let problem = Problem::new(ErrorType::NotSupported, "enum");
            self.error(at, problem, Some(value.clone()), detail);
        }
    }
}
