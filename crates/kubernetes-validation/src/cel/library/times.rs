//! Times, as Go reads them: seconds since 1970 and a fraction, in the years 1 to 9999.

use std::cmp::Ordering;

use super::{Failure, Result};

/// The seconds of a day.
const DAY: i64 = 86_400;

/// The first and the last second that a sum, or a text in a rule, can be.
const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

/// A time, and the offset of the zone in which it is written. Equal times can have others.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    seconds: i64,
    nanoseconds: i64,
    offset: i64,
}

impl Time {
    #[inline]
    fn moment(self) -> (i64, i64) {
        (self.seconds, self.nanoseconds)
    }
}

impl PartialEq for Time {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.moment() == other.moment()
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.moment().cmp(&other.moment())
    }
}

/// Returns the time that a text of the format `date-time` is.
#[inline]
pub fn written_time(text: &str) -> Result<Time> {
    let (date, rest) = text.split_at_checked(10).ok_or(Failure::Form)?;
    let midnight = written_date(date)?.seconds;
    let (seconds, nanoseconds, offset) = rest
        .strip_prefix('T')
        .and_then(clock)
        .ok_or(Failure::Form)?;
    Ok(Time {
        seconds: midnight + seconds - offset,
        nanoseconds,
        offset,
    })
}

/// Returns the first moment of the day that a text of the format `date` is.
#[inline]
pub fn written_date(text: &str) -> Result<Time> {
    let is_day = kubernetes_schema_terms::TextFormat::Date.matches(text);
    let part = |from, to| text.get(from..to).and_then(|part| part.parse::<i64>().ok());
    let parts = part(0, 4).zip(part(5, 7)).zip(part(8, 10));
    match parts.filter(|_| is_day) {
        Some(((year, month), day)) => Ok(Time {
            seconds: days(year, month, day) * DAY,
            nanoseconds: 0,
            offset: 0,
        }),
        None => Err(Failure::Form),
    }
}

/// Returns the time that a text is: `timestamp('2026-01-02T03:04:05Z')`.
#[inline]
pub fn timestamp(text: &str) -> Result<Time> {
    written_time(text)?.in_range()
}

/// Returns the time so many seconds after 1970.
#[inline]
pub fn since_1970(seconds: i64) -> Result<Time> {
    let time = Time {
        seconds,
        nanoseconds: 0,
        offset: 0,
    };
    time.in_range()
}

/// Returns the time a duration after another.
#[inline]
pub fn later(time: Time, nanoseconds: i64) -> Result<Time> {
    let sum = time.nanoseconds + nanoseconds % SECOND;
    let seconds = time.seconds + nanoseconds / SECOND + sum.div_euclid(SECOND);
    let time = Time {
        seconds,
        nanoseconds: sum.rem_euclid(SECOND),
        offset: time.offset,
    };
    time.in_range()
}

/// Returns the time a duration before another.
#[inline]
pub fn earlier(time: Time, nanoseconds: i64) -> Result<Time> {
    later(time, nanoseconds.checked_neg().ok_or(Failure::Overflow)?)
}

/// Returns the duration from the second time to the first.
#[inline]
pub fn between(to: Time, from: Time) -> Result<i64> {
    let seconds = (to.seconds - from.seconds).checked_mul(SECOND);
    let whole = seconds.and_then(|whole| whole.checked_add(to.nanoseconds - from.nanoseconds));
    whole.ok_or(Failure::Overflow)
}

impl Time {
    /// Returns the time in a zone, which is so many minutes before UTC's.
    #[must_use]
    #[inline]
    pub fn in_zone(self, minutes: i64) -> Self {
        Self {
            seconds: self.seconds + minutes * 60,
            ..self
        }
    }

    /// Returns true for the first moment of the year 1.
    #[inline]
    pub(super) fn is_first(self) -> bool {
        self.moment() == (FIRST, 0)
    }

    /// Returns the whole seconds since 1970.
    #[must_use]
    #[inline]
    pub fn unix(self) -> i64 {
        self.seconds
    }

