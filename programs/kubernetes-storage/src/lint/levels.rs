//! The severities that a user gives to rules.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::finding::{Message, Severity};

/// The level of a rule: how its findings are reported, if at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// They are errors.
    Error,
    /// They are warnings.
    Warning,
    /// They are notes.
    Note,
    /// They are dropped.
    Off,
}

/// The levels of the rules that have another one than their own.
pub type Levels = BTreeMap<String, Level>;

/// Gives a message the level of its rule. Returns false if it is dropped.
pub(super) fn keep(levels: &Levels, message: &mut Message) -> bool {
    message.severity = match levels.get(message.rule) {
        None => return true,
        Some(Level::Off) => return false,
        Some(Level::Error) => Severity::Error,
        Some(Level::Warning) => Severity::Warning,
        Some(Level::Note) => Severity::Note,
    };
    true
}
