//! The formats of names: DNS subdomains and labels, qualified names, label values.
//!
//! The rules and limits are those of Kubernetes' common validation, unchanged since 1.23.
//! Lengths are in bytes.

use std::borrow::Cow;

use crate::terms;

terms! {
    /// The format of a name or value.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    NameFormat {
        /// DNS labels separated by dots, 253 bytes at most.
        DnsSubdomain,
        /// A DNS label: lower-case letters, digits and `-`, 63 bytes at most.
        DnsLabel,
        /// A name of letters, digits, `-`, `_` and `.`, 63 bytes at most, that starts and ends with
        /// a letter or digit; optionally preceded by a DNS subdomain and a slash.
        QualifiedName,
        /// Empty, or the part of a qualified name after the slash.
        LabelValue,
    }
}

impl NameFormat {
    /// Parses the name of a format in schemas, `dns1123Label`.
    #[must_use]
    #[inline]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns its name in schemas.
    #[must_use]
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DnsSubdomain => "dns1123Subdomain",
            Self::DnsLabel => "dns1123Label",
            Self::QualifiedName => "qualifiedName",
            Self::LabelValue => "labelValue",
        }
    }

    /// Returns true if the text has the format.
    #[must_use]
    #[inline]
    pub fn matches(self, text: &str) -> bool {
        self.is_form_of(text.as_bytes(), false)
    }

    /// Returns true if the text has the format after conversion to lower case.
    #[must_use]
    #[inline]
    pub fn matches_lowered(self, text: &str) -> bool {
        if text.is_ascii() {
            self.is_form_of(text.as_bytes(), true)
        } else {
            self.matches(&lowered(text))
        }
    }

    #[inline]
    fn is_form_of(self, text: &[u8], folds: bool) -> bool {
        let ends = if folds { LOWER | UPPER } else { LOWER };
        match self {
            Self::DnsSubdomain => is_dns(text, ends, 253, DOT),
            Self::DnsLabel => is_dns(text, ends, 63, 0),
            Self::QualifiedName => match text.iter().position(|b| *b == b'/') {
                None => is_name_part(text),
                Some(slash) => {
                    let (prefix, name) = text.split_at(slash);
                    let name = name.get(1..).unwrap_or_default();
                    is_dns(prefix, ends, 253, DOT) && is_name_part(name)
                }
            },
            Self::LabelValue => text.is_empty() || is_name_part(text),
        }
    }

    /// Returns a description of the format, for messages.
    #[must_use]
    #[inline]
    pub const fn description(self) -> &'static str {
        match self {
            Self::DnsSubdomain => {
                "a DNS subdomain: letters in lower case, digits, `-` and `.`, 253 bytes at \
                 most, a letter or digit at the start and end and beside each dot"
            }
            Self::DnsLabel => {
                "a DNS label: letters in lower case, digits and `-`, 63 bytes at most, a \
                 letter or digit at the start and end"
            }
            Self::QualifiedName => {
                "a qualified name: letters, digits, `-`, `_` and `.`, 63 bytes at most, a \
                 letter or digit at the start and end, and before it, if wanted, a DNS \
                 subdomain and `/`"
            }
            Self::LabelValue => {
                "a label value: nothing, or letters, digits, `-`, `_` and `.`, 63 bytes at \
                 most, a letter or digit at the start and end"
            }
        }
    }
}

/// Returns the text in lower case, as Go converts it; borrowed if it is lower case already.
// For the crates that compare names as a server does.
#[doc(hidden)]
#[must_use]
#[inline]
pub fn lowered(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
    {
        return Cow::Borrowed(text);
    }
    // Only the two characters beyond ASCII that become ASCII matter here.
    let lower = text.chars().map(|c| match c {
        '\u{212a}' => 'k',
        '\u{130}' => 'i',
        other => other.to_ascii_lowercase(),
    });
    Cow::Owned(lower.collect())
}

/// The classes of bytes in names, each a bit; `LOWER` includes digits.
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DASH: u8 = 4;
const DOT: u8 = 8;
const UNDERSCORE: u8 = 16;

/// The class of each byte: names are scanned once, byte by byte.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'-' => DASH,
            b'.' => DOT,
            b'_' => UNDERSCORE,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

#[inline]
fn kind(byte: u8) -> u8 {
    KINDS[usize::from(byte)]
}

/// Returns true if the text is a DNS label, or several with `between` between them. The characters
/// of `ends` may be anywhere, a dash between two of them.
#[inline]
fn is_dns(text: &[u8], ends: u8, longest: usize, between: u8) -> bool {
    // Before the first byte is the same as after a dot.
    let mut before = DOT;
    for byte in text {
        let kind = kind(*byte);
        let is_right = match kind {
            DASH => before != DOT,
            DOT => between == DOT && before & ends != 0,
            other => other & ends != 0,
        };
        if !is_right {
            return false;
        }
        before = kind;
    }
    before & ends != 0 && text.len() <= longest
}

/// Returns true if the text is a name of up to 63 letters, digits, `-`, `_` and `.`, with a letter
/// or digit at either end.
#[inline]
fn is_name_part(text: &[u8]) -> bool {
    let ends = LOWER | UPPER;
    let (Some(first), Some(last)) = (text.first(), text.last()) else {
        return false;
    };
    text.len() <= 63
        && kind(*first) & ends != 0
        && kind(*last) & ends != 0
        && text.iter().all(|byte| kind(*byte) != 0)
}