    /// Writes it in its zone: `string`.
    #[must_use]
    #[inline]
    pub fn to_text(self) -> String {
        let local = self.in_zone(self.offset / 60);
        let (year, month, day) = local.date();
        let (hours, minutes, seconds) = (local.hours(), local.minutes(), local.seconds());
        let mut text =
            format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}");
        if self.nanoseconds > 0 {
            let fraction = format!(".{:09}", self.nanoseconds);
            text += fraction.trim_end_matches('0');
        }
        match self.offset / 60 {
            0 => text.push('Z'),
            minutes => {
                let sign = if minutes < 0 { '-' } else { '+' };
                let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
                text += &format!("{sign}{hours:02}:{minutes:02}");
            }
        }
        text
    }

    /// Returns the year.
    #[must_use]
    #[inline]
    pub fn year(self) -> i64 {
        self.date().0
    }

    /// Returns the month, from 0.
    #[must_use]
    #[inline]
    pub fn month(self) -> i64 {
        self.date().1 - 1
    }

    /// Returns the day of the month, from 1.
    #[must_use]
    #[inline]
    pub fn day(self) -> i64 {
        self.date().2
    }

    /// Returns the day of the month, from 0.
    #[must_use]
    #[inline]
    pub fn day_of_month(self) -> i64 {
        self.date().2 - 1
    }

    /// Returns the day of the week, from Sunday as 0.
    #[must_use]
    #[inline]
    pub fn day_of_week(self) -> i64 {
        (self.seconds.div_euclid(DAY) + 4).rem_euclid(7)
    }

    /// Returns the day of the year, from 0.
    #[must_use]
    #[inline]
    pub fn day_of_year(self) -> i64 {
        self.seconds.div_euclid(DAY) - days(self.year(), 1, 1)
    }

    /// Returns the hour of the day.
    #[must_use]
    #[inline]
    pub fn hours(self) -> i64 {
        self.seconds.rem_euclid(DAY) / 3600
    }

    /// Returns the minute of the hour.
    #[must_use]
    #[inline]
    pub fn minutes(self) -> i64 {
        self.seconds.rem_euclid(3600) / 60
    }

    /// Returns the second of the minute.
    #[must_use]
    #[inline]
    pub fn seconds(self) -> i64 {
        self.seconds.rem_euclid(60)
    }

    /// Returns the millisecond of the second.
    #[must_use]
    #[inline]
    pub fn milliseconds(self) -> i64 {
        self.nanoseconds / 1_000_000
    }

    #[inline]
    fn in_range(self) -> Result<Self> {
        match (FIRST..=LAST).contains(&self.seconds) {
            true => Ok(self),
            false => Err(Failure::Overflow),
        }
    }

    /// The year, month and day of the Gregorian calendar, counted from a first of March, after
    /// which the months have the same lengths in each year.
    #[inline]
    fn date(self) -> (i64, i64, i64) {
        let day = self.seconds.div_euclid(DAY) + 719_468;
        let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let is_next = i64::from(month >= 10);
        (year + era * 400 + is_next, (month + 2) % 12 + 1, day)
    }
}

/// The days from 1970 to a day.
#[inline]
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + year * 365 + year / 4 - year / 100 + of_year - 719_468
}

/// The seconds and nanoseconds since midnight, and the offset of a time of day. Go takes an hour
/// of one digit, a comma before the fraction, and offsets up to 24:60.
#[inline]
fn clock(text: &str) -> Option<(i64, i64, i64)> {
    let (hours, rest) = text.split_once(':')?;
    let (minutes, rest) = rest.split_once(':')?;
    let (seconds, rest) = rest.split_at_checked(2)?;
    let is_short = hours.len() == 1;
    let hours = number(hours, 23).filter(|_| is_short || hours.len() == 2)?;
    let minutes = number(minutes, 59).filter(|_| minutes.len() == 2)?;
    let seconds = number(seconds, 59)?;
    let digits = rest.strip_prefix(['.', ',']).unwrap_or_default();
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let (fraction, zone) = match count {
        0 => ("", rest),
        count => (&digits[..count], &digits[count..]),
    };
    let fraction = &fraction[..fraction.len().min(9)];
    let nanoseconds = format!("{fraction:0<9}").parse().ok()?;
    let since = hours * 3600 + minutes * 60 + seconds;
    Some((since, nanoseconds, offset(zone)?))
}

/// The seconds of an offset, `Z` or `+01:00`.
#[inline]
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone[1..].split_once(':')?;
    let is_plain = hours.len() == 2 && minutes.len() == 2;
    let seconds = number(hours, 24)? * 3600 + number(minutes, 60)? * 60;
    is_plain.then_some(sign * seconds)
}

