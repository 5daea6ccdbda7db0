//! Values in numbers of 64 bits, as an API server's rules compute them.

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
