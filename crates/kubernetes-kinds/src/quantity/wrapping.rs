//! Values in numbers of 64 bits, as an API server's rules compute them.

use super::digits::Digits;
use super::error::QuantityError;
use super::parse::{Parts, Suffix};

/// Returns the value as a whole number, as the rules of an API server compute it from a resource
/// of an object: beyond 64 bits it is wrong, and can be negative, as that of Go's `Value`.
///
/// [`Amount::to_i64`](super::Amount::to_i64) is the exact one.
///
/// # Errors
///
/// When the text isn't a quantity.
pub fn wrapping_value(text: &str) -> Result<i64, QuantityError> {
    wrapping(text, 0)
}

/// Returns the thousandths of a value as [`wrapping_value`] returns the value: as Go's
/// `MilliValue`.
///
/// # Errors
///
/// When the text isn't a quantity.
pub fn wrapping_milli_value(text: &str) -> Result<i64, QuantityError> {
    wrapping(text, 3)
}

/// Returns the value times 10^`places`, which is 0 or 3, of a quantity that a server's defaults
/// have rounded to thousandths.
fn wrapping(text: &str, places: i32) -> Result<i64, QuantityError> {
    let parts = Parts::split(text.trim())?;
    let amount = parts.amount()?;
    if parts.is_fast() {
        return Ok(fast(&parts, places));
    }
    let scaled = |places| amount.digits.wrapping(amount.exponent + places) as i64;
    Ok(match (amount.negative, places) {
        (false, _) => scaled(places.into()),
        (true, 3) => scaled(3).wrapping_neg(),
        // Go divides negative thousandths after it has cut them to 64 bits.
        (true, _) => {
            let milli = scaled(3).wrapping_neg();
            milli / 1000 + i64::from(milli % 1000 != 0)
        }
    })
}

/// The same of what Go holds in 64 bits, with a power of ten.
fn fast(parts: &Parts<'_>, places: i32) -> i64 {
    let digits = parts.whole.bytes().chain(parts.fraction.bytes());
    let number = digits.fold(0_i64, |number, digit| {
        number.wrapping_mul(10).wrapping_add((digit - b'0').into())
    });
    let (mut number, mut power) = match parts.suffix {
        Suffix::Binary(power) => (number << power, 0),
        Suffix::Decimal(exponent, _) => (number, exponent - parts.fraction.len() as i32),
    };
    for end in [-3, -places] {
        if power < end {
            number = match 10_i64.checked_pow((end - power) as u32) {
                Some(divisor) => number.unsigned_abs().div_ceil(divisor.unsigned_abs()) as i64,
                None => i64::from(number != 0),
            };
            power = end;
        }
    }
    let up = power.wrapping_add(places);
    let number = if parts.negative { -number } else { number };
    match up {
        // Go multiplies at once where it has a constant for it, and ignores what doesn't fit.
        1 | 2 | 3 | 6 | 9 => number.wrapping_mul(10_i64.pow(up as u32)),
        ..=0 => number,
        _ if number == 0 => 0,
        _ => 10_i64
            .checked_pow(up as u32)
            .and_then(|factor| number.checked_mul(factor))
            .unwrap_or(0),
    }
}

impl Digits {
    /// The lowest 64 bits of the number times a power of ten, rounded up.
    fn wrapping(&self, exponent: i64) -> u64 {
        let up = match u64::try_from(exponent) {
            Ok(up) => up,
            Err(_) => return self.wrapping_quotient(exponent.unsigned_abs()),
        };
        // 10⁶⁴ and more has 64 zeros at its end in base 2 too.
        let factor = u32::try_from(up).map_or(0, |up| match up {
            ..64 => 10_u64.wrapping_pow(up),
            _ => 0,
        });
        self.wrapping_quotient(0).wrapping_mul(factor)
    }

    /// The lowest 64 bits of the number divided by a power of ten, rounded up.
    fn wrapping_quotient(&self, down: u64) -> u64 {
        match self {
            Self::Small(number) => {
                let divisor = u32::try_from(down)
                    .ok()
                    .and_then(|d| 10_u128.checked_pow(d));
                match divisor {
                    Some(divisor) => number.div_ceil(divisor) as u64,
                    None => u64::from(*number != 0),
                }
            }
            Self::Large(digits) => {
                let kept = digits.len().saturating_sub(down as usize);
                let number = digits[..kept].iter().fold(0_u64, |number, digit| {
                    number.wrapping_mul(10).wrapping_add((*digit).into())
                });
                // Zeros at the end are removed, so that digits that are cut are none.
                number.wrapping_add(u64::from(kept < digits.len()))
            }
        }
    }
}
