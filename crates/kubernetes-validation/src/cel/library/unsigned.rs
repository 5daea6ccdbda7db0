//! Whole numbers without a sign.

use super::{Failure, Result};

/// Returns the number that a text is: `uint`.
#[inline]
pub fn unsigned(text: &str) -> Result<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain);
    number.ok_or(Failure::Form)
}

/// Returns a number that isn't negative.
#[inline]
pub fn without_sign(number: i64) -> Result<u64> {
    number.try_into().map_err(|_| Failure::Overflow)
}

/// Returns a number without its fraction.
#[inline]
pub fn truncated_unsigned(number: f64) -> Result<u64> {
    match number >= 0.0 && number < 2f64.powi(64) {
        true => Ok(number as u64),
        false => Err(Failure::Overflow),
    }
}

/// Returns the number as one with a sign.
#[inline]
pub fn signed(number: u64) -> Result<i64> {
    number.try_into().map_err(|_| Failure::Overflow)
}

/// Returns the number as one that may have a fraction.
#[must_use]
#[inline]
pub fn double_unsigned(number: u64) -> f64 {
    number as f64
}

/// Returns a number with a sign as one of more bits.
#[must_use]
#[inline]
pub fn wide(number: i64) -> i128 {
    number.into()
}

/// Returns a number without a sign as one of more bits.
#[must_use]
#[inline]
pub fn wide_unsigned(number: u64) -> i128 {
    number.into()
}

/// Returns a sum.
#[inline]
pub fn add_unsigned(a: u64, b: u64) -> Result<u64> {
    a.checked_add(b).ok_or(Failure::Overflow)
}

/// Returns a difference.
#[inline]
pub fn subtract_unsigned(a: u64, b: u64) -> Result<u64> {
    a.checked_sub(b).ok_or(Failure::Overflow)
}

/// Returns a product.
#[inline]
pub fn multiply_unsigned(a: u64, b: u64) -> Result<u64> {
    a.checked_mul(b).ok_or(Failure::Overflow)
}

/// Returns a quotient, rounded down.
#[inline]
pub fn divide_unsigned(a: u64, b: u64) -> Result<u64> {
    a.checked_div(b).ok_or(Failure::Division)
}

/// Returns the remainder of a division.
#[inline]
pub fn modulo_unsigned(a: u64, b: u64) -> Result<u64> {
    a.checked_rem(b).ok_or(Failure::Division)
}

/// Returns the sum of numbers.
#[inline]
pub fn sum_unsigned(list: impl AsRef<[u64]>) -> Result<u64> {
    let mut numbers = list.as_ref().iter();
    numbers.try_fold(0, |sum, number| add_unsigned(sum, *number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        assert_eq!(unsigned("18446744073709551615"), Ok(u64::MAX));
        for text in ["", "+1", "-1", "1_0", "0x1", " 1", "18446744073709551616"] {
            assert_eq!(unsigned(text), Err(Failure::Form), "{text}");
        }
        assert_eq!(
            (without_sign(7), without_sign(-1)),
            (Ok(7), Err(Failure::Overflow))
        );
        assert_eq!(
            (signed(7), signed(u64::MAX)),
            (Ok(7), Err(Failure::Overflow))
        );
        assert_eq!(
            (truncated_unsigned(1.9), truncated_unsigned(-0.0)),
            (Ok(1), Ok(0))
        );
        for number in [-0.5, 2f64.powi(64), f64::NAN, f64::INFINITY] {
            assert_eq!(
                truncated_unsigned(number),
                Err(Failure::Overflow),
                "{number}"
            );
        }
        assert_eq!(double_unsigned(u64::MAX), 2f64.powi(64));
        assert!(wide(-1) < wide_unsigned(0) && wide(i64::MAX) < wide_unsigned(u64::MAX));
    }

    #[test]
    fn arithmetic() {
        assert_eq!(
            (add_unsigned(1, 2), subtract_unsigned(3, 2)),
            (Ok(3), Ok(1))
        );
        assert_eq!(
            (multiply_unsigned(3, 2), divide_unsigned(7, 2)),
            (Ok(6), Ok(3))
        );
        assert_eq!(
            (modulo_unsigned(7, 2), sum_unsigned([1, 2])),
            (Ok(1), Ok(3))
        );
        for overflown in [
            add_unsigned(u64::MAX, 1),
            subtract_unsigned(0, 1),
            multiply_unsigned(u64::MAX, 2),
            sum_unsigned([u64::MAX, 1]),
        ] {
            assert_eq!(overflown, Err(Failure::Overflow));
        }
        for divided in [divide_unsigned(1, 0), modulo_unsigned(1, 0)] {
            assert_eq!(divided, Err(Failure::Division));
        }
    }
}
