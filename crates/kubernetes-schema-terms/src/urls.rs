//! URLs that an HTTP request can name, as Go's net/url reads them: the format `uri`, and functions
//! of CEL.
//!
//! Of a host with more than one colon, as in `http://a:1:2/`, servers before Kubernetes 1.36 take
//! the last for that of the port.

use std::collections::BTreeMap;
use std::net::Ipv6Addr;

/// A URL or an absolute path.
#[derive(Debug, Default)]
pub struct Url {
    scheme: String,
    host: String,
    path: String,
    query: String,
}

/// Returns true for a URL with a scheme, or an absolute path.
#[inline]
pub(crate) fn is_url(text: &str) -> bool {
    read(text, true).is_some()
}

impl Url {
    /// Reads a URL with a scheme, or an absolute path.
    #[must_use]
    #[inline]
    pub fn read(text: &str) -> Option<Self> {
        // A server checks it as of a request, and then takes it for a reference.
        let (plain, fragment) = text.split_once('#').unwrap_or((text, ""));
        let is_valid = is_url(text) && unescaped(fragment).is_some();
        is_valid.then(|| read(plain, false)).flatten()
    }

    /// Returns the scheme in lower case; empty if there is none.
    #[must_use]
    #[inline]
    pub fn scheme(&self) -> String {
        self.scheme.clone()
    }

    /// Returns the host, with the port if there is one.
    #[must_use]
    #[inline]
    pub fn host(&self) -> String {
        self.host.clone()
    }

    /// Returns the host without port and brackets.
    #[must_use]
    #[inline]
    pub fn hostname(&self) -> String {
        let (host, _) = self.split();
        let inside = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        inside.unwrap_or(host).to_owned()
    }

    /// Returns the port; empty if there is none.
    #[must_use]
    #[inline]
    pub fn port(&self) -> String {
        self.split().1.to_owned()
    }

    /// Returns the path, in which only what a path may have isn't escaped.
    #[must_use]
    #[inline]
    pub fn escaped_path(&self) -> String {
        let is_kept = |byte: u8| in_path(byte) || b"!'()*[]%".contains(&byte);
        if self.path == "*" || self.path.bytes().all(is_kept) {
            return self.path.clone();
        }
        let mut escaped = String::new();
        for byte in unescaped(&self.path).unwrap_or_default() {
            match in_path(byte) {
                true => escaped.push(char::from(byte)),
                false => escaped += &format!("%{byte:02X}"),
            }
        }
        escaped
    }

    /// Returns the values of the parameters by name, without those with a semicolon or a wrong
    /// escape.
    #[must_use]
    #[inline]
    pub fn query(&self) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let plain = |text: &str| {
            let bytes = unescaped(&text.replace('+', " "))?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let parameters = self.query.split('&');
        for parameter in parameters.filter(|of| !of.is_empty() && !of.contains(';')) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if let (Some(name), Some(value)) = (plain(name), plain(value)) {
                found.entry(name).or_default().push(value);
            }
        }
        found
    }

    #[inline]
    fn split(&self) -> (&str, &str) {
        match self.host.rfind(':') {
            Some(colon) if is_port(&self.host[colon..]) => {
                (&self.host[..colon], &self.host[colon + 1..])
            }
            _ => (&self.host, ""),
        }
    }
}

#[inline]
fn read(text: &str, of_request: bool) -> Option<Url> {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return None;
    }
    if text == "*" {
        return Some(Url {
            path: text.to_owned(),
            ..Url::default()
        });
    }
    let (scheme, rest) = scheme(text)?;
    let scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let query = query.to_owned();
    if !rest.starts_with('/') {
        // After a scheme it can be anything.
        return (!scheme.is_empty()).then(|| Url {
            scheme,
            query,
            ..Url::default()
        });
    }
    let has_host = !scheme.is_empty() || !of_request && !rest.starts_with("///");
    let (host, path) = match rest.strip_prefix("//").filter(|_| has_host) {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (authority_host(&scheme, authority)?, path)
        }
        None => (String::new(), rest),
    };
    unescaped(path)?;
    Some(Url {
        scheme,
        host,
        path: path.to_owned(),
        query,
    })
}

