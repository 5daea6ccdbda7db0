//! Functions of texts.

use std::net::IpAddr;

use kubernetes_schema_terms::TextFormat;

use super::{Failure, Result, size};

/// Returns the part of a text from a position, up to another or to its end; positions count
/// characters.
#[inline]
pub fn substring(text: &str, from: i64, to: Option<i64>) -> Result<&str> {
    let offset = |position: i64| {
        let position = usize::try_from(position).ok()?;
        let mut offsets = text.char_indices().map(|(offset, _)| offset);
        offsets
            .nth(position)
            .or_else(|| (text.chars().count() == position).then_some(text.len()))
    };
    let to = match to {
        Some(to) => offset(to),
        None => Some(text.len()),
    };
    let part = offset(from)
        .zip(to)
        .and_then(|(from, to)| text.get(from..to));
    part.ok_or(Failure::Range)
}

/// Returns the character at a position, which counts characters; the empty text at the end.
#[inline]
pub fn char_at(text: &str, position: i64) -> Result<&str> {
    let rest = substring(text, position, None)?;
    let end = rest.chars().next().map_or(0, char::len_utf8);
    Ok(&rest[..end])
}

/// Returns the position in characters of the first occurrence of a part, or -1.
#[must_use]
#[inline]
pub fn index_of(text: &str, part: &str) -> i64 {
    position(text, text.find(part))
}

/// Returns the position in characters of the last occurrence of a part, or -1.
#[must_use]
#[inline]
pub fn last_index_of(text: &str, part: &str) -> i64 {
    position(text, text.rfind(part))
}

/// Returns the position of the first occurrence of a part from a position on, or -1.
#[inline]
pub fn index_from(text: &str, part: &str, from: i64) -> Result<i64> {
    let from = usize::try_from(from).map_err(|_| Failure::Range)?;
    let rest = match text.char_indices().nth(from) {
        Some((offset, _)) => &text[offset..],
        None if part.is_empty() => return Ok(size(text.chars().count())),
        None => return Ok(-1),
    };
    Ok(match index_of(rest, part) {
        -1 => -1,
        position => position.saturating_add(size(from)),
    })
}

/// Returns the position of the last occurrence of a part that starts at a position or before, or
/// -1. As in CEL, there is none from the end of the text on.
#[inline]
pub fn last_index_from(text: &str, part: &str, from: i64) -> Result<i64> {
    let from = usize::try_from(from).map_err(|_| Failure::Range)?;
    let mut starts = text.char_indices().map(|(offset, _)| offset).enumerate();
    let count = text.chars().count();
    if part.is_empty() || from >= count {
        return Ok(if part.is_empty() {
            size(from.min(count))
        } else {
            -1
        });
    }
    let found = starts
        .by_ref()
        .take(from.saturating_add(1))
        .filter(|(_, offset)| text[*offset..].starts_with(part))
        .last();
    Ok(found.map_or(-1, |(position, _)| size(position)))
}

/// Replaces so many occurrences of a part; all if the number is negative.
#[must_use]
#[inline]
pub fn replace_some(text: &str, from: &str, to: &str, count: i64) -> String {
    match usize::try_from(count) {
        Ok(count) => text.replacen(from, to, count),
        Err(_) => text.replace(from, to),
    }
}

/// Returns at most so many parts of a text, of which the last is the rest; all if the number is
/// negative.
#[must_use]
#[inline]
pub fn split_some(text: &str, by: &str, count: i64) -> Vec<String> {
    let Ok(count) = usize::try_from(count) else {
        return split(text, by);
    };
    if count == 0 || !by.is_empty() {
        return text.splitn(count, by).map(str::to_owned).collect();
    }
    let mut parts = split(text, by);
    if parts.len() > count {
        let rest = parts.split_off(count - 1).concat();
        parts.push(rest);
    }
    parts
}

/// Returns a text in quotes, with escapes: `strings.quote`.
#[must_use]
#[inline]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match escape(c) {
            Some(escape) => quoted.push_str(escape),
            None => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The escape of a character that has one of its own in quotes, in Go as in CEL.
#[inline]
pub(super) const fn escape(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{7}' => "\\a",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{b}' => "\\v",
        '\\' => "\\\\",
        '"' => "\\\"",
        _ => return None,
    })
}

#[inline]
fn position(text: &str, offset: Option<usize>) -> i64 {
    let before = offset.and_then(|offset| text.get(..offset));
    before.map_or(-1, |before| size(before.chars().count()))
}

/// Returns the parts of a text between the occurrences of another; its characters if that is empty.
#[must_use]
#[inline]
pub fn split(text: &str, by: &str) -> Vec<String> {
    match by.is_empty() {
        true => text.chars().map(String::from).collect(),
        false => text.split(by).map(str::to_owned).collect(),
    }
}

