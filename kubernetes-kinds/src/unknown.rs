use std::fmt;

/// A value of an open enumeration that this release of the crate does not know.
///
/// It is kept as it was read and written back unchanged. It can't be made directly, only
/// by converting a string into the enumeration, so a known value never hides in here and
/// comparing two values of an enumeration is comparing what they are on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownValue(Box<str>);

impl UnknownValue {
    /// Wraps `value`, for the generated enumerations, which have ruled out the known ones.
    #[doc(hidden)]
    pub fn from_generated(value: impl Into<Box<str>>) -> Self {
        Self(value.into())
    }

    /// The value as it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for UnknownValue {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
