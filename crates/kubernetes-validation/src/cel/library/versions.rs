//! Semantic versions, such as `1.2.3-beta.1`.

use std::cmp::Ordering;

use super::{Failure, Result};

/// A semantic version. What follows a plus sign isn't compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 3],
    before: Vec<Part>,
}

/// A part of what follows a dash; a number is less than a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Text(String),
}

/// Reads a version.
#[inline]
pub fn semver(text: &str) -> Result<Version> {
    read(text).ok_or(Failure::Form)
}

/// Reads a version, which may start with `v`, have zeros before numbers and lack the last two of
/// them, if that is asked for.
#[inline]
pub fn semver_normalized(text: &str, is_normalized: bool) -> Result<Version> {
    match is_normalized {
        true => normalized(text)
            .as_deref()
            .and_then(read)
            .ok_or(Failure::Form),
        false => semver(text),
    }
}

/// Returns true for what [`semver`] reads.
#[must_use]
#[inline]
pub fn is_semver(text: &str) -> bool {
    semver(text).is_ok()
}

/// Returns true for what [`semver_normalized`] reads.
#[must_use]
#[inline]
pub fn is_semver_normalized(text: &str, is_normalized: bool) -> bool {
    semver_normalized(text, is_normalized).is_ok()
}

impl Version {
    /// Returns the first number. As on a server, one beyond 63 bits is negative.
    #[must_use]
    #[inline]
    pub fn major(&self) -> i64 {
        self.numbers[0].cast_signed()
    }

    /// Returns the second number.
    #[must_use]
    #[inline]
    pub fn minor(&self) -> i64 {
        self.numbers[1].cast_signed()
    }

    /// Returns the third number.
    #[must_use]
    #[inline]
    pub fn patch(&self) -> i64 {
        self.numbers[2].cast_signed()
    }

    /// Returns true if it is later than another.
    #[must_use]
    #[inline]
    pub fn is_greater_than(&self, other: &Self) -> bool {
        self.order(other).is_gt()
    }

    /// Returns true if it is earlier than another.
    #[must_use]
    #[inline]
    pub fn is_less_than(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }

    /// Returns -1, 0 or 1 for an earlier, the same or a later version.
    #[must_use]
    #[inline]
    pub fn compare_to(&self, other: &Self) -> i64 {
        self.order(other) as i64
    }

    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        // A version without a dash is later than one with it.
        let is_last = |of: &Self| of.before.is_empty();
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| is_last(self).cmp(&is_last(other)))
            .then_with(|| self.before.cmp(&other.before))
    }
}

#[inline]
fn read(text: &str) -> Option<Version> {
    let (major, rest) = text.split_once('.')?;
    let (minor, rest) = rest.split_once('.')?;
    let (rest, build) = match rest.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (rest, None),
    };
    let (patch, before) = match rest.split_once('-') {
        Some((patch, before)) => (patch, Some(before)),
        None => (rest, None),
    };
    let is_name = |part: &str| {
        let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !part.is_empty() && part.bytes().all(is_in_name)
    };
    let part = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => number(text).map(Part::Number),
        false => is_name(text).then(|| Part::Text(text.to_owned())),
    };
    let before = before.into_iter().flat_map(|before| before.split('.'));
    let mut build = build.into_iter().flat_map(|build| build.split('.'));
    let version = Version {
        numbers: [number(major)?, number(minor)?, number(patch)?],
        before: before.map(part).collect::<Option<_>>()?,
    };
    build.all(is_name).then_some(version)
}

#[inline]
fn number(digits: &str) -> Option<u64> {
    let is_plain = digits.len() == 1 || !digits.starts_with('0');
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain && is_number)
}

#[inline]
fn normalized(text: &str) -> Option<String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<_> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last()?.contains(['+', '-']) {
        return None;
    }
    parts.resize(3, "0".to_owned());
    Some(parts.join("."))
}

/// A part without zeros before its number.
#[inline]
fn without_zeros(part: &str) -> String {
    let plain = part.trim_start_matches('0');
    match plain.starts_with(|first: char| first.is_ascii_digit()) || part.len() < 2 {
        true if part.len() < 2 => part.to_owned(),
        true => plain.to_owned(),
        false => format!("0{plain}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for text in ["1.2.3", "0.0.0", "1.2.3-a.1-b.0+x.01", "1.2.3+-", "1.0.0--"] {
            assert!(is_semver(text), "{text}");
        }
        for text in [
            "",
            "1",
            "1.2",
            "v1.2.3",
            "1.2.3.4",
            "01.2.3",
            "1.02.3",
            "1.2.03",
            "1.2.3-",
            "1.2.3-01",
            "1.2.3-a..b",
            "1.2.3+",
            "1.2.3+a_b",
            "+1.2.3",
            "1.2.18446744073709551616",
            "1. 2.3",
        ] {
            assert_eq!(semver(text), Err(Failure::Form), "{text}");
        }
    }

    #[test]
    fn normalized_versions() {
        for (text, plain) in [
            ("v1", "1.0.0"),
            ("1.2", "1.2.0"),
            ("01.002.0003-a", "1.2.3-a"),
            ("v0.00.0", "0.0.0"),
            ("1.2.00-rc.1+b", "1.2.0-rc.1+b"),
        ] {
            assert_eq!(semver_normalized(text, true), semver(plain), "{text}");
            assert!(!is_semver_normalized(text, false), "{text}");
        }
        for text in ["", "vv1", " 1", "1-a", "1.2+b", "1.2.3.4", "a"] {
            assert!(!is_semver_normalized(text, true), "{text}");
        }
    }

    #[test]
    fn the_order_of_versions() {
        let sorted = [
            "0.9.9",
            "1.0.0-0",
            "1.0.0-2",
            "1.0.0-10",
            "1.0.0-10.1",
            "1.0.0-a",
            "1.0.0-a.b",
            "1.0.0-b",
            "1.0.0",
            "1.0.1",
            "1.10.0",
            "2.0.0",
        ];
        let versions: Vec<_> = sorted.iter().filter_map(|text| semver(text).ok()).collect();
        assert_eq!(versions.len(), sorted.len());
        for pair in versions.windows(2) {
            assert!(pair[0].is_less_than(&pair[1]) && pair[1].is_greater_than(&pair[0]));
            assert_eq!(
                (pair[0].compare_to(&pair[1]), pair[1].compare_to(&pair[0])),
                (-1, 1)
            );
        }
        assert_eq!(semver("1.2.3+a"), semver("1.2.3+b"));
        let large = semver("1.2.18446744073709551615");
        let numbers = large.map(|of| (of.major(), of.minor(), of.patch()));
        assert_eq!(numbers, Ok((1, 2, -1)));
    }
}
