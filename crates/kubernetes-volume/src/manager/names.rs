//! Qualified names.

use super::InitError;

/// The longest name, and the longest prefix before its slash.
const MOST: usize = 63;
const MOST_PREFIX: usize = 253;

/// Checks that a name is qualified, as Kubernetes does with labels' keys: `name` or `prefix/name`.
pub(super) fn check(plugin: &str) -> Result<(), InitError> {
    reason(plugin).map_or(Ok(()), |reason| {
        Err(InitError::Name {
            plugin: plugin.to_owned(),
            reason: reason.to_owned(),
        })
    })
}

/// Returns the problem of a name.
fn reason(plugin: &str) -> Option<&'static str> {
    let (prefix, name) = match plugin.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, plugin),
    };
    if name.contains('/') {
        return Some("a name has at most one slash");
    }
    if prefix.is_some_and(|prefix| !is_domain(prefix)) {
        return Some(
            "before the slash is a DNS name: lowercase letters, digits, '-' and '.', at most 253",
        );
    }
    if !is_name(name) {
        return Some(
            "letters, digits, '-', '_' and '.', the first and last a letter or digit, at most 63",
        );
    }
    None
}

fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.len() <= MOST && is_made_of(name, |byte| byte.is_ascii_alphanumeric(), inner)
}

fn is_domain(prefix: &str) -> bool {
    let end = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let label = |label: &str| is_made_of(label, end, |byte| end(byte) || byte == b'-');
    prefix.len() <= MOST_PREFIX && prefix.split('.').all(label)
}

/// Returns true if a text isn't empty, and has such bytes at its ends and in between.
fn is_made_of(text: &str, end: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    match text.as_bytes() {
        [] => false,
        [only] => end(*only),
        [first, middle @ .., last] => {
            end(*first) && end(*last) && middle.iter().all(|byte| inner(*byte))
        }
    }
}
