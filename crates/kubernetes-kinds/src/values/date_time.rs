//! Times as they are written.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::serde::de::{Deserialize, Deserializer};
use k8s_openapi::serde::ser::{Serialize, Serializer};

/// A time of a custom resource: `format: date-time` in its schema.
///
/// It is the text, as a server keeps it: with fractions of a second, with an offset, with `t` and
/// `z`. The types of k8s-openapi write UTC and whole seconds or microseconds.
///
/// ```
/// use k8s_openapi::jiff::Timestamp;
/// use k8s_openapi::serde_json;
/// use kubernetes_kinds::values::DateTime;
///
/// let text = r#""2026-01-02T03:04:05.250+01:00""#;
/// let time: DateTime = serde_json::from_str(text)?;
/// assert_eq!(time.timestamp().map(Timestamp::as_millisecond), Some(1_767_319_445_250));
/// assert_eq!(serde_json::to_string(&time)?, text);
///
/// assert_eq!(DateTime::from(Timestamp::UNIX_EPOCH).as_str(), "1970-01-01T00:00:00Z");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DateTime(String);

impl DateTime {
    /// Returns the text.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the time that the text names: one of RFC 3339. A server doesn't check days and
    /// offsets, so that there may be none.
    #[must_use]
    #[inline]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.0.to_ascii_uppercase().parse().ok()
    }
}

impl AsRef<str> for DateTime {
    #[inline]
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DateTime {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for DateTime {
    #[inline]
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for DateTime {
    #[inline]
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<Timestamp> for DateTime {
    /// Writes a time with the digits of the fraction that it has.
    #[inline]
    fn from(time: Timestamp) -> Self {
        Self(time.to_string())
    }
}

impl From<Time> for DateTime {
    /// Writes a time in whole seconds, as that type does.
    #[inline]
    fn from(time: Time) -> Self {
        Self(time.0.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
    }
}

impl From<MicroTime> for DateTime {
    /// Writes a time in microseconds, as that type does.
    #[inline]
    fn from(time: MicroTime) -> Self {
        Self(time.0.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string())
    }
}

impl Serialize for DateTime {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DateTime {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}
