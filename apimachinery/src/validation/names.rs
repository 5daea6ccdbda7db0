//! The forms of names: DNS subdomains and labels, qualified names, label values.
//!
//! The rules and limits are those of Kubernetes' common validation, unchanged since 1.23.
//! Lengths are in bytes.

use std::borrow::Cow;

/// A form that a text must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Labels of DNS with dots between them, in lower case, 253 bytes at most.
    DnsSubdomain,
    /// One such label, 63 bytes at most.
    DnsLabel,
    /// A name of letters, digits, `-`, `_` and `.`, 63 bytes at most, that starts and ends with a
    /// letter or digit; before it, if wanted, a DNS subdomain and a slash.
    QualifiedName,
    /// Nothing, or what a qualified name has after the slash.
    LabelValue,
}

impl Format {
    /// Whether the text has the form.
    #[must_use]
    pub fn matches(self, text: &str) -> bool {
        match self {
            Self::DnsSubdomain => is_dns_subdomain(text),
            Self::DnsLabel => text.len() <= 63 && is_dns_label(text),
            Self::QualifiedName => is_qualified_name(text),
            Self::LabelValue => text.is_empty() || is_name_part(text),
        }
    }

    /// Whether the text has the form once it is in lower case.
    #[must_use]
    pub fn matches_lowered(self, text: &str) -> bool {
        self.matches(&lowered(text))
    }

    /// What the form is, for messages.
    pub(super) const fn description(self) -> &'static str {
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

/// The text in lower case, rune by rune as Go does it; borrowed if it is so already.
pub(super) fn lowered(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    // The two signs beyond ASCII that become ASCII matter here, and no others.
    let lower = text.chars().map(|c| match c {
        '\u{212a}' => 'k',
        '\u{130}' => 'i',
        other => other.to_ascii_lowercase(),
    });
    Cow::Owned(lower.collect())
}

fn is_dns_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_dns_label)
}

fn is_dns_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    has_ends(text, inner) && text.bytes().all(|b| inner(b) || b == b'-')
}

fn is_qualified_name(text: &str) -> bool {
    match text.split_once('/') {
        None => is_name_part(text),
        Some((prefix, name)) => is_dns_subdomain(prefix) && is_name_part(name),
    }
}

fn is_name_part(text: &str) -> bool {
    let ends = |b: u8| b.is_ascii_alphanumeric();
    text.len() <= 63
        && has_ends(text, ends)
        && text.bytes().all(|b| ends(b) || matches!(b, b'-' | b'_' | b'.'))
}

/// Whether the text has a first and a last byte, and those are right.
fn has_ends(text: &str, is_right: impl Fn(u8) -> bool) -> bool {
    match text.as_bytes() {
        [only] => is_right(*only),
        [first, .., last] => is_right(*first) && is_right(*last),
        [] => false,
    }
}
