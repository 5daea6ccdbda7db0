//! Names of hosts. Letters and symbols are those of Unicode 15, by which servers go.

use crate::unicode::{is_letter, is_symbol};

/// The most bytes of a label.
const LABEL: usize = 63;

/// Returns true for the name of a host. One without a domain may have a dash only after its first
/// character, but also as its last.
#[inline]
pub(crate) fn is_hostname(text: &str) -> bool {
    let is_short = text.len() <= 255 && text.split('.').all(|label| label.len() <= LABEL);
    is_short
        && match text.rsplit_once('.') {
            Some((labels, top)) => is_top(top) && labels.split('.').all(is_label),
            None => is_alone(text),
        }
}

/// Returns true for a top-level domain.
#[inline]
fn is_top(text: &str) -> bool {
    text.chars().count() >= 2 && text.chars().all(is_letter)
}

/// Returns true for a label of a domain, which may have dashes inside.
#[inline]
fn is_label(text: &str) -> bool {
    let is_end = |c: Option<char>| c.is_some_and(is_plain);
    is_end(text.chars().next())
        && is_end(text.chars().next_back())
        && text.chars().all(|c| c == '-' || is_plain(c))
}

/// Returns true for a name without a domain.
#[inline]
fn is_alone(text: &str) -> bool {
    let mut rest = text.chars();
    let is_start = rest.next().is_some_and(is_plain);
    let rest = rest.as_str();
    is_start && rest.strip_prefix('-').unwrap_or(rest).chars().all(is_plain)
}

#[inline]
fn is_plain(c: char) -> bool {
    c.is_ascii_digit() || is_letter(c) || is_symbol(c)
}
