//! What is wrong with an object, and what is merely unwise.

use std::error::Error;
use std::fmt;

use k8s_openapi::serde_json::Value;

use crate::FieldPath;

/// The kinds of faults that Kubernetes tells apart, shown as it shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// A value is missing.
    Required,
    /// A value breaks a rule.
    Invalid,
    /// A value is none of those that are known.
    NotSupported,
    /// A value stands twice where it may stand once.
    Duplicate,
    /// A text, or a map as a whole, is too long.
    TooLong,
    /// A list or map has too many entries.
    TooMany,
    /// A value may not be here, or not now.
    Forbidden,
}

impl FaultKind {
    /// The reason as it stands in `details.causes` of a server's answer.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Forbidden => "FieldValueForbidden",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Required => "Required value",
            Self::Invalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Forbidden => "Forbidden",
        })
    }
}

/// One reason for which a server refuses an object.
///
/// Shown as `spec.drivers[0].nodeID: Required value: …`, with the exact path.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// The path that the server reports, which is at times coarse or misspelt.
    pub field: String,
    /// Where the fault is.
    pub path: FieldPath,
    /// The value at fault, where it tells something.
    pub value: Option<Value>,
    /// What is wrong and what to do.
    pub message: String,
    /// The rule that is broken, by a name that doesn't change: `maxLength`.
    pub rule: &'static str,
}

/// The most of a value that is shown.
const SHOWN: usize = 60;

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.path, self.kind)?;
        if let Some(value) = &self.value {
            let text = value.to_string();
            match text.char_indices().nth(SHOWN) {
                Some((end, _)) => write!(f, "{}…: ", &text[..end])?,
                None => write!(f, "{text}: ")?,
            }
        }
        f.write_str(&self.message)
    }
}

/// Something that a server accepts but warns of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// Where it is.
    pub path: FieldPath,
    /// What is unwise and what to do.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// All that validation has found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Why the server refuses the object; it accepts it if there is nothing.
    pub faults: Vec<Fault>,
    /// What the server warns of when it accepts the object.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// Whether the server accepts the object.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.faults.is_empty()
    }

    /// The warnings if the server accepts the object, an error with all faults if not.
    ///
    /// # Errors
    ///
    /// When there is a fault.
    pub fn into_result(self) -> Result<Vec<Warning>, Refused> {
        if self.faults.is_empty() {
            Ok(self.warnings)
        } else {
            Err(Refused {
                faults: self.faults,
            })
        }
    }
}

/// A server would refuse the object. Shown with one fault a line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refused {
    /// Why; at least one.
    pub faults: Vec<Fault>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.faults.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl Error for Refused {}
