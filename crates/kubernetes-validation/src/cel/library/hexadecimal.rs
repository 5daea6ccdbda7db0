//! Numbers that are written with hexadecimal digits and a power of two, `0x1.8p-2`.

use super::{Failure, Result};

/// The bits of a number that may have a fraction, and the least power of two of one.
const BITS: i64 = 53;
const LEAST: i64 = -1074;

/// Returns the number that a text without underscores is, after its sign and `0x`.
#[inline]
pub(super) fn read(text: &str) -> Result<f64> {
    let (digits, exponent) = text.split_once(['p', 'P']).ok_or(Failure::Form)?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err(Failure::Form);
    }
    // The first bits, the power of two of the last of them, and whether others follow.
    let (mut bits, mut power, mut is_cut) = (0_u64, 0_i64, false);
    for (digit, is_whole) in whole
        .chars()
        .map(|digit| (digit, true))
        .chain(fraction.chars().map(|digit| (digit, false)))
    {
        let digit = digit.to_digit(16).ok_or(Failure::Form)?;
        if bits >> 60 == 0 {
            bits = bits << 4 | u64::from(digit);
            power -= if is_whole { 0 } else { 4 };
        } else {
            is_cut |= digit != 0;
            power += if is_whole { 4 } else { 0 };
        }
    }
    let number = rounded(bits, power.saturating_add(power_of(exponent)?), is_cut);
    match number.is_finite() {
        true => Ok(number),
        false => Err(Failure::Overflow),
    }
}

/// The number after `p`; what is beyond any number is far enough beyond.
#[inline]
fn power_of(text: &str) -> Result<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Failure::Form);
    }
    let number = i64::from(digits.parse().unwrap_or(i32::MAX));
    Ok(if text.starts_with('-') {
        -number
    } else {
        number
    })
}

/// The nearest number to `bits * 2^power`, of which one that ends with a zero bit if two are.
#[inline]
fn rounded(bits: u64, power: i64, is_cut: bool) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let length = 64 - i64::from(bits.leading_zeros());
    let dropped = (length - BITS).max(LEAST.saturating_sub(power)).max(0);
    let (kept, is_up) = match u32::try_from(dropped) {
        Ok(0) => (bits, false),
        Ok(dropped @ 1..64) => {
            let (kept, rest) = (bits >> dropped, bits & ((1 << dropped) - 1));
            let half = 1 << (dropped - 1);
            (
                kept,
                rest > half || rest == half && (is_cut || kept & 1 == 1),
            )
        }
        Ok(64) => (0, bits > 1 << 63 || bits == 1 << 63 && is_cut),
        _ => (0, false),
    };
    let power = power.saturating_add(dropped).min(2000);
    // Two steps, as a power alone may be no number.
    let half = power / 2;
    let by = |power: i64| 2f64.powi(i32::try_from(power).unwrap_or(-2000));
    (kept + u64::from(is_up)) as f64 * by(half) * by(power - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, number) in [
            ("1p-2", 0.25),
            ("1.8p1", 3.0),
            (".8P+0", 0.5),
            ("10p0", 16.0),
            ("0.00000000000000000001p80", 1.0),
            ("1p1023", 2f64.powi(1023)),
            ("1p-1074", f64::from_bits(1)),
            ("1.8p-1075", f64::from_bits(1)),
            ("1p-1075", 0.0),
            ("1.00000000000008p0", 1.0),
            ("1.000000000000080000001p0", 1.0 + f64::EPSILON),
            ("1.00000000000018p0", 1.0 + 2.0 * f64::EPSILON),
            ("1fffffffffffffffffffffp-84", 2.0),
            ("0p99999999999", 0.0),
            ("1p-99999999999", 0.0),
        ] {
            assert_eq!(read(text), Ok(number), "{text}");
        }
        for text in ["", "1", "p1", ".p1", "1p", "1p+", "1p1.5", "gp1", "1.1.1p0"] {
            assert_eq!(read(text), Err(Failure::Form), "{text}");
        }
        for text in ["1p1024", "1.fffffffffffff8p1023", "1p99999999999"] {
            assert_eq!(read(text), Err(Failure::Overflow), "{text}");
        }
        assert_eq!(read("1.fffffffffffff7p1023"), Ok(f64::MAX));
    }
}
