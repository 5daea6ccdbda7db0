//! The names of API groups.

/// Returns the group of a name that a user gives: `core` is the group whose name is empty.
pub(crate) fn group(name: &str) -> &str {
    if name == "core" { "" } else { name }
}

/// Returns the name of a group for users.
pub(super) fn shown(group: &str) -> &str {
    if group.is_empty() { "core" } else { group }
}
