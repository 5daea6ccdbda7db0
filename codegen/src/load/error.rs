//! The error of a document that can't be read.

/// The line of the error if it is known, the message, and what to do.
pub(crate) type Error = (Option<usize>, String, &'static str);
