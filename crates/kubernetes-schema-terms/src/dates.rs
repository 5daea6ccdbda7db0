//! Days of the calendar, and times.

use std::ops::Range;

/// Returns true if a text is a day as RFC 3339 has it, `2024-02-29`.
#[inline]
pub(crate) fn is_date(text: &str) -> bool {
    let number = |range: Range<usize>| {
        let digits = text.get(range)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<u16>().ok())?
    };
    let has_dashes = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return false;
    };
    has_dashes && (1..=days(year, month)).contains(&day)
}

/// Returns true if a text is a day and a time to a server, which reads RFC 3339 loosely: letters of
/// any case, any character before the fraction, any offset, and anything after another `t`.
#[must_use]
#[inline]
pub fn is_date_time(text: &str) -> bool {
    let mut parts = text.split(['t', 'T']);
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    is_date(date) && is_time(time).is_some()
}

/// Returns something if a text is a time of day with an offset.
#[inline]
fn is_time(text: &str) -> Option<()> {
    let mut rest = text;
    for (index, most) in ["23", "59", "59"].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix(':')?;
        }
        let (number, after) = rest.split_at_checked(2)?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        rest = (is_number && number <= most).then_some(after)?;
    }
    let is_offset = |text: &str| match text.as_bytes() {
        b"z" | b"Z" => true,
        [b'+' | b'-', digits @ ..] => match digits {
            [a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
            _ => false,
        },
        _ => false,
    };
    if is_offset(rest) {
        return Some(());
    }
    let mut characters = rest.chars();
    let is_character = characters.next().is_some_and(|first| first != '\n');
    let fraction = characters.as_str();
    let offset = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    (is_character && offset.len() < fraction.len() && is_offset(offset)).then_some(())
}

/// Returns the number of days of a month; 0 if it isn't a month.
#[inline]
fn days(year: u16, month: u16) -> u16 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    }
}
