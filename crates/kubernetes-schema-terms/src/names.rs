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

    /// It isn't inlined, so that the crates that call it have no copies.
    fn is_form_of(self, text: &[u8], folds: bool) -> bool {
        let subdomain = if folds { &FOLDED_SUBDOMAIN } else { &SUBDOMAIN };
        match self {
            Self::DnsSubdomain => subdomain.matches(text, 253),
            Self::DnsLabel if folds => FOLDED_LABEL.matches(text, 63),
            Self::DnsLabel => LABEL.matches(text, 63),
            // Most names are shorter than the domain before them; if there are more slashes, the
            // domain is wrong.
            Self::QualifiedName => match text.iter().rposition(|byte| *byte == b'/') {
                None => NAME_PART.matches(text, 63),
                Some(slash) => {
                    let (prefix, name) = text.split_at(slash);
                    let name = name.get(1..).unwrap_or_default();
                    NAME_PART.matches(name, 63) && subdomain.matches(prefix, 253)
                }
            },
            Self::LabelValue => text.is_empty() || NAME_PART.matches(text, 63),
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

/// The classes of bytes in a name, each a bit.
const END: u8 = 1;
const MIDDLE: u8 = 2;
const DOT: u8 = 4;
const OTHER: u8 = 8;

/// The bytes of a form.
struct Form {
    /// The class of each byte.
    classes: [u8; 256],
    /// The classes that must not follow each byte.
    barred: [u8; 256],
}

static LABEL: Form = Form::of(b"-", false, false);
static FOLDED_LABEL: Form = Form::of(b"-", false, true);
static SUBDOMAIN: Form = Form::of(b"-", true, false);
static FOLDED_SUBDOMAIN: Form = Form::of(b"-", true, true);
static NAME_PART: Form = Form::of(b"-_.", false, true);

/// The classes that must neither be first nor follow a dot between labels.
const NEVER_FIRST: u8 = MIDDLE | DOT | OTHER;

impl Form {
    /// Returns the form of names of letters and digits, with the bytes `middle` between them, and
    /// with dots between labels if it `has_labels`.
    const fn of(middle: &[u8], has_labels: bool, has_upper: bool) -> Self {
        let (mut classes, mut barred) = ([OTHER; 256], [OTHER; 256]);
        let mut byte = 0;
        while byte < 256 {
            let is_end = match byte as u8 {
                b'a'..=b'z' | b'0'..=b'9' => true,
                b'A'..=b'Z' => has_upper,
                _ => false,
            };
            if is_end {
                classes[byte] = END;
            }
            byte += 1;
        }
        let mut at = 0;
        while at < middle.len() {
            classes[middle[at] as usize] = MIDDLE;
            barred[middle[at] as usize] = DOT | OTHER;
            at += 1;
        }
        if has_labels {
            classes[b'.' as usize] = DOT;
            barred[b'.' as usize] = NEVER_FIRST;
        }
        Self { classes, barred }
    }

    /// Returns true if a text has the form and at most `longest` bytes.
    ///
    /// It looks at all bytes even if the first one is wrong: nearly all names are right, and
    /// without a branch for each byte they are checked in half the time.
    fn matches(&self, text: &[u8], longest: usize) -> bool {
        let class = |byte: &u8| self.classes[usize::from(*byte)];
        let (Some(first), Some(last)) = (text.first(), text.last()) else {
            return false;
        };
        if text.len() > longest || class(last) != END {
            return false;
        }
        let mut wrong = class(first) & NEVER_FIRST;
        let mut before = first;
        for byte in text.get(1..).unwrap_or_default() {
            wrong |= self.barred[usize::from(*before)] & class(byte);
            before = byte;
        }
        wrong == 0
    }
}
