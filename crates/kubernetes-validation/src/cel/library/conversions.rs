//! Conversions between types.

use super::{Failure, Result};

/// Returns a whole number as one with a fraction, which beyond 2⁵³ is the nearest.
#[must_use]
#[inline]
pub fn double(number: i64) -> f64 {
    number as f64
}

/// Returns a number without its fraction.
#[inline]
pub fn truncated(number: f64) -> Result<i64> {
    // The bounds are out of range themselves.
    let limit = 2f64.powi(63);
    match number > -limit && number < limit {
        true => Ok(number as i64),
        false => Err(Failure::Overflow),
    }
}

/// Returns the flag that a text is.
#[inline]
pub fn flag(text: &str) -> Result<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(Failure::Form),
    }
}

/// Returns the number that a text is: `double`.
#[inline]
pub fn parsed(text: &str) -> Result<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let hexadecimal = unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0X"));
    let is_digit = |byte: Option<&u8>| {
        let is_hexadecimal = |byte: &u8| hexadecimal.is_some() && byte.is_ascii_hexdigit();
        byte.is_some_and(|byte| byte.is_ascii_digit() || is_hexadecimal(byte))
    };
    let bytes = hexadecimal.unwrap_or(unsigned).as_bytes();
    let mut underscores = (0..bytes.len()).filter(|at| bytes[*at] == b'_');
    let is_between = |at: usize| {
        let is_after = match at.checked_sub(1) {
            Some(before) => is_digit(bytes.get(before)),
            None => hexadecimal.is_some(),
        };
        is_after && is_digit(bytes.get(at + 1))
    };
    let is_signed_nan = unsigned.len() < text.len() && unsigned.eq_ignore_ascii_case("nan");
    if !underscores.all(is_between) || is_signed_nan {
        return Err(Failure::Form);
    }
    if let Some(digits) = hexadecimal {
        let number = super::hexadecimal::read(&digits.replace('_', ""))?;
        return Ok(if text.starts_with('-') {
            -number
        } else {
            number
        });
    }
    let number: f64 = text.replace('_', "").parse().map_err(|_| Failure::Form)?;
    match number.is_infinite() && is_digit(unsigned.trim_start_matches('.').as_bytes().first()) {
        true => Err(Failure::Overflow),
        false => Ok(number),
    }
}

/// Writes anything as Rust does.
#[must_use]
#[inline]
pub fn string(of: impl ToString) -> String {
    of.to_string()
}

/// Writes a number with a fraction as Go's `%g`: with the fewest digits that say it, and below
/// 0.0001 and from a million on with an exponent.
#[must_use]
#[inline]
pub fn general(number: f64) -> String {
    if !number.is_finite() {
        return match (number.is_nan(), number > 0.0) {
            (true, _) => "NaN".to_owned(),
            (_, true) => "+Inf".to_owned(),
            (_, false) => "-Inf".to_owned(),
        };
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Writes a duration in seconds.
#[must_use]
#[inline]
pub fn in_seconds(nanoseconds: i64) -> String {
    let (whole, below) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    // Go adds the two as floats.
    format!("{}s", whole as f64 + below as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_flags() {
        assert_eq!((truncated(1.9), truncated(-1.9)), (Ok(1), Ok(-1)));
        for out in [f64::NAN, f64::INFINITY, 2f64.powi(63), -(2f64.powi(63))] {
            assert_eq!(truncated(out), Err(Failure::Overflow));
        }
        assert_eq!((flag("T"), flag("False")), (Ok(true), Ok(false)));
        for other in ["", "tRUE", "yes", " true"] {
            assert_eq!(flag(other), Err(Failure::Form), "{other}");
        }
    }

    #[test]
    fn numbers_of_texts() {
        for (text, number) in [
            ("1.5", 1.5),
            ("-1E3", -1000.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("1_0.5_0e1_0", 1.05e11),
            ("1e-999", 0.0),
            ("-Inf", f64::NEG_INFINITY),
            ("+infinity", f64::INFINITY),
            ("0x1p-2", 0.25),
            ("-0X_1_0.8p+0", -16.5),
        ] {
            assert_eq!(parsed(text), Ok(number), "{text}");
        }
        assert!(parsed("nan").is_ok_and(f64::is_nan));
        for text in [
            "", ".", "1e", " 1", "1__0", "_1", "1_", "1_e1", "+nan", "0x1", "0x", "x", "0x1_p0",
            "--1", "0x+1p0",
        ] {
            assert_eq!(parsed(text), Err(Failure::Form), "{text}");
        }
        for text in ["1e999", "-1e999", ".1e999", "0x1p9999"] {
            assert_eq!(parsed(text), Err(Failure::Overflow), "{text}");
        }
    }

    #[test]
    fn texts_of_numbers() {
        for (number, text) in [
            (1.0, "1"),
            (-0.5, "-0.5"),
            (0.1, "0.1"),
            (123_456.5, "123456.5"),
            (1e6, "1e+06"),
            (123_456_789.5, "1.234567895e+08"),
            (1e21, "1e+21"),
            (0.0001, "0.0001"),
            (1.25e-5, "1.25e-05"),
            (f64::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(general(number), text);
        }
        assert_eq!(
            (in_seconds(1_500_000_000), in_seconds(-60_000_000_000)),
            ("1.5s".into(), "-60s".into())
        );
    }
}
