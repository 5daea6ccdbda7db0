//! Durations, as Go reads them.

use super::{Failure, Result};

/// The units of a duration, with their nanoseconds.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    // The micro sign, and the Greek letter.
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The names of units in the format `duration`, what else begins as a name, and the nanoseconds.
const NAMES: [(&[&str], &str, i64); 8] = [
    (&["ns"], "nano", 1),
    (&["us", "\u{b5}s"], "micro", 1_000),
    (&["ms"], "milli", 1_000_000),
    (&["s"], "sec", 1_000_000_000),
    (&["m"], "min", 60_000_000_000),
    (&["h", "hr"], "hour", 3_600_000_000_000),
    (&["d"], "day", 86_400_000_000_000),
    (&["w", "wk"], "week", 604_800_000_000_000),
];

/// The largest number of nanoseconds, of a negative duration.
const MOST: u64 = 1 << 63;

/// Returns the nanoseconds of a duration in the form of Go, such as `1h30m` or `-1.5s`.
#[inline]
pub fn duration(text: &str) -> Result<i64> {
    let (is_negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(Failure::Form);
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (part, after) = part(rest).ok_or(Failure::Form)?;
        sum = sum
            .checked_add(part)
            .filter(|sum| *sum <= MOST)
            .ok_or(Failure::Form)?;
        rest = after;
    }
    match is_negative {
        true => 0_i64.checked_sub_unsigned(sum).ok_or(Failure::Form),
        false => i64::try_from(sum).map_err(|_| Failure::Form),
    }
}

/// Returns the nanoseconds of a text of the format `duration`: a duration of Go, or numbers with
/// names of units between anything, such as `3 days and 2 hours`.
#[inline]
pub fn written_duration(text: &str) -> Result<i64> {
    if let Ok(duration) = duration(text) {
        return Ok(duration);
    }
    let (mut sum, mut is_any, mut rest) = (0_i64, false, text);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (number, after) = digits(&rest[start..]);
        let after = after.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let is_in = |c: char| c.is_ascii_alphabetic() || c == '\u{b5}';
        let end = after.find(|c| !is_in(c)).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        rest = after;
        if unit.is_empty() {
            continue;
        }
        let number: i64 = number.parse().map_err(|_| Failure::Form)?;
        let unit = unit.to_ascii_lowercase();
        let found = NAMES
            .iter()
            .find(|(names, start, _)| names.contains(&unit.as_str()) || unit.starts_with(start));
        if let Some((.., nanoseconds)) = found {
            is_any = true;
            // What is too large begins anew from the other end.
            sum = sum.wrapping_add(number.wrapping_mul(*nanoseconds));
        }
    }
    is_any.then_some(sum).ok_or(Failure::Form)
}

/// A number with its unit, and what follows.
#[inline]
fn part(text: &str) -> Option<(u64, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest.find(|c: char| c == '.' || c.is_ascii_digit());
    let (unit, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let mut whole_number = 0_u64;
    for digit in whole.bytes() {
        whole_number = whole_number
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
        if whole_number > MOST {
            return None;
        }
    }
    let nanoseconds = whole_number.checked_mul(*unit)?;
    // Go rounds the fraction as a number of 64 bits.
    let (number, scale) = scaled(fraction);
    let below = (number as f64 * (*unit as f64 / scale)) as u64;
    let sum = nanoseconds.checked_add(below).filter(|sum| *sum <= MOST)?;
    Some((sum, rest))
}

/// The digits of a fraction as a number, and what it is to be divided by. Digits that don't fit are
/// left out.
#[inline]
fn scaled(digits: &str) -> (u64, f64) {
    let (mut number, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        let longer = number
            .checked_mul(10)
            .and_then(|n| n.checked_add(u64::from(digit - b'0')));
        match longer.filter(|longer| *longer <= MOST) {
            Some(longer) => number = longer,
            None => break,
        }
        scale *= 10.0;
    }
    (number, scale)
}

#[inline]
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("+0", 0),
            ("0s", 0),
            ("1h30m", 5_400_000_000_000),
            ("-1.5s", -1_500_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("1\u{b5}s1\u{3bc}s1us1ns", 3_001),
            ("1.0000000001s", 1_000_000_000),
            ("0.100000000000000000000h", 360_000_000_000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
            ("2562047h47m16.854775807s", i64::MAX),
        ] {
            assert_eq!(duration(text), Ok(nanoseconds), "{text}");
        }
    }

    #[test]
    fn durations_of_the_format() {
        for (text, seconds) in [
            ("1h", 3_600),
            ("3 days and 2 hours", 266_400),
            ("1 Week", 604_800),
            ("2wk,1 minutely", 1_209_660),
            ("1 month 1d", 86_400),
        ] {
            assert_eq!(
                written_duration(text),
                Ok(seconds * 1_000_000_000),
                "{text}"
            );
        }
        for text in ["", "1", "one day", "1 month", "9223372036854775808 d"] {
            assert_eq!(written_duration(text), Err(Failure::Form), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_of_go() {
        for text in [
            "",
            "-",
            "+",
            "3",
            ".s",
            "s",
            "1d",
            "1 s",
            " 1s",
            "1s ",
            "--1s",
            "1e3s",
            "1S",
            "0.0",
            "9223372036854775808ns",
            "-9223372036854775809ns",
            "2562048h",
            "1h-1m",
            "\u{661}s",
            "9223372036854775807ns1ns",
        ] {
            assert_eq!(duration(text), Err(Failure::Form), "{text}");
        }
    }
}