/// Returns the whole number that a text is.
#[inline]
pub fn int(text: &str) -> Result<i64> {
    text.parse().map_err(|_| Failure::Form)
}

/// Returns true for an IP address. Kubernetes refuses zones and IPv4 addresses in the form of IPv6.
#[must_use]
#[inline]
pub fn is_ip(text: &str) -> bool {
    match text.parse() {
        Ok(IpAddr::V4(_)) => true,
        Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_none(),
        Err(_) => false,
    }
}

/// Returns true for an IP address with the length of a prefix, such as `10.0.0.0/8`.
#[must_use]
#[inline]
pub fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    // The format allows zeros before the length, and IPv4 addresses in the form of IPv6.
    let is_plain = length == "0" || !length.starts_with('0');
    TextFormat::Cidr.matches(text) && is_plain && is_ip(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_texts() {
        assert_eq!(substring("häuser", 1, None), Ok("äuser"));
        assert_eq!(substring("häuser", 1, Some(2)), Ok("ä"));
        assert_eq!(substring("häuser", 6, None), Ok(""));
        for (from, to) in [(7, None), (-1, None), (2, Some(1)), (0, Some(7))] {
            assert_eq!(substring("häuser", from, to), Err(Failure::Range));
        }
    }

    #[test]
    fn places_in_texts() {
        assert_eq!((index_of("häuse", "u"), last_index_of("aha", "a")), (2, 2));
        assert_eq!((index_of("a", "b"), last_index_of("a", "b")), (-1, -1));
        assert_eq!((index_of("ä", ""), last_index_of("ä", "")), (0, 1));
        assert_eq!((char_at("hä", 1), char_at("hä", 2)), (Ok("ä"), Ok("")));
        assert_eq!(char_at("hä", 3), Err(Failure::Range));
        assert_eq!(split("a/b//", "/"), ["a", "b", "", ""]);
        assert_eq!(split("", "/"), [""]);
        assert_eq!(split("ä/b", ""), ["ä", "/", "b"]);
    }

    #[test]
    fn places_from_a_position_on() {
        for (part, from, first, last) in [
            ("ä", 0, 1, -1),
            ("ä", 1, 1, 1),
            ("ä", 2, 4, 1),
            ("ä", 4, 4, 4),
            ("ä", 5, -1, -1),
            ("ä", 9, -1, -1),
            ("hä", 4, -1, 0),
            ("", 3, 3, 3),
            ("", 9, 5, 5),
        ] {
            let text = "hä hä";
            assert_eq!(index_from(text, part, from), Ok(first), "{part} {from}");
            let last = if (part, from) == ("hä", 4) { 3 } else { last };
            assert_eq!(last_index_from(text, part, from), Ok(last), "{part} {from}");
        }
        assert_eq!(index_from("a", "a", -1), Err(Failure::Range));
        assert_eq!(last_index_from("a", "a", -1), Err(Failure::Range));
    }

    #[test]
    fn so_many_parts() {
        for (count, replaced, parts) in [
            (-1, "1,1,1", vec!["a", "a", "a"]),
            (0, "a,a,a", vec![]),
            (1, "1,a,a", vec!["a,a,a"]),
            (2, "1,1,a", vec!["a", "a,a"]),
            (9, "1,1,1", vec!["a", "a", "a"]),
        ] {
            assert_eq!(replace_some("a,a,a", "a", "1", count), replaced);
            assert_eq!(split_some("a,a,a", ",", count), parts);
        }
        assert_eq!(replace_some("äb", "", "-", 2), "-ä-b");
        assert_eq!(split_some("äbc", "", 2), ["ä", "bc"]);
        assert_eq!(split_some("äbc", "", 0), [""; 0]);
        assert_eq!(quoted("a\"\\\u{7}\u{b}ä\n"), r#""a\"\\\a\vä\n""#);
    }

    #[test]
    fn numbers_and_addresses() {
        assert_eq!((int("-7"), int("+7")), (Ok(-7), Ok(7)));
        for other in ["", "1.0", "a", "9223372036854775808", " 1", "1_000"] {
            assert_eq!(int(other), Err(Failure::Form), "{other}");
        }
        for (text, is) in [
            ("1.2.3.4", true),
            ("::1", true),
            ("01.2.3.4", false),
            ("1.2.3", false),
            ("::ffff:1.2.3.4", false),
            ("fe80::1%eth0", false),
            ("", false),
        ] {
            assert_eq!(is_ip(text), is, "{text}");
        }
        for (text, is) in [
            ("10.0.0.0/8", true),
            ("10.0.0.1/0", true),
            ("::/128", true),
            ("10.0.0.0/33", false),
            ("10.0.0.0/08", false),
            ("10.0.0.0/+8", false),
            ("10.0.0.0/", false),
            ("10.0.0.0", false),
            ("::ffff:1.2.3.4/96", false),
        ] {
            assert_eq!(is_cidr(text), is, "{text}");
        }
    }
}
