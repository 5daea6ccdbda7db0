//! The `Status` of a rejected object, as a server returns it.

use k8s_openapi::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Status, StatusCause, StatusDetails};

use crate::{Error, ValidationError};

/// The rule of an invalid quantity, with which a server can't decode the object and reports nothing
/// else.
const UNREADABLE: &str = "quantity";

impl ValidationError {
    /// Returns the answer of a server that rejects an object of this kind and name; Kubernetes'
    /// `NewInvalid`.
    ///
    /// The code is 422, the reason `Invalid`, and each error is a cause: its reason and field are
    /// those of a server, the messages are those of this crate. An invalid quantity becomes code
    /// 400 without causes, as in a server.
    ///
    /// ```
    /// use kubernetes_kinds::named;
    /// use kubernetes_validation::{Target, Validate};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
    /// # fn status<K>(mut object: K, target: &Target) -> Option<Status>
    /// # where
    /// #     K: Validate + k8s_openapi::Resource,
    /// # {
    /// let rejected = object.default_and_validate(target).into_result().err()?;
    /// let status = rejected.to_status::<K>("fast");
    /// assert_eq!(status.code, Some(422));
    /// # Some(status)
    /// # }
    /// ```
    #[must_use]
    #[inline]
    pub fn to_status<K: Resource>(&self, name: &str) -> Status {
        let is_read = self.errors.iter().all(|error| error.rule != UNREADABLE);
        let (code, reason) = if is_read {
            (422, "Invalid")
        } else {
            (400, "BadRequest")
        };
        let kind = match K::GROUP {
            "" => K::KIND.to_owned(),
            group => format!("{}.{group}", K::KIND),
        };
        let errors: Vec<_> = self.errors.iter().map(message_with_field).collect();
        let errors = match errors.as_slice() {
            [error] => error.clone(),
            errors => format!("[{}]", errors.join(", ")),
        };
        let details = || StatusDetails {
            causes: Some(self.errors.iter().map(cause).collect()),
            group: some(K::GROUP),
            kind: some(K::KIND),
            name: some(name),
            ..StatusDetails::default()
        };
        Status {
            code: Some(code),
            details: is_read.then(details),
            message: Some(format!("{kind} \"{name}\" is invalid: {errors}")),
            reason: some(reason),
            status: some("Failure"),
            ..Status::default()
        }
    }
}

#[inline]
fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the message of an error, after the path that a server reports.
#[inline]
fn message_with_field(error: &Error) -> String {
    format!("{}: {}", error.field, error.body())
}

#[inline]
fn cause(error: &Error) -> StatusCause {
    StatusCause {
        field: some(&error.field),
        message: Some(error.body()),
        reason: some(error.error_type.reason()),
    }
}
