//! Types of validation errors.

use std::fmt;

use crate::{Term, terms};

terms! {
    /// The type of an error; Kubernetes' `field.ErrorType`. Shown as Kubernetes shows it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    ErrorType {
        /// A required value is missing.
        Required,
        /// A value breaks a rule.
        Invalid,
        /// A value of an enumeration is not known.
        NotSupported,
        /// A value that must be unique is a duplicate.
        Duplicate,
        /// A text, or a map as a whole, is too long.
        TooLong,
        /// A list or map has too many entries.
        TooMany,
        /// A value is not allowed here, or not now.
        Forbidden,
        /// A text doesn't have the format of the schema of a custom resource.
        TypeInvalid,
    }
}

impl ErrorType {
    /// Parses the name of a variant, `TooLong`, or the reason of a server, `FieldValueTooLong`.
    #[must_use]
    #[inline]
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_prefix("FieldValue").unwrap_or(text);
        Self::ALL.into_iter().find(|term| term.variant() == name)
    }

    /// Returns the `reason` in `details.causes` of a server's answer.
    #[must_use]
    #[inline]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Forbidden => "FieldValueForbidden",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }
}

impl fmt::Display for ErrorType {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Required => "Required value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Forbidden => "Forbidden",
        })
    }
}
