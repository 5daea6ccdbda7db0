//! Errors of the commands.

/// The errors of a command, one line each.
pub(crate) type Errors = Vec<String>;

/// Returns the only error of a command.
pub(crate) fn one(error: impl ToString) -> Errors {
    vec![error.to_string()]
}
