//! Kubernetes releases, `1.37`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A minor release of Kubernetes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    pub(crate) major: u16,
    pub(crate) minor: u16,
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Release {
    type Err = String;

    /// Reads `1.37` or `v1.37`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a Kubernetes release such as 1.37");
        let (major, minor) = text
            .strip_prefix('v')
            .unwrap_or(text)
            .split_once('.')
            .ok_or_else(wrong)?;
        let number = |digits: &str| {
            let plain = digits.bytes().all(|b| b.is_ascii_digit());
            digits.parse().ok().filter(|_| plain).ok_or_else(wrong)
        };
        Ok(Self {
            major: number(major)?,
            minor: number(minor)?,
        })
    }
}

impl Serialize for Release {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Release {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// A span of releases: from the first, inclusive, to before the last, exclusive.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Releases {
    pub(crate) from: Option<Release>,
    pub(crate) before: Option<Release>,
}

impl Releases {
    /// Returns true if the span has no ends.
    pub(crate) fn is_all(&self) -> bool {
        self.from.is_none() && self.before.is_none()
    }

    /// Returns true if the span holds the release.
    pub fn contain(&self, release: Release) -> bool {
        self.from.is_none_or(|from| from <= release)
            && self.before.is_none_or(|before| release < before)
    }
}
