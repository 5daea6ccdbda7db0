//! Days of the calendar.

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
