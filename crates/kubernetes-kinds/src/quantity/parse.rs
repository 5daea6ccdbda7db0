//! Parses quantities.

use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::amount::{Amount, Format};
use super::digits::Digits;
use super::error::QuantityError;

/// The power of ten that values are rounded up to.
const NANO: i64 = -9;
/// The most digits that Kubernetes parses without big integers, which decides the texts that it
/// keeps.
const FAST: usize = 18;

/// The parts of a text.
pub(super) struct Parts<'a> {
    pub(super) negative: bool,
    /// True if the number has a digit.
    has_digits: bool,
    /// The digits before the point, without zeros at the start.
    pub(super) whole: &'a str,
    /// The digits after the point.
    pub(super) fraction: &'a str,
    pub(super) suffix: Suffix,
}

#[derive(Clone, Copy)]
pub(super) enum Suffix {
    /// A power of 2, from 10 to 60.
    Binary(u32),
    /// A power of 10 and how it is written.
    Decimal(i32, Format),
}

impl<'a> Parts<'a> {
    pub(super) fn split(text: &'a str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Format);
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (number, suffix) = split_digits(unsigned);
        let whole = number.trim_start_matches('0');
        let (fraction, suffix) = match suffix.strip_prefix('.') {
            Some(rest) => split_digits(rest),
            None => ("", suffix),
        };
        let suffix = Suffix::parse(suffix).ok_or_else(|| Suffix::error(suffix))?;
        let has_digits = !number.is_empty() || !fraction.is_empty();
        let negative = text.starts_with('-');
        Ok(Self {
            negative,
            has_digits,
            whole,
            fraction,
            suffix,
        })
    }

    /// Returns the number of digits as Kubernetes counts them: nothing before the point counts as a
    /// zero.
    fn count(&self) -> usize {
        self.whole.len().max(1) + self.fraction.len()
    }

    /// Returns the power of ten of the last digit.
    fn last_place(&self, exponent: i32) -> i64 {
        i64::from(exponent) - self.fraction.len() as i64
    }

    /// Returns true if Kubernetes parses the text without big integers.
    pub(super) fn is_fast(&self) -> bool {
        match self.suffix {
            Suffix::Decimal(exponent, _) => {
                self.count() <= FAST && self.last_place(exponent) >= NANO
            }
            Suffix::Binary(power) => {
                let most = 14_u32.saturating_sub(power / 10 * 3);
                self.fraction.is_empty() && self.count() <= most as usize
            }
        }
    }

    /// Returns true if Kubernetes writes the text back unchanged.
    pub(super) fn is_kept(&self) -> bool {
        let digits = || self.whole.bytes().rev();
        self.is_fast()
            && !self.whole.is_empty()
            && match self.suffix {
                // The lowest three bits of the number depend on its last three digits.
                Suffix::Binary(_) => {
                    let last = digits().take(3).zip([1, 10, 100]);
                    last.map(|(digit, place)| u32::from(digit - b'0') * place)
                        .sum::<u32>()
                        % 8
                        != 0
                }
                Suffix::Decimal(exponent, _) => {
                    let mut last = self.fraction.bytes().rev().chain(digits());
                    let thousand =
                        self.count() >= 3 && last.by_ref().take(3).all(|digit| digit == b'0');
                    self.last_place(exponent) % 3 == 0 && !thousand
                }
            }
    }

    /// Checks that there is a number, where Kubernetes needs one.
    pub(super) fn check(&self) -> Result<(), QuantityError> {
        if self.has_digits || self.is_fast() {
            Ok(())
        } else {
            Err(QuantityError::Number)
        }
    }

    pub(super) fn amount(&self) -> Result<Amount, QuantityError> {
        self.check()?;
        Ok(match self.suffix {
            Suffix::Decimal(exponent, format) => self.decimal(exponent, format),
            Suffix::Binary(power) => self.binary(power),
        })
    }

