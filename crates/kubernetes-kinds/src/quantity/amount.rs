//! The value of a quantity.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::digits::Digits;

/// The value of a quantity, and the family of its suffix.
///
/// Comparison ignores the suffix: `1k` equals `1e3`.
#[derive(Clone, Debug)]
pub struct Amount {
    pub(super) negative: bool,
    /// The digits without trailing zeros; zero has the exponent 0 and no sign.
    pub(super) digits: Digits,
    /// The power of ten that the digits are multiplied by, at least -9 when parsed.
    pub(super) exponent: i64,
    pub(super) format: Format,
}

/// A family of suffixes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Powers of 1024, `Ki` to `Ei`.
    BinarySI,
    /// Powers of 1000, `n` to `E`; also without a suffix.
    #[default]
    DecimalSI,
    /// A power of ten, as in `1e3`.
    DecimalExponent,
}

impl Amount {
    /// Returns true if the value is less than zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns true if the value is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.digits == Digits::ZERO
    }

    /// Returns the family of the suffix.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the same value with suffixes of another family.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    /// Returns the value as a whole number, with a fraction rounded away from zero, as `Value` in
    /// Go does; `None` if it is out of range.
    #[must_use]
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        let whole = i128::try_from(self.digits.whole(self.exponent)?).ok()?;
        i64::try_from(if self.negative { -whole } else { whole }).ok()
    }

    /// Returns the value as a whole number, such as of bytes, with a fraction rounded up; `None`
    /// if it is negative or out of range.
    #[must_use]
    #[inline]
    pub fn to_u64(&self) -> Option<u64> {
        let whole = self.digits.whole(self.exponent)?;
        if self.negative {
            None
        } else {
            u64::try_from(whole).ok()
        }
    }

    /// Returns the value with a fraction of a thousandth rounded away from zero, as a server rounds
    /// the resources of objects; a value of more than 38 digits stays as it is.
    #[must_use]
    #[inline]
    pub fn rounded_to_milli(&self) -> Self {
        let is_finer = self.exponent < -3;
        let rounded = is_finer
            .then(|| self.digits.whole(self.exponent + 3))
            .flatten();
        match rounded.and_then(Digits::small) {
            Some(digits) => Self::normal(self.negative, digits, -3, self.format),
            None => self.clone(),
        }
    }

    /// Returns the sum, with the suffixes of `self`, or of `other` if `self` is zero; `None` if the
    /// sum has more than 38 digits, counting the zeros before the point.
    #[must_use]
    #[inline]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        let format = if self.is_zero() {
            other.format
        } else {
            self.format
        };
        let exponent = self.exponent.min(other.exponent).min(0);
        let aligned = |amount: &Self| {
            let up = u32::try_from(amount.exponent - exponent).ok()?;
            let digits = i128::try_from(amount.digits.scaled(up)?).ok()?;
            Some(if amount.negative { -digits } else { digits })
        };
        let sum = aligned(self)?.checked_add(aligned(other)?)?;
        let digits = Digits::small(sum.unsigned_abs())?;
        Some(Self::normal(sum < 0, digits, exponent, format))
    }

    /// Returns the difference, under the conditions of [`checked_add`](Self::checked_add).
    #[must_use]
    #[inline]
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        let mut negated = other.clone();
        negated.negative = !other.negative && !other.is_zero();
        self.checked_add(&negated)
    }

    /// Removes trailing zeros of the digits.
    pub(super) fn normal(
        negative: bool,
        mut digits: Digits,
        exponent: i64,
        format: Format,
    ) -> Self {
        let zeros = digits.strip_zeros();
        let zero = digits == Digits::ZERO;
        Self {
            negative: negative && !zero,
            digits,
            exponent: if zero { 0 } else { exponent + i64::from(zeros) },
            format,
        }
    }
}

impl From<&Amount> for Quantity {
    fn from(amount: &Amount) -> Self {
        Self(amount.to_string())
    }
}

impl From<u64> for Amount {
    /// Converts a number of bytes, with binary suffixes.
    fn from(bytes: u64) -> Self {
        Self::normal(false, Digits::Small(bytes.into()), 0, Format::BinarySI)
    }
}

impl From<i64> for Amount {
    /// Converts a number of bytes, with binary suffixes.
    fn from(bytes: i64) -> Self {
        let digits = Digits::Small(bytes.unsigned_abs().into());
        Self::normal(bytes < 0, digits, 0, Format::BinarySI)
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.negative == other.negative
            && self.exponent == other.exponent
            && self.digits == other.digits
    }
}

impl Eq for Amount {}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.negative, self.exponent, &self.digits).hash(state);
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        let signed = |amount: &Self| match (amount.is_zero(), amount.negative) {
            (true, _) => 0,
            (false, negative) => 1 - 2 * i8::from(negative),
        };
        let size = || {
            self.digits
                .cmp_scaled(self.exponent, &other.digits, other.exponent)
        };
        signed(self).cmp(&signed(other)).then_with(|| {
            if self.negative {
                size().reverse()
            } else {
                size()
            }
        })
    }
}
