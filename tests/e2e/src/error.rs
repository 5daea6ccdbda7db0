//! Errors before a control plane is ready.

use std::fmt;

/// The reason why a control plane didn't start, with the last lines of the failing server's log.
///
/// Tests print it with `Debug`, which therefore writes the same lines as `Display`.
#[derive(Clone)]
pub struct Error {
    message: String,
    /// True if a port was taken between being found free and being used.
    pub(crate) port_taken: bool,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            port_taken: false,
        }
    }

    /// Returns an error for an action that failed, and its cause.
    pub(crate) fn because(what: &str, why: &dyn fmt::Display) -> Self {
        Self::new(format!("can't {what}: {why}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
