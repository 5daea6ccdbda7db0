//! Quantities, such as `1Gi`.

use std::cmp::Ordering;

use kubernetes_kinds::quantity::Amount;

use super::{Failure, Result};

/// A quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity(Amount);

/// Reads a quantity.
#[inline]
pub fn quantity(text: &str) -> Result<Quantity> {
    Amount::parse(text).map(Quantity).map_err(|_| Failure::Form)
}

/// Returns true for what [`quantity`] reads.
#[must_use]
#[inline]
pub fn is_quantity(text: &str) -> bool {
    kubernetes_kinds::quantity::check(text).is_ok()
}

/// Returns the whole number that a quantity is: `quantity(text).asInteger()`. As on a server, none
/// is that has a fraction or is written with one, nor most beyond 18 digits.
#[inline]
pub fn as_integer(text: &str) -> Result<i64> {
    quantity(text)?;
    whole(text).ok_or(Failure::Overflow)
}

/// Returns true if there is such a number: `quantity(text).isInteger()`.
#[inline]
pub fn is_integer(text: &str) -> Result<bool> {
    quantity(text)?;
    Ok(whole(text).is_some())
}

#[inline]
fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = digits.trim_start_matches('0');
    let is_digit = |c: char| c.is_ascii_digit();
    let suffix = digits.trim_start_matches(is_digit);
    let number = &digits[..digits.len() - suffix.len()];
    let number = if number.is_empty() { "0" } else { number };
    let (fraction, suffix) = match suffix.strip_prefix('.') {
        Some(rest) => {
            let suffix = rest.trim_start_matches(is_digit);
            (rest.len() - suffix.len(), suffix)
        }
        None => (0, suffix),
    };
    let (base, exponent) = power(suffix)?;
    // What doesn't surely fit into 64 bits is kept in a form that is no whole number.
    let (room, by) = match base {
        2 => {
            let more = usize::try_from(exponent * 3 / 10).ok()? + 1;
            (15_usize.checked_sub(more)?, 1_i64.checked_shl(exponent)?)
        }
        _ => (18, 10_i64.checked_pow(exponent)?),
    };
    let value: i64 = number.parse().ok().filter(|_| fraction == 0)?;
    let value = value.checked_mul(by).filter(|_| number.len() <= room)?;
    Some(if text.starts_with('-') { -value } else { value })
}

/// The base and exponent of a suffix, unless it is a fraction.
#[inline]
fn power(suffix: &str) -> Option<(u32, u32)> {
    Some(match suffix {
        "" => (10, 0),
        "k" => (10, 3),
        "M" => (10, 6),
        "G" => (10, 9),
        "T" => (10, 12),
        "P" => (10, 15),
        "E" => (10, 18),
        "Ki" => (2, 10),
        "Mi" => (2, 20),
        "Gi" => (2, 30),
        "Ti" => (2, 40),
        "Pi" => (2, 50),
        "Ei" => (2, 60),
        _ => (10, suffix.strip_prefix(['e', 'E'])?.parse().ok()?),
    })
}

impl Quantity {
    /// Returns true if it is more than another.
    #[must_use]
    #[inline]
    pub fn is_greater_than(&self, other: &Self) -> bool {
        self.0 > other.0
    }

    /// Returns true if it is less than another.
    #[must_use]
    #[inline]
    pub fn is_less_than(&self, other: &Self) -> bool {
        self.0 < other.0
    }

    /// Returns -1, 0 or 1 for less, as much or more.
    #[must_use]
    #[inline]
    pub fn compare_to(&self, other: &Self) -> i64 {
        match self.0.cmp(&other.0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// Returns -1, 0 or 1 for less than nothing, nothing or more.
    #[must_use]
    #[inline]
    pub fn sign(&self) -> i64 {
        match (self.0.is_negative(), self.0.is_zero()) {
            (true, _) => -1,
            (_, true) => 0,
            _ => 1,
        }
    }

    /// Returns the sum with another.
    #[inline]
    pub fn add(&self, other: &Self) -> Result<Self> {
        self.0
            .checked_add(&other.0)
            .map(Self)
            .ok_or(Failure::Overflow)
    }

    /// Returns the sum with a number.
    #[inline]
    pub fn add_whole(&self, other: i64) -> Result<Self> {
        self.add(&Self(other.into()))
    }

    /// Returns the difference from another.
    #[inline]
    pub fn sub(&self, other: &Self) -> Result<Self> {
        self.0
            .checked_sub(&other.0)
            .map(Self)
            .ok_or(Failure::Overflow)
    }

    /// Returns the difference from a number.
    #[inline]
    pub fn sub_whole(&self, other: i64) -> Result<Self> {
        self.sub(&Self(other.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        let read = |text| quantity(text).unwrap_or(Quantity(7_i64.into()));
        let (small, large) = (read("500m"), read("1Gi"));
        assert!(small.is_less_than(&large) && !small.is_greater_than(&large));
        assert_eq!(
            (large.compare_to(&small), small.compare_to(&read("0.5"))),
            (1, 0)
        );
        assert_eq!(
            (read("-1").sign(), read("0").sign(), small.sign()),
            (-1, 0, 1)
        );
        assert_eq!(small.add(&small), Ok(read("1")));
        assert_eq!(
            (small.add_whole(1), small.sub_whole(1)),
            (quantity("1.5"), quantity("-500m"))
        );
        assert_eq!(large.sub(&large).map(|none| none.sign()), Ok(0));
        assert_eq!(quantity("1x"), Err(Failure::Form));
        assert!(is_quantity("1k") && !is_quantity(""));
    }

    #[test]
    fn whole_numbers() {
        for (text, number) in [
            ("0", 0),
            ("-07", -7),
            ("+5k", 5_000),
            ("1e3", 1_000),
            ("1E+2", 100),
            ("3E", 3_000_000_000_000_000_000),
            ("9E9", 9_000_000_000),
            ("1.", 1),
            ("1Ki", 1_024),
            ("10000Gi", 10_737_418_240_000),
            ("999999999999999999", 999_999_999_999_999_999),
        ] {
            assert_eq!(as_integer(text), Ok(number), "{text}");
        }
        for text in [
            "1.0",
            "0m",
            "1000m",
            "1.5",
            "1e-1",
            "10E",
            "100000Gi",
            "1.0Ki",
            "1Ei",
            "1e400",
            "1000000000000000000",
            "-0.0",
        ] {
            assert_eq!(is_integer(text), Ok(false), "{text}");
            assert_eq!(as_integer(text), Err(Failure::Overflow), "{text}");
        }
        assert_eq!(is_integer("x"), Err(Failure::Form));
    }
}
