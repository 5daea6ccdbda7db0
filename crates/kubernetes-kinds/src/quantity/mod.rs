//! Quantities by their value, exactly: `1Gi` is `1024Mi` and `0.5` is `500m`.
//!
//! `k8s_openapi`'s [`Quantity`] is a string. [`Amount`] is its value, as Kubernetes' own code
//! parses it: it accepts the same strings, rounds fractions of a nano away from zero, and limits
//! binary quantities to 2⁶³−1; decimal quantities have no limit. Values of up to 38 digits are
//! parsed and compared without allocation.
//!
//! [`canonical`] returns the string that an API server returns for a quantity.
//!
//! Write quantities as strings. A server also takes numbers, and of JSON keeps all of their digits;
//! `k8s_openapi`'s type reads them as integers or floats of 64 bits, so that one of more than 15
//! digits can become another amount.
//!
//! ```
//! use kubernetes_kinds::quantity::{Amount, canonical};
//! use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
//!
//! let capacity = Amount::try_from(&Quantity("1.5Gi".to_owned()))?;
//! assert_eq!(capacity, Amount::parse("1536Mi")?);
//! assert!(capacity > Amount::from(1_500_000_000_u64));
//! assert_eq!(capacity.to_u64(), Some(1_610_612_736));
//! assert_eq!(capacity.to_string(), "1536Mi");
//! assert_eq!(canonical("1024Mi")?, "1Gi");
//! # Ok::<(), kubernetes_kinds::quantity::QuantityError>(())
//! ```
//!
//! Facts as of Kubernetes 1.36, `k8s.io/apimachinery/pkg/api/resource`.

mod digits;
mod error;
mod parse;
mod write;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use digits::Digits;
pub use error::QuantityError;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use parse::Parts;

/// The value of a quantity, and the family of its suffix.
///
/// Comparison ignores the suffix: `1k` equals `1e3`.
#[derive(Clone, Debug)]
pub struct Amount {
    negative: bool,
    /// Without trailing zeros; zero has the exponent 0 and no sign.
    digits: Digits,
    /// The power of ten that the digits are multiplied by, at least -9 when parsed.
    exponent: i64,
    format: Format,
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
    /// Parses a quantity, which must have no white space around it.
    ///
    /// Accepts the strings that Kubernetes accepts, which are more than it documents: a number
    /// can have no digits (`.` and `Ki` are zero), and only the lowest 32 bits of an exponent are
    /// used.
    ///
    /// # Errors
    ///
    /// When the text is no quantity.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        Parts::split(text)?.amount()
    }

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
    fn normal(negative: bool, mut digits: Digits, exponent: i64, format: Format) -> Self {
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

/// Returns the string that an API server returns for a quantity, without white space around it.
///
/// A text that is close to the canonical form stays as it is, such as `1.500` or `+1Gi`; any other
/// text becomes the canonical form, as [`Amount`] displays it. An unchanged text is not allocated.
///
/// From 10²¹ on, Kubernetes 1.36 writes a quantity with a decimal suffix without the suffix:
/// `1000E` becomes `1`. So does this function.
///
/// # Errors
///
/// When the text is no quantity.
pub fn canonical(text: &str) -> Result<Cow<'_, str>, QuantityError> {
    let text = text.trim();
    let parts = Parts::split(text)?;
    let amount = parts.amount()?;
    if parts.is_kept() {
        return Ok(Cow::Borrowed(text));
    }
    let served = amount.served();
    Ok(if served.is(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(served.to_string())
    })
}

impl FromStr for Amount {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        Self::parse(text)
    }
}

impl TryFrom<&Quantity> for Amount {
    type Error = QuantityError;

    /// Parses the field as an API server does: white space around the text is ignored.
    fn try_from(quantity: &Quantity) -> Result<Self, QuantityError> {
        Self::parse(quantity.0.trim())
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
