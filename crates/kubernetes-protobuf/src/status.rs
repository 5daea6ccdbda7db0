//! The `Status` of a server as kube's.

use http::StatusCode;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as wire;
use kube::core::Status;
use kube::core::response::{StatusCause, StatusDetails, StatusSummary};
use kubernetes_kinds::protobuf::{self, DecodeError};

/// Reads a `Status` in protobuf.
pub(crate) fn from_slice(bytes: &[u8]) -> Result<Status, DecodeError> {
    protobuf::from_slice(bytes).map(of_wire)
}

/// Reads a `Status` in JSON. Any other object has none of its fields, which are all optional.
pub(crate) fn from_json(bytes: &[u8]) -> Option<Status> {
    let status: Status = serde_json::from_slice(bytes).ok()?;
    (status != Status::default()).then_some(status)
}

/// Makes a `Status` of the body of an error. It may be in any format, whatever was asked for:
/// errors of proxies are often text.
pub(crate) fn of_error(code: StatusCode, body: &[u8]) -> Status {
    let read = match from_slice(body) {
        Ok(status) => Some(status),
        Err(_) => from_json(body),
    };
    let mut status = read.unwrap_or_else(|| {
        let text = String::from_utf8_lossy(body);
        // The reason is that of kube.
        Status::failure(text.trim(), "Failed to parse error data")
    });
    if status.code == 0 {
        status.code = code.as_u16();
    }
    status
}

fn of_wire(status: wire::Status) -> Status {
    Status {
        status: match status.status.as_deref() {
            Some("Success") => Some(StatusSummary::Success),
            Some("Failure") => Some(StatusSummary::Failure),
            _ => None,
        },
        code: status
            .code
            .and_then(|code| code.try_into().ok())
            .unwrap_or_default(),
        message: status.message.unwrap_or_default(),
        metadata: Some(status.metadata),
        reason: status.reason.unwrap_or_default(),
        details: status.details.map(details_of_wire),
    }
}

fn details_of_wire(details: wire::StatusDetails) -> StatusDetails {
    let causes = details.causes.unwrap_or_default();
    StatusDetails {
        name: details.name.unwrap_or_default(),
        group: details.group.unwrap_or_default(),
        kind: details.kind.unwrap_or_default(),
        uid: details.uid.unwrap_or_default(),
        causes: causes
            .into_iter()
            .map(|cause| StatusCause {
                reason: cause.reason.unwrap_or_default(),
                message: cause.message.unwrap_or_default(),
                field: cause.field.unwrap_or_default(),
            })
            .collect(),
        retry_after_seconds: details
            .retry_after_seconds
            .and_then(|seconds| seconds.try_into().ok())
            .unwrap_or_default(),
    }
}