#[inline]
fn number(digits: &str, most: i64) -> Option<i64> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_number)?;
    (number <= most).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        let none = Time {
            seconds: i64::MIN,
            nanoseconds: 0,
            offset: 0,
        };
        timestamp(text).unwrap_or(none)
    }

    #[test]
    fn parts_of_times() {
        for (text, parts) in [
            (
                "2024-02-29T23:59:58.1234Z",
                [2024, 1, 29, 28, 4, 59, 23, 59, 58, 123],
            ),
            ("0001-01-01T00:00:00Z", [1, 0, 1, 0, 1, 0, 0, 0, 0, 0]),
            (
                "9999-12-31T23:59:59.999999999Z",
                [9999, 11, 31, 30, 5, 364, 23, 59, 59, 999],
            ),
            (
                "2026-01-01T00:30:00+01:00",
                [2025, 11, 31, 30, 3, 364, 23, 30, 0, 0],
            ),
            ("1969-12-31T19:0:00-05:00", [0; 10]),
        ] {
            let Ok(time) = timestamp(text) else {
                assert_eq!(parts, [0; 10], "{text}");
                continue;
            };
            let found = [
                time.year(),
                time.month(),
                time.day(),
                time.day_of_month(),
                time.day_of_week(),
                time.day_of_year(),
                time.hours(),
                time.minutes(),
                time.seconds(),
                time.milliseconds(),
            ];
            assert_eq!(found, parts, "{text}");
        }
        assert_eq!(at("2026-01-01T00:00:00Z").in_zone(-90).hours(), 22);
    }

    #[test]
    fn texts_of_times() {
        for (text, written) in [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05.120+00:00", "2026-01-02T03:04:05.12Z"),
            (
                "2026-01-01T00:00:00.001-01:30",
                "2026-01-01T00:00:00.001-01:30",
            ),
            ("2026-01-01T1:00:00,5+24:60", "2026-01-01T01:00:00.5+25:00"),
        ] {
            assert_eq!(at(text).to_text(), written, "{text}");
        }
        let hour_later = later(at("2025-12-31T23:30:00+02:00"), 3600 * SECOND);
        let written = hour_later.map(Time::to_text);
        assert_eq!(written, Ok("2026-01-01T00:30:00+02:00".to_owned()));
        assert_eq!(at("2026-01-01T01:00:00+01:00"), at("2026-01-01T00:00:00Z"));
    }

    #[test]
    fn what_is_no_time() {
        assert_eq!(at("2026-01-01T1:00:00,5Z"), at("2026-01-01T01:00:00.5Z"));
        assert_eq!(at("2026-01-02T00:00:00+24:00"), at("2026-01-01T00:00:00Z"));
        for text in [
            "2026-02-29T00:00:00Z",
            "2026-01-01t00:00:00Z",
            "2026-01-01T00:00:00z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+25:00",
            "2026-01-01T00:00:00+1:00",
            "2026-01-01",
            "",
        ] {
            assert_eq!(timestamp(text), Err(Failure::Form), "{text}");
        }
        assert_eq!(
            timestamp("0001-01-01T00:00:00+01:00"),
            Err(Failure::Overflow)
        );
        assert!(written_time("0001-01-01T00:00:00+01:00").is_ok());
    }

    #[test]
    fn sums_and_differences() {
        let time = at("2026-01-01T00:00:00.25Z");
        assert_eq!(later(time, 750_000_000), Ok(at("2026-01-01T00:00:01Z")));
        assert_eq!(
            earlier(time, 500_000_000),
            Ok(at("2025-12-31T23:59:59.75Z"))
        );
        assert_eq!(between(time, at("2026-01-01T00:00:00Z")), Ok(250_000_000));
        let (first, last) = (at("0001-01-01T00:00:00Z"), at("9999-12-31T23:59:59Z"));
        assert_eq!(between(last, first), Err(Failure::Overflow));
        assert_eq!(later(last, SECOND), Err(Failure::Overflow));
        assert_eq!(earlier(first, 1), Err(Failure::Overflow));
        assert_eq!(since_1970(0), Ok(at("1970-01-01T00:00:00Z")));
    }
}
