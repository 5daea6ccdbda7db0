//! Formats of numbers with a check digit, and of colors.

/// Returns true for the number of a card, whatever is between its digits.
#[inline]
pub(crate) fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter_map(digit).collect();
    let is_length = match *digits.as_slice() {
        [4, ..] => matches!(digits.len(), 13 | 16),
        [5, 1..=5, ..] | [6, 0, 1, 1, ..] | [6, 5, ..] | [3, 5, ..] => digits.len() == 16,
        [3, 4 | 7, ..] | [2, 1, 3, 1, ..] | [1, 8, 0, 0, ..] => digits.len() == 15,
        [3, 0, 0..=5, ..] | [3, 6 | 8, ..] => digits.len() == 14,
        _ => false,
    };
    // Every other digit counts twice, and then as the sum of its own digits.
    let weighted = digits.iter().rev().enumerate().map(|(index, digit)| {
        let twice = digit * 2;
        match index % 2 {
            0 => u32::from(*digit),
            _ => u32::from(twice / 10 + twice % 10),
        }
    });
    is_length && weighted.sum::<u32>().is_multiple_of(10)
}

/// Returns true for the number of a book in its older form, whose last digit may be `X`.
#[inline]
pub(crate) fn is_isbn10(text: &str) -> bool {
    let digits = book(text, |byte, index| match byte {
        b'X' if index == 9 => Some(10),
        other => digit(other),
    });
    let weighted = (1..).zip(&digits);
    let sum: u32 = weighted.map(|(weight, d)| weight * u32::from(*d)).sum();
    digits.len() == 10 && sum.is_multiple_of(11)
}

/// Returns true for the number of a book of 13 digits.
#[inline]
pub(crate) fn is_isbn13(text: &str) -> bool {
    let digits = book(text, |byte, _| digit(byte));
    let weighted = [1, 3].into_iter().cycle().zip(&digits);
    let sum: u32 = weighted.map(|(weight, d)| weight * u32::from(*d)).sum();
    digits.len() == 13 && sum.is_multiple_of(10)
}

/// The digits of a book's number, without spaces and dashes; none if something else is in it.
#[inline]
fn book(text: &str, digit: impl Fn(u8, usize) -> Option<u8>) -> Vec<u8> {
    let is_between = |byte: &u8| *byte == b'-' || is_space(char::from(*byte));
    let bytes = text.bytes().filter(|byte| !is_between(byte)).enumerate();
    let digits: Option<_> = bytes.map(|(index, byte)| digit(byte, index)).collect();
    digits.unwrap_or_default()
}

/// Returns true for `rgb(…)` with three numbers up to 255, and spaces around them.
#[inline]
pub(crate) fn is_rgb_color(text: &str) -> bool {
    let inside = text.strip_prefix("rgb(").and_then(|t| t.strip_suffix(')'));
    let parts = inside.into_iter().flat_map(|inside| inside.split(','));
    let mut count = 0;
    for part in parts {
        let number = part.trim_matches(is_space);
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
        let has_zeros = number.len() > 1 && number.starts_with('0');
        if !is_plain || has_zeros || number.parse::<u8>().is_err() {
            return false;
        }
        count += 1;
    }
    count == 3
}

#[inline]
fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

/// Returns true for what expressions of Go take for a space.
#[inline]
fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ')
}
