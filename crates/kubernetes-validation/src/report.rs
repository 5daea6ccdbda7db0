//! The errors and warnings of an object, as a server reports them.

use std::fmt;

use k8s_openapi::serde_json::Value;
use kubernetes_schema_terms::ErrorType;

use crate::FieldPath;

/// An error for which a server rejects an object; Kubernetes' `field.Error`.
///
/// Shown as `spec.drivers[0].nodeID: Required value: …`, with the exact path.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Error {
    /// The type of the error.
    pub error_type: ErrorType,
    /// The path that the server reports, which at times is coarse or misspelt.
    pub field: String,
    /// The exact path of the field.
    pub path: FieldPath,
    /// The invalid value, if it adds information to the path and the type.
    pub value: Option<Value>,
    /// The problem and how to correct it.
    pub detail: String,
    /// The stable name of the violated rule, such as `maxLength`.
    pub rule: &'static str,
    /// The accepted values if the type is [`ErrorType::NotSupported`], for suggestions; empty for
    /// other types.
    pub accepted: &'static [&'static str],
}

/// The most characters of a value that are shown.
const SHOWN: usize = 60;

impl Error {
    /// Returns the message without the path: `Required value: it must not be empty`. Kubernetes'
    /// `ErrorBody`.
    #[must_use]
    #[inline]
    pub fn body(&self) -> String {
        let mut body = format!("{}: ", self.error_type);
        if let Some(value) = &self.value {
            let text = value.to_string();
            match text.char_indices().nth(SHOWN) {
                Some((end, _)) => body.extend([&text[..end], "…: "]),
                None => body.extend([&text, ": "]),
            }
        }
        body + &self.detail
    }
}

impl fmt::Display for Error {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.body())
    }
}

impl std::error::Error for Error {}

/// A warning of a server that accepts the object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The field as the server reports it, which may be less exact than the path.
    pub field: String,
    /// The exact path of the field.
    pub path: FieldPath,
    /// The problem and the alternative.
    pub message: String,
}

impl fmt::Display for Warning {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// The result of validation: all errors and warnings of an object.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The errors; if there are none, the server accepts the object.
    pub errors: Vec<Error>,
    /// The warnings that the server returns if it accepts the object.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// Returns true if the server accepts the object.
    #[must_use]
    #[inline]
    pub fn is_accepted(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the warnings if the server accepts the object.
    ///
    /// # Errors
    ///
    /// Returns all errors of the report, if it has any.
    #[inline]
    pub fn into_result(self) -> Result<Vec<Warning>, ValidationError> {
        if self.errors.is_empty() {
            Ok(self.warnings)
        } else {
            Err(ValidationError {
                errors: self.errors,
            })
        }
    }
}

/// The errors of an object that a server rejects; Kubernetes' `NewInvalid`. Shown with one error
/// a line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValidationError {
    /// The errors, at least one.
    pub errors: Vec<Error>,
}

impl fmt::Display for ValidationError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ValidationError {}
