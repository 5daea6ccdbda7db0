//! Durations, as Go reads them, and those of the format `duration`.

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
#[must_use]
#[inline]
pub fn duration(text: &str) -> Option<i64> {
    let (is_negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (part, after) = part(rest)?;
        sum = sum.checked_add(part).filter(|sum| *sum <= MOST)?;
        rest = after;
    }
    match is_negative {
        true => 0_i64.checked_sub_unsigned(sum),
        false => i64::try_from(sum).ok(),
    }
}

/// Returns the nanoseconds of a text of the format `duration`: a duration of Go, or numbers with
/// names of units between anything, such as `3 days and 2 hours`.
#[must_use]
#[inline]
pub fn written_duration(text: &str) -> Option<i64> {
    if let Some(duration) = duration(text) {
        return Some(duration);
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
        let number: i64 = number.parse().ok()?;
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
    is_any.then_some(sum)
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
