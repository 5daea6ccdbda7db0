//! Errors of drivers, which become the codes of gRPC that the specification names.

use std::error::Error as StdError;
use std::fmt;

use tonic::{Code, Status};

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The failure of a call.
///
/// Each function names a meaning; the code of gRPC follows from it. Kubernetes reads two things
/// from the code: whether something of the call may still be under way, and whether the same call
/// can succeed later.
///
/// | function | code | Kubernetes' sidecars |
/// |---|---|---|
/// | [`invalid`](Self::invalid) | `INVALID_ARGUMENT` | nothing was done; they try again |
/// | [`not_found`](Self::not_found) | `NOT_FOUND` | as before |
/// | [`already_exists`](Self::already_exists) | `ALREADY_EXISTS` | as before |
/// | [`failed_precondition`](Self::failed_precondition) | `FAILED_PRECONDITION` | as before |
/// | [`out_of_range`](Self::out_of_range) | `OUT_OF_RANGE` | as before; an expansion is infeasible |
/// | [`permission_denied`](Self::permission_denied) | `PERMISSION_DENIED` | as before |
/// | [`internal`](Self::internal) | `INTERNAL` | as before |
/// | [`exhausted`](Self::exhausted) | `RESOURCE_EXHAUSTED` | another node is chosen; something may be left |
/// | [`unavailable`](Self::unavailable) | `UNAVAILABLE` | it may be under way: they repeat or undo it |
/// | [`timed_out`](Self::timed_out) | `DEADLINE_EXCEEDED` | as `UNAVAILABLE` |
/// | [`busy`](Self::busy) | `ABORTED` | as `UNAVAILABLE` |
///
/// So, return `unavailable` or `timed_out` only if something of the call may be left: after a final
/// code Kubernetes may never ask to clean up. The message is shown to users in events; secrets
/// don't belong into it.
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            source: None,
        }
    }

    /// The request has a value that the driver doesn't take. Say which field, and what is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// The volume, snapshot or node of the request doesn't exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// Something of the name exists already, and isn't what the request asks for.
    pub fn already_exists(message: impl Into<String>) -> Self {
        Self::new(Code::AlreadyExists, message)
    }

    /// The state of the volume doesn't allow the call, such as deleting what is in use.
    pub fn failed_precondition(message: impl Into<String>) -> Self {
        Self::new(Code::FailedPrecondition, message)
    }

    /// The size isn't one that the driver has.
    pub fn out_of_range(message: impl Into<String>) -> Self {
        Self::new(Code::OutOfRange, message)
    }

    /// The caller, or its secrets, may not do that.
    pub fn permission_denied(message: impl Into<String>) -> Self {
        Self::new(Code::PermissionDenied, message)
    }

    /// There is no space left, or no more volumes are possible, there.
    pub fn exhausted(message: impl Into<String>) -> Self {
        Self::new(Code::ResourceExhausted, message)
    }

    /// The storage can't be reached. Something of the call may be left.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Code::Unavailable, message)
    }

    /// The storage took too long. Something of the call may be left.
    pub fn timed_out(message: impl Into<String>) -> Self {
        Self::new(Code::DeadlineExceeded, message)
    }

    /// Another call for the same volume or snapshot is under way. The kit itself returns it.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(Code::Aborted, message)
    }

    /// Something that isn't the caller's fault.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }

    /// The driver lacks the call.
    pub(crate) fn unimplemented(call: &str) -> Self {
        Self::new(Code::Unimplemented, format!("the driver has no {call}"))
    }

    /// Adds the cause, which is logged and not sent.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the code of gRPC.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the message, as it is sent.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns true if Kubernetes takes it that nothing is left of the call, and that nothing of it
    /// is under way.
    pub fn is_final(&self) -> bool {
        let may_be_left = [
            Code::Cancelled,
            Code::DeadlineExceeded,
            Code::Unavailable,
            Code::ResourceExhausted,
            Code::Aborted,
        ];
        !may_be_left.contains(&self.code)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}

/// A full disk or quota is `RESOURCE_EXHAUSTED`, all others are `INTERNAL`.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let message = error.to_string();
        let own = match is_full(&error) {
            true => Self::exhausted(message),
            false => Self::internal(message),
        };
        own.with_source(error)
    }
}

/// Invalid requests are `INVALID_ARGUMENT`, a device with other content is `FAILED_PRECONDITION`, a
/// full disk or quota `RESOURCE_EXHAUSTED`, what may be mounted or not, since a program took too
/// long, `DEADLINE_EXCEEDED`, and all others are `INTERNAL`.
impl From<kubernetes_mount::Error> for Error {
    fn from(error: kubernetes_mount::Error) -> Self {
        let message = error.to_string();
        let own = match reason(&error) {
            Reason::Asked => Self::invalid(message),
            Reason::Content => Self::failed_precondition(message),
            Reason::Full => Self::exhausted(message),
            Reason::Uncertain => Self::timed_out(message),
            Reason::Other => Self::internal(message),
        };
        own.with_source(error)
    }
}

/// The reason for which a step of a node part fails.
enum Reason {
    Asked,
    Content,
    Full,
    Uncertain,
    Other,
}

fn reason(error: &kubernetes_mount::Error) -> Reason {
    use kubernetes_mount::Error::{Filesystem, Invalid, Io, NotSupported, Transient, Uncertain};
    use kubernetes_mount::filesystem::FilesystemError::{
        Mismatch, Mount, PartitionTable, UnformattedReadOnly,
    };
    match error {
        Invalid(_) | NotSupported(_) => Reason::Asked,
        Filesystem(error) => match &**error {
            Mismatch { .. } | PartitionTable { .. } | UnformattedReadOnly { .. } => Reason::Content,
            Mount { source, .. } => reason(source),
            _ => Reason::Other,
        },
        Io { source, .. } if is_full(source) => Reason::Full,
        Transient(inner) => reason(inner),
        // A code that is final would keep the kubelet from unmounting it.
        Uncertain(_) => Reason::Uncertain,
        _ => Reason::Other,
    }
}

fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        Self::new(error.code, error.message)
    }
}
