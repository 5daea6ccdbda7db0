//! The exit codes of all commands.

/// No problem was found.
pub(crate) const SUCCESS: u8 = 0;
/// A manifest has a problem.
pub(crate) const PROBLEM: u8 = 1;
/// A file or stream can't be read or written, or the command line is invalid.
pub(crate) const FAILURE: u8 = 2;
