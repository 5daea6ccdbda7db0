//! Texts of values as `format` makes them, in the way of English.

use super::general;
use super::texts::escape;

/// Writes a number with so many digits after the point, and commas between thousands: `%f`.
#[must_use]
#[inline]
pub fn fixed(number: f64, precision: i64) -> String {
    if let Some(special) = special(number) {
        return special.to_owned();
    }
    let text = with_precision(number, precision);
    let whole = text.find('.').unwrap_or(text.len());
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let mut grouped = String::new();
    for (at, c) in text.char_indices() {
        if at > digits && at < whole && (whole - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(c);
    }
    grouped
}

/// Writes a number with a power of ten: `%e`. The precision only is its width.
#[must_use]
#[inline]
pub fn scientific(number: f64, width: i64) -> String {
    let written = match special(number) {
        Some(special) => special.to_owned(),
        None => power(number),
    };
    let width = usize::try_from(width).unwrap_or(0);
    format!("{written:>width$}")
}

#[inline]
fn power(number: f64) -> String {
    let text = format!("{:.6e}", positive_zero(number));
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ("\u{207b}", exponent),
        None => ("", exponent),
    };
    let raised = format!("{exponent:0>2}");
    let raised: String = raised.chars().map(raised_digit).collect();
    format!("{digits}\u{d7}10{sign}{raised}")
}

#[inline]
fn raised_digit(digit: char) -> char {
    match digit {
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    }
}

#[inline]
fn special(number: f64) -> Option<&'static str> {
    match number {
        f64::INFINITY => Some("\u{221e}"),
        f64::NEG_INFINITY => Some("-\u{221e}"),
        number if number.is_nan() => Some("NaN"),
        _ => None,
    }
}

/// Writes a number as it is in a list or map, with six digits after the point.
#[must_use]
#[inline]
pub fn plain(number: f64) -> String {
    match number.is_finite() {
        true => format!("{number:.6}"),
        false => format!("\"{}\"", general(number)),
    }
}

#[inline]
fn with_precision(number: f64, precision: i64) -> String {
    let precision = usize::try_from(precision).unwrap_or(0);
    format!("{:.precision$}", positive_zero(number))
}

#[inline]
fn positive_zero(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number }
}

/// Writes a whole number with the digits of a base: `%b`, `%o`, `%x`.
#[must_use]
#[inline]
pub fn digits(number: i128, base: i64) -> String {
    let (sign, size) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
    match base {
        2 => format!("{sign}{size:b}"),
        8 => format!("{sign}{size:o}"),
        _ => format!("{sign}{size:x}"),
    }
}

/// Writes a text in quotes as Go's `%q`.
#[must_use]
#[inline]
pub fn in_quotes(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match escape(c) {
            Some(escape) => quoted.push_str(escape),
            None if is_printed(c) => quoted.push(c),
            None => {
                let code = u32::from(c);
                quoted += &match code {
                    0..0x80 => format!("\\x{code:02x}"),
                    0x80..=0xffff => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                };
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Returns true for what has a form on paper. Rust escapes marks only at the start of a text.
#[inline]
fn is_printed(c: char) -> bool {
    let text = String::from_iter(['a', c]);
    matches!(c, '\'') || text.escape_debug().count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_fractions() {
        for (number, precision, text) in [
            (1_234_567.125, 2, "1,234,567.12"),
            (-1234.5, 6, "-1,234.500000"),
            (999.999_999_9, 6, "1,000.000000"),
            (2.5, 0, "2"),
            (-0.04, 1, "-0.0"),
            (-0.0, 1, "0.0"),
            (0.1, 20, "0.10000000000000000555"),
            (123.0, 0, "123"),
            (f64::NAN, 9, "NaN"),
            (f64::NEG_INFINITY, 9, "-\u{221e}"),
        ] {
            assert_eq!(fixed(number, precision), text);
        }
        assert_eq!(
            (plain(1.5), plain(f64::INFINITY)),
            ("1.500000".into(), "\"+Inf\"".into())
        );
    }

    #[test]
    fn numbers_with_powers() {
        for (number, width, text) in [
            (1_234_567.125, 6, "1.234567\u{d7}10\u{2070}\u{2076}"),
            (0.000_123_45, 3, "1.234500\u{d7}10\u{207b}\u{2070}\u{2074}"),
            (1e123, 6, "1.000000\u{d7}10\u{b9}\u{b2}\u{b3}"),
            (-0.0, 6, "0.000000\u{d7}10\u{2070}\u{2070}"),
            (0.1, 20, "      1.000000\u{d7}10\u{207b}\u{2070}\u{b9}"),
            (f64::NAN, 6, "   NaN"),
            (f64::INFINITY, 6, "     \u{221e}"),
        ] {
            assert_eq!(scientific(number, width), text);
        }
    }

    #[test]
    fn digits_and_quotes() {
        assert_eq!((digits(-5, 2), digits(8, 8)), ("-101".into(), "10".into()));
        assert_eq!(digits(i64::MIN.into(), 16), "-8000000000000000");
        assert_eq!(in_quotes("a\"\\\u{7}\u{b}\n'"), "\"a\\\"\\\\\\a\\v\\n'\"");
        assert_eq!(
            in_quotes("\u{0}\u{7f}\u{200b}\u{a0}"),
            "\"\\x00\\x7f\\u200b\\u00a0\""
        );
        assert_eq!(
            in_quotes("\u{301}e\u{301}\u{1f600}"),
            "\"\u{301}e\u{301}\u{1f600}\""
        );
        assert_eq!(in_quotes("\u{e0001}"), "\"\\U000e0001\"");
    }
}
