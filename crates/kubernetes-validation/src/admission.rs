//! Answers of admission webhooks: defaults or validates the object of a request; the result becomes
//! the [`AdmissionResponse`] of kube 5, which re-exports `kube_core` as `kube::core`.
//!
//! ```
//! use k8s_openapi::serde::Serialize;
//! use kube_core::admission::{AdmissionRequest, AdmissionReview};
//! use kube_core::DynamicObject;
//! use kubernetes_validation::{Target, Validate, admission};
//!
//! // Handles `/validate`: answers with all errors of the object, or with its warnings.
//! fn validate<K>(request: &AdmissionRequest<K>, target: &Target) -> AdmissionReview<DynamicObject>
//! where
//!     K: Validate + kube_core::Resource,
//! {
//!     admission::validate(request, target).into_review()
//! }
//!
//! // Handles `/default`: answers with a JSON patch that adds the defaults.
//! fn default<K>(request: &AdmissionRequest<K>, target: &Target) -> AdmissionReview<DynamicObject>
//! where
//!     K: Validate + kube_core::Resource + Serialize,
//! {
//!     admission::default(request, target).into_review()
//! }
//! ```
//!
//! [`validate_with`] and [`default_with`] add rules and defaults of the program.
//!
//! A server sets its own defaults before it calls mutating webhooks, and validates an object
//! between mutating and validating webhooks. A validating webhook therefore sees only objects that
//! this server accepts: it rejects those that violate additional rules, or the rules of another
//! release. [`validate`] may answer in a mutating webhook too, which comes before the server's
//! validation. The kinds of a CustomResourceDefinition have neither defaults nor rules in the
//! server, but those of the definition.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Status, StatusDetails};
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json;
use kube_core::admission::{AdmissionRequest, AdmissionResponse, Operation};
use kube_core::response;

use crate::{Checker, Report, Target, Validate, ValidationError, Warning};

/// The most characters of a warning that servers pass on.
const MAX_WARNING: usize = 256;

/// The most characters of all warnings of a request. A server drops what exceeds it.
const MAX_WARNINGS: usize = 4096;

/// Validates the object of a request as a server of the target does: rejects it with all its
/// errors, or accepts it with its warnings.
///
/// A new object is [prepared and validated](Validate::default_and_validate); an update is validated
/// against the stored object, and a write of the subresource `status` as such. DELETE, CONNECT and
/// other subresources are accepted, because they have nothing to validate. A dry run is answered
/// like any other request.
///
/// The rejection is that of [`ValidationError::to_status`]: code 422, reason `Invalid`, and a cause
/// for each error. A server passes it on to the client with the name of the webhook before the
/// message. A request without the object that its operation has is rejected with code 400.
#[must_use]
pub fn validate<K>(request: &AdmissionRequest<K>, target: &Target) -> AdmissionResponse
where
    K: Validate + kube_core::Resource,
{
    validate_with(request, target, |_, _| ())
}

