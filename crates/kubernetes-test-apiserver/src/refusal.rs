//! Refusals, in the words that Kubernetes uses.

use serde_json::{Value, json};

use crate::target::Target;

/// A request that the server did not carry out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    code: u16,
    reason: &'static str,
    message: String,
    details: Option<Box<Value>>,
}

impl Refusal {
    /// Returns the HTTP status, such as 409.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.code
    }

    /// Returns the reason, such as `AlreadyExists`.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.reason
    }

    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: None,
        }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub(crate) fn forbidden(verb: &str, target: &Target) -> Self {
        let group = target.resource.group();
        let scope = match &target.namespace {
            Some(namespace) => format!("in the namespace \"{namespace}\""),
            None => "at the cluster scope".to_owned(),
        };
        let action = format!(
            "User \"system:anonymous\" cannot {verb} resource \"{}\" in API group \"{group}\" \
             {scope}",
            target.requested()
        );
        let subject = match &target.name {
            Some(name) => format!("{} \"{name}\"", target.resource.qualified()),
            None => target.resource.qualified(),
        };
        Self::new(
            403,
            "Forbidden",
            format!("{subject} is forbidden: {action}"),
        )
        .about(target, target.name.as_deref().unwrap_or_default())
    }

    /// A path that the server does not have.
    pub(crate) fn no_such_path() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, "NotFound", message)
    }

    pub(crate) fn not_found(target: &Target, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", target.resource.qualified());
        Self::new(404, "NotFound", message).about(target, name)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message)
    }

    pub(crate) fn already_exists(target: &Target, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", target.resource.qualified());
        Self::new(409, "AlreadyExists", message).about(target, name)
    }

    pub(crate) fn not_acceptable(accepted: &str) -> Self {
        let message = format!("only the following media types are accepted: {accepted}");
        Self::new(406, "NotAcceptable", message)
    }

    pub(crate) fn conflict(target: &Target, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{name}\": {why}",
            target.resource.qualified()
        );
        Self::new(409, "Conflict", message).about(target, name)
    }

    /// A write that was based on an older version of the object.
    pub(crate) fn stale(target: &Target, name: &str) -> Self {
        let why = "the object has been modified; please apply your changes to the latest \
                   version and try again";
        Self::conflict(target, name, why)
    }

    /// Versions that the server no longer has.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    pub(crate) fn too_old(version: u64, oldest: u64) -> Self {
        Self::expired(format!("too old resource version: {version} ({oldest})"))
    }

    pub(crate) fn unsupported_media_type(accepted: &str) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types \
             include: {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// An object with a fault in `field`; `reason` is one of the reasons of causes.
    pub(crate) fn invalid(
        target: &Target,
        name: &str,
        reason: &str,
        (field, fault): (&str, &str),
    ) -> Self {
        let message = format!(
            "{} \"{name}\" is invalid: {field}: {fault}",
            target.resource.qualified_kind()
        );
        let mut refusal = Self::new(422, "Invalid", message).about(target, name);
        if let Some(details) = &mut refusal.details {
            details["kind"] = target.resource.kind.into();
            details["causes"] = json!([{"reason": reason, "message": fault, "field": field}]);
        }
        refusal
    }

    /// Options with a fault; their kind has no name.
    pub(crate) fn invalid_options(kind: &str, fault: &str) -> Self {
        let message = format!("{kind}.meta.k8s.io \"\" is invalid: {fault}");
        Self::new(422, "Invalid", message)
    }

    /// A version that is newer than any object.
    pub(crate) fn too_large(version: u64, current: u64) -> Self {
        let message = format!("Too large resource version: {version}, current: {current}");
        let mut refusal = Self::new(504, "Timeout", message);
        refusal.details = Some(Box::new(json!({
            "causes": [{
                "reason": "ResourceVersionTooLarge",
                "message": "Too large resource version",
            }],
            "retryAfterSeconds": 1,
        })));
        refusal
    }

    fn about(mut self, target: &Target, name: &str) -> Self {
        let mut details = json!({"kind": target.resource.plural});
        for (field, value) in [("name", name), ("group", target.resource.group())] {
            if !value.is_empty() {
                details[field] = value.into();
            }
        }
        self.details = Some(Box::new(details));
        self
    }

    /// Returns the `Status` object that clients turn into their errors.
    #[must_use]
    pub fn into_status(self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        });
        if let Some(details) = self.details {
            status["details"] = *details;
        }
        status
    }
}