/// Takes the scheme off; nothing if there is a colon without one.
#[inline]
fn scheme(text: &str) -> Option<(&str, &str)> {
    let is_in = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    match text.find(|c| !is_in(c)) {
        Some(0) if text.starts_with(':') => None,
        Some(end)
            if text[end..].starts_with(':')
                && text.starts_with(|c: char| c.is_ascii_alphabetic()) =>
        {
            Some((&text[..end], &text[end + 1..]))
        }
        _ => Some(("", text)),
    }
}

/// The host of an authority, if all of that is valid.
#[inline]
fn authority_host(scheme: &str, authority: &str) -> Option<String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return self::host(scheme, authority);
    };
    let is_in = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    unescaped(user).filter(|_| user.chars().all(is_in))?;
    self::host(scheme, host)
}

#[inline]
fn host(scheme: &str, text: &str) -> Option<String> {
    if let Some(inside) = text.strip_prefix('[').filter(|rest| !rest.contains('[')) {
        let (address, port) = inside.rsplit_once(']')?;
        if !is_port(port) {
            return None;
        }
        let (address, zone) = match address.find("%25") {
            Some(at) => address.split_at(at),
            None => (address, ""),
        };
        let (address, zone) = (host_text(address)?, zone_text(zone)?);
        let is_zone = zone.is_empty() || zone.len() > 1;
        address.parse::<Ipv6Addr>().ok().filter(|_| is_zone)?;
        return Some(format!("[{address}{zone}]{port}"));
    }
    if text.contains('[') {
        return None;
    }
    let is_strict = ["http", "https"].contains(&scheme);
    let colon = if is_strict {
        text.find(':')
    } else {
        text.rfind(':')
    };
    if colon.is_some_and(|colon| !is_port(&text[colon..])) {
        return None;
    }
    host_text(text)
}

/// Returns true for nothing, or for a colon with digits, of which there may be none.
#[inline]
fn is_port(text: &str) -> bool {
    let digits = text.strip_prefix(':');
    text.is_empty() || digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The text of a host: only what isn't ASCII may be escaped in it.
#[inline]
fn host_text(text: &str) -> Option<String> {
    let is_plain = |byte: u8| !byte.is_ascii() || byte == b'%' || in_host(byte);
    let mut escapes = text.match_indices('%');
    let is_other = |(at, _): (usize, &str)| {
        text.as_bytes()
            .get(at + 1)
            .is_some_and(|digit| !(b'0'..=b'7').contains(digit))
            || text[at..].starts_with("%25")
    };
    let is_host = text.bytes().all(is_plain) && escapes.all(is_other);
    unescaped(text)
        .filter(|_| is_host)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The text of a zone: what may be in a host, of which only ASCII may be escaped, and escaped
/// spaces.
#[inline]
fn zone_text(text: &str) -> Option<String> {
    let is_plain = |byte: u8| !byte.is_ascii() || byte == b'%' || in_host(byte);
    let is_escaped = |rest: &str| {
        let byte = rest.as_bytes().get(..2).and_then(byte);
        byte.is_some_and(|byte| in_host(byte) || b" %".contains(&byte))
    };
    let is_zone = text.bytes().all(is_plain) && text.split('%').skip(1).all(is_escaped);
    unescaped(text)
        .filter(|_| is_zone)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[inline]
fn in_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

#[inline]
fn in_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte)
}

/// The bytes of a text without escapes; nothing if one lacks a digit.
#[inline]
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_at_checked(2)?;
        bytes.push(byte(digits)?);
        rest = after;
    }
    Some(bytes)
}

/// The byte of two hexadecimal digits.
#[inline]
fn byte(digits: &[u8]) -> Option<u8> {
    let digits = digits.iter().map(|digit| char::from(*digit).to_digit(16));
    let byte = digits.reduce(|high, low| Some(high? * 16 + low?));
    u8::try_from(byte??).ok()
}
