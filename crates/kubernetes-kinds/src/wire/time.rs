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
