use std::fmt;

/// A value of an open enumeration that this release of the crate does not know.
///
/// It is preserved as read and written back unchanged. Only the conversion of a string into the
/// enumeration creates it, so it is never a known value, and two values of an enumeration are
/// equal exactly when they are equal in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownValue(Box<str>);

impl UnknownValue {
    /// Wraps `value`, for the generated enumerations, which check for the known ones first.
    #[doc(hidden)]
    pub fn from_generated(value: impl Into<Box<str>>) -> Self {
        Self(value.into())
    }

    /// Returns the value as written in JSON.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The error of a text that is not a known value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseEnumError {
    /// The name of the enumeration.
    pub enumeration: &'static str,
    /// The text.
    pub value: String,
    /// The known values.
    pub known: &'static [&'static str],
}

impl fmt::Display for ParseEnumError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, enumeration) = (self.value.escape_debug(), self.enumeration);
        write!(
            f,
            "\"{value}\" is not a known {enumeration}, expected one of: "
        )?;
        for (index, known) in self.known.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{known}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseEnumError {}

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
