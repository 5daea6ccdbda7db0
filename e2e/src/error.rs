//! What goes wrong before a control plane is ready.

use std::fmt;

/// Why there is no control plane, with what the failing server wrote last.
///
/// It is made to be read in a test's output, so `Debug` writes the same lines as `Display`.
#[derive(Clone)]
pub struct Error {
    message: String,
    /// Whether a port was taken between being found free and being used.
    pub(crate) port_taken: bool,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            port_taken: false,
        }
    }

    /// Something that didn't work, and why.
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
