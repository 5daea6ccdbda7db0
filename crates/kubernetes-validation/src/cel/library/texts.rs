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
