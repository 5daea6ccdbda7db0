//! Formats of texts in the schemas of custom resources.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::dates::{is_date, is_date_time};
use crate::numbers::{is_credit_card, is_isbn10, is_isbn13, is_rgb_color};
use crate::{NameFormat, durations, emails, hosts, terms, urls};

terms! {
    /// A format that `format` names in the schema of a custom resource and a server checks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    TextFormat {
        /// 24 hexadecimal digits: `bsonobjectid`.
        BsonObjectId,
        /// An address and the length of its prefix: `cidr`.
        Cidr,
        /// The number of a credit card, with anything between its digits: `creditcard`.
        CreditCard,
        /// A day, `2024-05-17`: `date`.
        Date,
        /// A day and a time with an offset, `2024-05-17T03:04:05.25+01:00`: `date-time`.
        DateTime,
        /// A duration of Go or numbers with names of units, `1h30m` or `3 days`: `duration`.
        Duration,
        /// The address of a mailbox, with or without a name: `email`.
        Email,
        /// Three or six hexadecimal digits after an optional `#`: `hexcolor`.
        HexColor,
        /// A host name, with a domain or without: `hostname`.
        Hostname,
        /// An address of IPv4, or one of IPv6 whose end is written as one: `ipv4`.
        Ipv4,
        /// An address of IPv6: `ipv6`.
        Ipv6,
        /// The number of a book, of 10 or 13 digits: `isbn`.
        Isbn,
        /// The number of a book, of 10 digits: `isbn10`.
        Isbn10,
        /// The number of a book, of 13 digits: `isbn13`.
        Isbn13,
        /// Labels between dots, 253 bytes at most; a label may be long: `k8s-long-name`.
        LongName,
        /// A hardware address of 6, 8 or 20 bytes: `mac`.
        Mac,
        /// Red, green and blue, `rgb(255, 0, 64)`: `rgbcolor`.
        RgbColor,
        /// A DNS label: `k8s-short-name`.
        ShortName,
        /// Nine digits in groups of three, two and four: `ssn`.
        Ssn,
        /// A URL with a scheme, or an absolute path: `uri`.
        Uri,
        /// A UUID of any version: `uuid`.
        Uuid,
        /// A UUID of version 3: `uuid3`.
        Uuid3,
        /// A UUID of version 4: `uuid4`.
        Uuid4,
        /// A UUID of version 5: `uuid5`.
        Uuid5,
    }
}

impl TextFormat {
    /// Parses the name of a format in schemas. Like a server it ignores dashes.
    #[must_use]
    #[inline]
    pub fn parse(name: &str) -> Option<Self> {
        let plain = |name: &str| name.replace('-', "");
        let name = plain(name);
        Self::ALL
            .into_iter()
            .find(|format| plain(format.name()) == name)
    }