/// Validates the object of a request as [`validate`] does, and with additional rules of the
/// program.
///
/// `rules` is called with the prepared object if there is one to validate. Its errors and warnings
/// follow those of the server.
///
/// ```
/// # use kube_core::admission::{AdmissionRequest, AdmissionResponse};
/// use kubernetes_validation::{Path, Target, Validate, admission};
///
/// # fn answer<K>(request: &AdmissionRequest<K>, target: &Target) -> AdmissionResponse
/// # where K: Validate + kube_core::Resource {
/// admission::validate_with(request, target, |object, checker| {
///     let labels = object.metadata().labels.as_ref();
///     if labels.is_none_or(|labels| !labels.contains_key("team")) {
///         let (metadata, key) = (Path::ROOT.field("metadata"), "team");
///         let labels = metadata.field("labels");
///         checker.required(labels.key(key), "team", "name the team that owns the object");
///     }
/// })
/// # }
/// ```
#[must_use]
pub fn validate_with<K>(
    request: &AdmissionRequest<K>,
    target: &Target,
    rules: impl FnOnce(&K, &mut Checker<'_>),
) -> AdmissionResponse
where
    K: Validate + kube_core::Resource,
{
    let is_status = match request.sub_resource.as_deref() {
        None | Some("") => false,
        Some("status") => true,
        Some(_) => return AdmissionResponse::from(request),
    };
    let (mut object, stored) = match request_object(request) {
        RequestObject::None => return AdmissionResponse::from(request),
        RequestObject::Missing(field) => return lacks(request, field),
        RequestObject::New(object) => (object.clone(), None),
        RequestObject::Update { object, stored } => {
            let mut stored = stored.clone();
            // A server sets defaults when it reads a stored object.
            stored.set_defaults(target);
            (object.clone(), Some(stored))
        }
    };
    let (mut report, mut own) = match &stored {
        Some(stored) if is_status => (
            object.default_and_validate_status(stored, target),
            Checker::of_update(target),
        ),
        Some(stored) => (
            object.default_and_validate_update(stored, target),
            Checker::of_update(target),
        ),
        None => (object.default_and_validate(target), Checker::new(target)),
    };
    rules(&object, &mut own);
    let own = own.finish();
    report.errors.extend(own.errors);
    report.warnings.extend(own.warnings);
    respond(request, report)
}

/// Returns the answer to a request whose object has that report: a rejection with all errors as
/// [`validate`] returns it, or an acceptance with the warnings.
///
/// Each warning has at most 256 characters, and all of them at most 4096, which is what servers
/// pass on; the last says how many are left out.
#[must_use]
pub fn respond<K>(request: &AdmissionRequest<K>, report: Report) -> AdmissionResponse
where
    K: Validate + kube_core::Resource,
{
    let mut response = AdmissionResponse::from(request);
    match report.into_result() {
        Ok(warnings) if warnings.is_empty() => {}
        Ok(warnings) => response.warnings = Some(shortened(&warnings)),
        Err(refused) => {
            response.allowed = false;
            response.result = kube_status(refusal(request, &refused));
        }
    }
    response
}

/// Answers with a JSON patch that adds the defaults which a server of the target sets, and changes
/// no field that is set.
///
/// There is no patch if nothing is unset, and for requests without defaults: DELETE, CONNECT and
/// subresources. Nothing is validated. A request without its object is rejected with code 400.
///
/// The fields of the patch are those of the type `K`, so fields that the type doesn't have stay as
/// they are in the request. The patch presumes that the request has the objects that `K` requires,
/// such as `spec`; a server sends them for its own kinds, even if they are empty.
#[must_use]
pub fn default<K>(request: &AdmissionRequest<K>, target: &Target) -> AdmissionResponse
where
    K: Validate + kube_core::Resource + Serialize,
{
    default_with(request, target, |_| ())
}

/// Answers with a JSON patch of the defaults as [`default`] does, and of the changes that `change`
/// makes to the object after that.
///
/// ```
/// # use k8s_openapi::serde::Serialize;
/// # use kube_core::admission::{AdmissionRequest, AdmissionResponse};
/// use kubernetes_validation::{Target, Validate, admission};
///
/// # fn answer<K>(request: &AdmissionRequest<K>, target: &Target) -> AdmissionResponse
/// # where K: Validate + kube_core::Resource + Serialize {
/// admission::default_with(request, target, |object| {
///     let labels = object.metadata_mut().labels.get_or_insert_default();
///     labels.entry("team".to_owned()).or_insert_with(|| "storage".to_owned());
/// })
/// # }
/// ```
#[must_use]
pub fn default_with<K>(
    request: &AdmissionRequest<K>,
    target: &Target,
    change: impl FnOnce(&mut K),
) -> AdmissionResponse
where
    K: Validate + kube_core::Resource + Serialize,
{
    let response = AdmissionResponse::from(request);
    if request
        .sub_resource
        .as_deref()
        .is_some_and(|name| !name.is_empty())
    {
        return response;
    }
    let object = match request_object(request) {
        RequestObject::None => return response,
        RequestObject::Missing(field) => return lacks(request, field),
        RequestObject::New(object) | RequestObject::Update { object, .. } => object,
    };
    let mut changed = object.clone();
    changed.set_defaults(target);
    change(&mut changed);
    match with_changes(response, object, &changed) {
        Ok(response) => response,
        Err(error) => deny(request, 500, "InternalError", &error),
    }
}

/// Adds the patch that turns one object into the other, if they differ.
fn with_changes<K: Serialize>(
    response: AdmissionResponse,
    before: &K,
    after: &K,
) -> Result<AdmissionResponse, String> {
    let value = |object: &K| serde_json::to_value(object).map_err(|e| e.to_string());
    let patch = json_patch::diff(&value(before)?, &value(after)?);
    if patch.0.is_empty() {
        return Ok(response);
    }
    response
        .with_patch(patch)
        .map_err(|error| error.to_string())
}

/// The part of a request that is defaulted and validated.
enum RequestObject<'r, K> {
    /// The operation has no object of this kind.
    None,
    /// The request lacks this field.
    Missing(&'static str),
    New(&'r K),
    Update {
        object: &'r K,
        stored: &'r K,
    },
}

fn request_object<K: kube_core::Resource>(request: &AdmissionRequest<K>) -> RequestObject<'_, K> {
    match (&request.operation, &request.object, &request.old_object) {
        (Operation::Delete | Operation::Connect, _, _) => RequestObject::None,
        (_, None, _) => RequestObject::Missing("object"),
        (Operation::Create, Some(object), _) => RequestObject::New(object),
        (Operation::Update, Some(object), Some(stored)) => RequestObject::Update { object, stored },
        (Operation::Update, Some(_), None) => RequestObject::Missing("oldObject"),
    }
}

/// Returns the answer to a request that lacks a field, which no server sends.
fn lacks<K: kube_core::Resource>(request: &AdmissionRequest<K>, field: &str) -> AdmissionResponse {
    let message = format!("the AdmissionReview has no request.{field}");
    deny(request, 400, "BadRequest", &message)
}

fn deny<K: kube_core::Resource>(
    request: &AdmissionRequest<K>,
    code: u16,
    reason: &str,
    message: &str,
) -> AdmissionResponse {
    let mut response = AdmissionResponse::from(request);
    response.allowed = false;
    response.result = response::Status::failure(message, reason).with_code(code);
    response
}

fn refusal<K>(request: &AdmissionRequest<K>, refused: &ValidationError) -> Status
where
    K: Validate + kube_core::Resource,
{
    let object = request.object.as_ref();
    let name = object.and_then(|object| object.metadata().name.as_deref());
    // A name that the server generates later is in neither.
    refused.to_status::<K>(name.unwrap_or(&request.name))
}

/// Converts to kube's type, in which an empty string is absent.
fn kube_status(status: Status) -> response::Status {
    response::Status {
        status: Some(response::StatusSummary::Failure),
        code: status
            .code
            .and_then(|code| code.try_into().ok())
            .unwrap_or_default(),
        message: status.message.unwrap_or_default(),
        metadata: None,
        reason: status.reason.unwrap_or_default(),
        details: status.details.map(kube_details),
    }
}

fn kube_details(details: StatusDetails) -> response::StatusDetails {
    let causes = details.causes.into_iter().flatten();
    let causes = causes.map(|cause| response::StatusCause {
        reason: cause.reason.unwrap_or_default(),
        message: cause.message.unwrap_or_default(),
        field: cause.field.unwrap_or_default(),
    });
    response::StatusDetails {
        name: details.name.unwrap_or_default(),
        group: details.group.unwrap_or_default(),
        kind: details.kind.unwrap_or_default(),
        uid: String::new(),
        causes: causes.collect(),
        retry_after_seconds: 0,
    }
}

/// Returns the warnings within the limits of a server.
fn shortened(warnings: &[Warning]) -> Vec<String> {
    let texts = warnings.iter().map(|warning| cut(warning.to_string()));
    let texts: Vec<_> = texts.collect();
    let lengths: Vec<_> = texts.iter().map(|text| text.chars().count()).collect();
    if lengths.iter().sum::<usize>() <= MAX_WARNINGS {
        return texts;
    }
    let left_out = |count: usize| format!("{count} more warnings are left out");
    // No count is longer than that of all.
    let mut room = MAX_WARNINGS.saturating_sub(left_out(texts.len()).len());
    let fits = lengths.iter().take_while(|length| {
        let rest = room.checked_sub(**length);
        room = rest.unwrap_or(room);
        rest.is_some()
    });
    let kept = fits.count();
    let last = left_out(texts.len() - kept);
    texts.into_iter().take(kept).chain([last]).collect()
}

fn cut(text: String) -> String {
    if text.chars().count() <= MAX_WARNING {
        return text;
    }
    text.chars().take(MAX_WARNING - 1).chain(['…']).collect()
}
