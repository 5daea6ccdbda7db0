//! Rules that only a server checks.

use std::fmt;

/// A rule of a custom resource's schema that isn't checked here, but by a server.
///
/// Generated crates list theirs in a constant, `UNCHECKED`. An object that breaks such a rule
/// passes validation here, and a server refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UncheckedRule {
    /// The kind of the object, such as `Gateway`.
    pub kind: &'static str,
    /// The place of the value in it: `spec.listeners[*].name`, where `[*]` is each element of a
    /// list or value of a map. Empty for the object as a whole.
    pub path: &'static str,
    /// The rule: an expression of CEL, or a keyword with its value, of which the first 200
    /// characters are shown.
    pub rule: &'static str,
    /// The reason.
    pub reason: &'static str,
}

impl UncheckedRule {
    /// Makes an entry of the list.
    #[must_use]
    pub const fn new(
        kind: &'static str,
        path: &'static str,
        rule: &'static str,
        reason: &'static str,
    ) -> Self {
        Self {
            kind,
            path,
            rule,
            reason,
        }
    }
}

/// Shown as `Gateway spec.listeners[*].name is not checked offline: RULE (REASON)`.
impl fmt::Display for UncheckedRule {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            path,
            rule,
            reason,
        } = self;
        let path = if path.is_empty() { "itself" } else { path };
        write!(f, "{kind} {path} is not checked offline: {rule} ({reason})")
    }
}
