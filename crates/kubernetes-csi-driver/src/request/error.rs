//! Errors in requests.

use std::fmt;

use tonic::{Code, Status};

/// An error in a request: the field, what is wrong with it and what to do, in one line.
///
/// It shows no secrets, and of other values at most 64 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    field: String,
    code: Code,
    reason: String,
}

impl Error {
    pub(super) fn new(field: String, code: Code, reason: String) -> Self {
        Self {
            field,
            code,
            reason,
        }
    }

    /// Returns the path of the field: `volume_capabilities[0].access_mode.mode`.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the code of gRPC to fail with.
    ///
    /// It is `INVALID_ARGUMENT`, except for a relative `volume_path` in `NodeGetVolumeStats` and
    /// `NodeExpandVolume`. There it is `NOT_FOUND`: no volume is at such a path.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.reason)
    }
}

impl std::error::Error for Error {}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        Self::new(error.code, error.to_string())
    }
}
