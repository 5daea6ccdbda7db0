//! Unknown and duplicate fields.

use std::fmt;

use super::quote;
use crate::error::Location;

/// The kind of a [`FieldError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FieldErrorKind {
    /// The type has no such field.
    Unknown,
    /// The field occurs more than once.
    Duplicate,
}

impl fmt::Display for FieldErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown field",
            Self::Duplicate => "duplicate field",
        })
    }
}

/// A field that a strict server rejects: Kubernetes' strict decoding error.
///
/// Shown as in the message of a server, `unknown field "spec.foo"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// The kind of error: unknown or duplicate.
    pub kind: FieldErrorKind,
    /// The path in the object, as a server writes it: `metadata.labels.example.com/a`.
    ///
    /// The items of a `v1` `List` are objects of their own; those of a typed list are not.
    pub path: String,
    /// The location of the field in the input. The path of a location begins at the document and
    /// has names that aren't plain in brackets, `items[1].metadata.labels[example.com/a]`; line and
    /// column are those of the name, unless it is written with escapes in JSON.
    pub location: Location,
    /// The fields of the type that lacks an unknown field, for suggestions. Empty for duplicate
    /// fields, and if the fields of the type are not known.
    pub known: &'static [&'static str],
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        quote::write(f, &self.path)
    }
}
