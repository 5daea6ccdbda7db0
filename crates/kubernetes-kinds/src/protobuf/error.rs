//! Errors of reading protobuf.

use std::fmt;

/// An error of reading an object from protobuf: what is wrong, and where.
///
/// ```
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
/// use kubernetes_kinds::protobuf::{Input, read_message};
///
/// let mut selector = LabelSelector::default();
/// let error = read_message(&mut selector, Input::new(&[10, 3, 10, 9, 97])).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "LabelSelector, field 1: a length of 9 bytes exceeds the input"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    kind: DecodeErrorKind,
    /// The fields from the innermost message outwards.
    path: Vec<(&'static str, u32)>,
}

/// The kind of a [`DecodeError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside a value.
    Truncated,
    /// A value has more bytes than the input has left.
    Length(u64),
    /// A number has more than ten bytes.
    Overlong,
    /// A field has a number that isn't one of a field: zero or negative.
    Number(i32),
    /// A value has another wire type than its field.
    WireType(u8),
    /// A group ends that hasn't begun.
    EndOfGroup,
    /// Objects are more levels deep than this.
    TooDeep(u8),
    /// A value that holds JSON has none that `serde_json` reads; its message.
    Json(String),
    /// The input doesn't begin as an object does.
    Prefix,
    /// The input is an object of another kind; what it is, and what was expected.
    Kind(String, String),
    /// The object is encoded in a way that isn't known, as named.
    Encoding(String),
}

impl From<DecodeErrorKind> for DecodeError {
    fn from(kind: DecodeErrorKind) -> Self {
        Self {
            kind,
            path: Vec::new(),
        }
    }
}

impl DecodeError {
    /// Returns what is wrong.
    #[must_use]
    pub fn kind(&self) -> &DecodeErrorKind {
        &self.kind
    }

    /// Adds the message and the number of the field in which it is.
    #[cold]
    pub(super) fn inside(mut self, message: &'static str, number: u32) -> Self {
        self.path.push((message, number));
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (message, number) in self.path.iter().rev() {
            write!(f, "{message}, field {number}: ")?;
        }
        match &self.kind {
            DecodeErrorKind::Truncated => f.write_str("the input ends inside a value"),
            DecodeErrorKind::Length(length) => {
                write!(f, "a length of {length} bytes exceeds the input")
            }
            DecodeErrorKind::Overlong => f.write_str("a number has more than ten bytes"),
            DecodeErrorKind::Number(number) => write!(f, "{number} is no number of a field"),
            DecodeErrorKind::WireType(wire) => write!(f, "unexpected wire type {wire}"),
            DecodeErrorKind::EndOfGroup => f.write_str("a group ends that hasn't begun"),
            DecodeErrorKind::TooDeep(levels) => {
                write!(f, "objects are more than {levels} levels deep")
            }
            DecodeErrorKind::Json(message) => write!(f, "invalid JSON: {message}"),
            DecodeErrorKind::Prefix => {
                f.write_str("the input isn't an object in Kubernetes' protobuf")
            }
            DecodeErrorKind::Kind(found, expected) => {
                write!(
                    f,
                    "the object is \"{}\", expected \"{expected}\"",
                    found.escape_debug()
                )
            }
            DecodeErrorKind::Encoding(encoding) => {
                write!(f, "unknown encoding \"{}\"", encoding.escape_debug())
            }
        }
    }
}

impl std::error::Error for DecodeError {}
