//! Errors of CSI drivers.

use std::fmt;

/// The code of a failed call, with the numbers of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The caller has given up.
    Cancelled = 1,
    /// The driver doesn't say what failed.
    Unknown = 2,
    /// A field of the request is wrong.
    InvalidArgument = 3,
    /// The call took longer than the [limit](super::CALL_LIMIT).
    DeadlineExceeded = 4,
    /// The volume doesn't exist.
    NotFound = 5,
    /// The volume is published or staged in another way.
    AlreadyExists = 6,
    /// The secrets don't suffice.
    PermissionDenied = 7,
    /// The driver or its storage lacks a resource.
    ResourceExhausted = 8,
    /// The state of the volume forbids the operation, such as growing it while it is in use.
    FailedPrecondition = 9,
    /// An operation on the volume is under way.
    Aborted = 10,
    /// A size is not possible.
    OutOfRange = 11,
    /// The driver doesn't have the call.
    Unimplemented = 12,
    /// The driver failed.
    Internal = 13,
    /// The driver can't be reached.
    Unavailable = 14,
    /// Data is lost.
    DataLoss = 15,
    /// The secrets are missing or wrong.
    Unauthenticated = 16,
}

/// An error of a call of a CSI driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsiError {
    /// The code that the driver or gRPC returned, or nothing if the call wasn't sent.
    pub code: Option<Code>,
    /// The message of the driver. It must not have secrets: it appears in messages and events.
    pub message: String,
}

impl CsiError {
    /// Returns the error of a call that failed with a code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code: Some(code),
            message: message.into(),
        }
    }

    /// Returns the error of a call that wasn't sent, such as to a socket that is gone.
    pub fn not_sent(message: impl Into<String>) -> Self {
        Self {
            code: None,
            message: message.into(),
        }
    }

    /// Returns true if the call has ended without a result. Otherwise the driver may go on with
    /// this call or with an earlier one, so that the volume may be mounted in the end.
    ///
    /// As for a kubelet of 1.37, errors without a code are not final, nor are `Cancelled`,
    /// `DeadlineExceeded`, `Unavailable`, `ResourceExhausted` and `Aborted`.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(
            self.code,
            None | Some(
                Code::Cancelled
                    | Code::DeadlineExceeded
                    | Code::Unavailable
                    | Code::ResourceExhausted
                    | Code::Aborted
            )
        )
    }

    /// Returns true if the same request to grow a volume can't succeed (`IsInfeasibleError`):
    /// `InvalidArgument`, `OutOfRange` and `NotFound`.
    #[must_use]
    pub fn is_infeasible(&self) -> bool {
        matches!(
            self.code,
            Some(Code::InvalidArgument | Code::OutOfRange | Code::NotFound)
        )
    }
}

impl fmt::Display for CsiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(code) = self.code {
            write!(f, "{code:?}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for CsiError {}
