//! Reads times in the form that Kubernetes accepts.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::serde::de::value::CowStrDeserializer;
use k8s_openapi::serde::de::{Deserialize, Error, MapAccess, Unexpected};

use super::read::Text;

/// The most digits of a fraction of a second; Kubernetes writes none.
const DIGITS: usize = 9;

/// Reads the time that follows a key into `slot`; `null` leaves that as it is.
///
/// Times have the form of RFC 3339 as Go's `time.Parse` accepts it, `2026-01-02T03:04:05Z`, with
/// fractions of a second and an offset as in `+01:00` allowed: capital letters, no leap seconds.
/// Unlike in Go, an offset with 60 minutes is an error. A time after 9999-12-30T22:00:00Z, which
/// `k8s-openapi` can't represent, becomes that, so that objects with such a time, which means
/// never, can be read.
///
/// # Errors
///
/// When the value isn't such a time, or the input is invalid.
pub fn read_time<'de, M: MapAccess<'de>, T: From<Time>>(
    map: &mut M,
    slot: &mut T,
) -> Result<(), M::Error> {
    if let Some(Text(text)) = map.next_value()? {
        *slot = parse::<M::Error>(&text)?.into();
    }
    Ok(())
}

/// Reads the time of a custom resource that follows a key into `slot`, as [`read_time`] does; a
/// server takes `t` and `z` too, and keeps them.
///
/// # Errors
///
/// As [`read_time`].
pub fn read_custom_time<'de, M: MapAccess<'de>, T: From<Time>>(
    map: &mut M,
    slot: &mut T,
) -> Result<(), M::Error> {
    if let Some(Text(text)) = map.next_value()? {
        *slot = parse::<M::Error>(&text.to_ascii_uppercase())?.into();
    }
    Ok(())
}

/// Parses a time.
pub(super) fn parse<E: Error>(text: &str) -> Result<Time, E> {
    if let Some(time) = common(text) {
        return Ok(time);
    }
    let plain = plain(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &EXPECTED))?;
    // Generic, so that only programs that read times get a copy of the parser.
    let read = |text| Timestamp::deserialize(CowStrDeserializer::<E>::new(text)).map(Time);
    match plain.strip_prefix(LAST_YEAR) {
        // It isn't too late if it is a time of another year.
        Some(rest) => read(plain.clone()).or_else(|error| {
            let earlier = read(Cow::Owned(format!("9998{rest}")));
            earlier.map(|_| Time(LAST_TIME)).map_err(|_| error)
        }),
        None => read(plain),
    }
}

/// The last year, which isn't a leap year, as little as the one before it.
const LAST_YEAR: &str = "9999";

/// Go's zero time: 0001-01-01T00:00:00Z.
pub(crate) const ZERO_TIME: Timestamp = Timestamp::constant(-62_135_596_800, 0);

/// The last second that `k8s-openapi` has: 9999-12-30T22:00:00Z.
pub(crate) const LAST_TIME: Timestamp = Timestamp::constant(253_402_207_200, 0);

const EXPECTED: &str = "a time of RFC 3339, such as `2026-01-02T03:04:05Z`";

/// Reads the form in which Kubernetes writes times, `2026-01-02T03:04:05Z`; all others are `None`,
/// and so are times before 1970, those of 9999, and those that don't exist.
///
/// Objects have a time for each manager of fields: checking the form and then reading it by `jiff`
/// took a sixtieth of the reading of a list of Nodes. By hand, and by a constant's function, as the
/// others of `jiff` are generic code: up to half a megabyte in each build. `inline`, so that only
/// programs that read times get a copy.
#[inline]
fn common(text: &str) -> Option<Time> {
    let &[ref digits @ .., b'Z'] = text.as_bytes() else {
        return None;
    };
    let digits: &[u8; 19] = digits.try_into().ok()?;
    let year = two(digits, 0)? * 100 + two(digits, 2)?;
    let [month, day] = [two(digits, 5)?, two(digits, 8)?];
    let [hour, minute, second] = [two(digits, 11)?, two(digits, 14)?, two(digits, 17)?];
    let between = [digits[4], digits[7], digits[10], digits[13], digits[16]];
    if between != *b"--T::" {
        return None;
    }
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_of_month = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        _ => return None,
    };
    let exists = (1..=days_of_month).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !exists || !(1970..9999).contains(&year) {
        return None;
    }
    // Years that start with March have the leap day at their end.
    let (march_year, march_month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leap_days = march_year / 4 - march_year / 100 + march_year / 400;
    let days = march_year * 365 + leap_days + (march_month * 153 + 2) / 5 + day - 1 - DAYS_TO_1970;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Some(Time(Timestamp::constant(seconds, 0)))
}

/// Reads the two digits at the place.
#[inline]
fn two(digits: &[u8; 19], at: usize) -> Option<i64> {
    let [tens, ones] = [digits[at], digits[at + 1]];
    let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
    is_number.then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
}

/// Days from the first of March of the year 0 to the first of January 1970.
const DAYS_TO_1970: i64 = 719_468;

/// Returns the text if it has the form, as one that `jiff` reads too.
fn plain(text: &str) -> Option<Cow<'_, str>> {
    // Go accepts an hour of one digit.
    if let Some((date, after)) = text.split_once('T')
        && after.as_bytes().get(1) == Some(&b':')
    {
        let padded = format!("{date}T0{after}");
        return plain(&padded).map(|text| Cow::Owned(text.into_owned()));
    }
    let (seconds, rest) = text.split_at_checked("2026-01-02T03:04:05".len())?;
    let has_form = seconds
        .bytes()
        .enumerate()
        .all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            10 => byte == b'T',
            13 | 16 => byte == b':',
            _ => byte.is_ascii_digit(),
        });
    if !has_form || seconds.ends_with("60") {
        return None;
    }
    let (fraction, offset) = match rest.strip_prefix(['.', ',']) {
        Some(after) => {
            let end = after
                .find(|c: char| !c.is_ascii_digit())
                .filter(|end| *end > 0)?;
            after.split_at_checked(end)?
        }
        None => ("", rest),
    };
    let is_offset = match offset.as_bytes() {
        b"Z" => true,
        [b'+' | b'-', hours @ .., b':', m, n] => {
            let is_hour = matches!(hours, [b'0' | b'1', b'0'..=b'9'] | [b'2', b'0'..=b'4']);
            is_hour && (b'0'..=b'5').contains(m) && n.is_ascii_digit()
        }
        _ => false,
    };
    if !is_offset {
        return None;
    }
    match fraction.get(..DIGITS) {
        Some(digits) => Some(Cow::Owned(format!("{seconds}.{digits}{offset}"))),
        None => Some(Cow::Borrowed(text)),
    }
}