    fn decimal(&self, exponent: i32, format: Format) -> Amount {
        let digits = || {
            self.whole
                .bytes()
                .chain(self.fraction.bytes())
                .map(|d| d - b'0')
        };
        let significant = || digits().skip_while(|digit| *digit == 0);
        let count = match self.whole.len() {
            0 => self.fraction.trim_start_matches('0').len(),
            whole => whole + self.fraction.len(),
        };
        let last = self.last_place(exponent);
        let cut = usize::try_from(NANO - last).unwrap_or(0);
        let kept = count.saturating_sub(cut);
        let up = cut > 0 && significant().skip(kept).any(|digit| digit != 0);
        let digits = Digits::collect(significant(), kept, up);
        Amount::normal(self.negative, digits, last.max(NANO), format)
    }

    /// A binary quantity ends at 2⁶³−1, so that its nanos fit a 128-bit number.
    fn binary(&self, power: u32) -> Amount {
        const MAX: u128 = i64::MAX as u128;
        const NANOS: u128 = 1_000_000_000;

        // Digit by digit from the right: the last carry is the whole part.
        let (mut carry, mut nanos, mut finer) = (0_u128, 0_u128, false);
        for (place, digit) in self.fraction.bytes().enumerate().rev() {
            carry += u128::from(digit - b'0') << power;
            let digit = carry % 10;
            carry /= 10;
            match u32::try_from(place) {
                Ok(place @ ..=8) => nanos += digit * 10_u128.pow(8 - place),
                _ => finer |= digit != 0,
            }
        }
        nanos += u128::from(finer);
        // Above 19 digits it is too large anyway, with every suffix.
        let whole = match self.whole {
            "" => Some(0),
            whole if whole.len() <= 19 => whole.parse::<u128>().ok(),
            _ => None,
        };
        let whole = whole.map_or(u128::MAX, |whole| (whole << power) + carry + nanos / NANOS);
        let (whole, nanos) = if whole < MAX {
            (whole, nanos % NANOS)
        } else {
            (MAX, 0)
        };
        let (digits, exponent, format) = match (whole, nanos) {
            (whole, 0) => (whole, 0, Format::BinarySI),
            (0, nanos) => (nanos, NANO, Format::DecimalSI),
            (whole, nanos) => (whole * NANOS + nanos, NANO, Format::BinarySI),
        };
        Amount::normal(self.negative, Digits::Small(digits), exponent, format)
    }
}

impl Suffix {
    fn parse(text: &str) -> Option<Self> {
        let si = |exponent| Some(Self::Decimal(exponent, Format::DecimalSI));
        match text {
            "Ki" => Some(Self::Binary(10)),
            "Mi" => Some(Self::Binary(20)),
            "Gi" => Some(Self::Binary(30)),
            "Ti" => Some(Self::Binary(40)),
            "Pi" => Some(Self::Binary(50)),
            "Ei" => Some(Self::Binary(60)),
            "n" => si(-9),
            "u" => si(-6),
            "m" => si(-3),
            "" => si(0),
            "k" => si(3),
            "M" => si(6),
            "G" => si(9),
            "T" => si(12),
            "P" => si(15),
            "E" => si(18),
            _ => {
                let exponent = text.strip_prefix(['e', 'E'])?.parse::<i64>().ok()?;
                // Kubernetes drops the upper half as well.
                Some(Self::Decimal(exponent as i32, Format::DecimalExponent))
            }
        }
    }

    /// Returns the error for a text that is no suffix: of another kind if it has characters that no
    /// suffix has.
    #[cold]
    fn error(text: &str) -> QuantityError {
        let bare = text.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
        let (_, rest) = split_digits(bare.strip_prefix(['+', '-']).unwrap_or(bare));
        if rest.is_empty() {
            QuantityError::Suffix
        } else {
            QuantityError::Format
        }
    }
}

/// Returns the digits at the start, and the rest.
fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
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
    /// When the text isn't a quantity.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        Parts::split(text)?.amount()
    }
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
