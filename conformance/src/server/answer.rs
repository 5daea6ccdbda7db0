//! Refusals, in the words that Kubernetes uses.

use serde_json::{Value, json};

/// A request that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: u16,
    reason: &'static str,
    message: String,
}

impl Refusal {
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub(super) fn not_found(what: &str) -> Self {
        Self::new(404, "NotFound", format!("{what} not found"))
    }

    pub(super) fn method_not_allowed(what: &str) -> Self {
        Self::new(405, "MethodNotAllowed", format!("{what} is not supported here"))
    }

    pub(super) fn already_exists(name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{name} already exists"))
    }

    pub(super) fn conflict(name: &str) -> Self {
        Self::new(409, "Conflict", format!("{name} has been modified"))
    }

    pub(super) fn unsupported_media_type(found: &str) -> Self {
        Self::new(415, "UnsupportedMediaType", format!("can't read \"{found}\""))
    }

    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
        }
    }

    /// The `Status` object that clients turn into their errors.
    pub(super) fn into_body(self) -> Value {
        json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        })
    }
}
