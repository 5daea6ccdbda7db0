//! Escapes of JSON that stand for no character.

use std::borrow::Cow;

/// The escape that Go reads in their place.
const REPLACEMENT: &str = "fffd";

/// Returns the text with another escape, of the same length, for each half of a pair without the
/// other half, such as `\ud800`.
pub(super) fn mended(text: Cow<'_, str>) -> Cow<'_, str> {
    let halves = halves(&text);
    if halves.is_empty() {
        return text;
    }
    let mut text = text.into_owned();
    for place in halves {
        text.replace_range(place..place + REPLACEMENT.len(), REPLACEMENT);
    }
    Cow::Owned(text)
}

/// Returns the places of the digits of halves without the other half.
fn halves(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(next) = text.get(place..).and_then(|rest| rest.find('\\')) {
        place += next;
        let (first, second) = (unit(text, place), unit(text, place + 6));
        place += match (first, second) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found.push(place + 2);
                6
            }
            // A quote or another backslash may follow.
            _ => 1 + text[place + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    found
}

/// Returns the number of an escape `\uXXXX`.
fn unit(text: &str, place: usize) -> Option<u32> {
    let digits = text.get(place..place + 6)?.strip_prefix("\\u")?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, 16).ok())?
}