    /// Returns its name in schemas.
    #[must_use]
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BsonObjectId => "bsonobjectid",
            Self::Cidr => "cidr",
            Self::CreditCard => "creditcard",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Duration => "duration",
            Self::Email => "email",
            Self::HexColor => "hexcolor",
            Self::Hostname => "hostname",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Isbn => "isbn",
            Self::Isbn10 => "isbn10",
            Self::Isbn13 => "isbn13",
            Self::LongName => "k8s-long-name",
            Self::Mac => "mac",
            Self::RgbColor => "rgbcolor",
            Self::ShortName => "k8s-short-name",
            Self::Ssn => "ssn",
            Self::Uri => "uri",
            Self::Uuid => "uuid",
            Self::Uuid3 => "uuid3",
            Self::Uuid4 => "uuid4",
            Self::Uuid5 => "uuid5",
        }
    }

    /// Returns true if a text has the format.
    #[must_use]
    #[inline]
    pub fn matches(self, text: &str) -> bool {
        match self {
            Self::BsonObjectId => text.len() == 24 && is_hex(text),
            Self::Cidr => is_cidr(text),
            Self::CreditCard => is_credit_card(text),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
            Self::Duration => durations::written_duration(text).is_some(),
            Self::Email => emails::is_email(text),
            Self::HexColor => {
                let digits = text.strip_prefix('#').unwrap_or(text);
                matches!(digits.len(), 3 | 6) && is_hex(digits)
            }
            Self::Hostname => hosts::is_hostname(text),
            Self::Ipv4 => address(text).is_some() && text.contains('.'),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Isbn => is_isbn10(text) || is_isbn13(text),
            Self::Isbn10 => is_isbn10(text),
            Self::Isbn13 => is_isbn13(text),
            Self::LongName => NameFormat::DnsSubdomain.matches(text),
            Self::Mac => is_mac(text),
            Self::RgbColor => is_rgb_color(text),
            Self::ShortName => NameFormat::DnsLabel.matches(text),
            Self::Ssn => is_ssn(text),
            Self::Uri => urls::is_url(text),
            Self::Uuid => uuid(text).is_some(),
            Self::Uuid3 => uuid(text).is_some_and(|(version, _)| version == b'3'),
            Self::Uuid4 => uuid(text).is_some_and(|uuid| uuid == (b'4', true)),
            Self::Uuid5 => uuid(text).is_some_and(|uuid| uuid == (b'5', true)),
        }
    }
}

#[inline]
fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[inline]
fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses an IPv4 address as a server does, with leading zeros.
#[inline]
fn address(text: &str) -> Option<IpAddr> {
    let (start, end) = match text.rsplit_once(':') {
        Some((start, end)) => (Some(start), end),
        None => (None, text),
    };
    if !end.contains('.') {
        return text.parse().ok();
    }
    let parts = end.split('.').map(|part| {
        let is_number = !part.is_empty() && is_digits(part);
        let digits = part.trim_start_matches('0');
        // A leading zero ensures that there is a digit.
        is_number.then(|| format!("0{digits}").parse::<u8>().ok())?
    });
    let parts = <[u8; 4]>::try_from(parts.collect::<Option<Vec<u8>>>()?).ok()?;
    let end = Ipv4Addr::from(parts);
    match start {
        Some(start) => format!("{start}:{end}").parse().ok(),
        None => Some(end.into()),
    }
}

#[inline]
fn is_cidr(text: &str) -> bool {
    let Some((start, length)) = text.split_once('/') else {
        return false;
    };
    let most = match address(start) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    is_digits(length) && length.parse::<u8>().is_ok_and(|length| length <= most)
}

/// Parses pairs of digits between colons or dashes, or groups of four between dots.
#[inline]
fn is_mac(text: &str) -> bool {
    let groups = |separator: char, length: usize, counts: [usize; 3]| {
        let parts: Vec<_> = text.split(separator).collect();
        counts.contains(&parts.len())
            && parts
                .iter()
                .all(|part| part.len() == length && is_hex(part))
    };
    groups(':', 2, [6, 8, 20]) || groups('-', 2, [6, 8, 20]) || groups('.', 4, [3, 4, 10])
}

#[inline]
fn is_ssn(text: &str) -> bool {
    let mut rest = text;
    for (index, length) in [3, 2, 4].into_iter().enumerate() {
        if index > 0 {
            match rest.strip_prefix([' ', '-']) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        match rest.split_at_checked(length) {
            Some((digits, after)) if is_digits(digits) => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

/// Returns the version of a UUID, and true if its variant is that of RFC 4122. Dashes are optional.
#[inline]
fn uuid(text: &str) -> Option<(u8, bool)> {
    let mut rest = text;
    let mut starts = [0; 5];
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let (digits, after) = rest.split_at_checked(length).filter(|(d, _)| is_hex(d))?;
        starts[index] = *digits.as_bytes().first()?;
        rest = after;
    }
    let is_usual = matches!(starts[3].to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b');
    rest.is_empty().then_some((starts[2], is_usual))
}
