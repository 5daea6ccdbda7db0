//! Requests whose refusals are answers, too.

use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::Value;

/// The body of the response: for a refusal, a Status with its reason and causes.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The status code of HTTP.
    pub status: StatusCode,
    /// The body; `null` if there is none, a string if it is not JSON.
    pub body: Value,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
}

impl Answer {
    /// Returns true if the status is one of success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.is_success()
    }
}

/// Sends one request and returns the answer, whatever its status.
///
/// The path starts with a slash and may have a query, as in
/// `/apis/storage.k8s.io/v1/storageclasses?dryRun=All`. A body is sent as `application/json`, or
/// in a PATCH as `application/merge-patch+json`.
///
/// # Errors
///
/// When there is no answer: the path isn't valid, or the connection failed.
pub async fn send(
    client: &Client,
    method: Method,
    path: &str,
    body: Option<Vec<u8>>,
) -> kube::Result<Answer> {
    let kind = match method {
        Method::PATCH => "application/merge-patch+json",
        _ => "application/json",
    };
    send_as(client, method, path, kind, body).await
}

/// The same with a body of another kind, such as `application/yaml`.
///
/// # Errors
///
/// As for [`send`], and when the kind isn't valid in a header.
pub async fn send_as(
    client: &Client,
    method: Method,
    path: &str,
    kind: &str,
    body: Option<Vec<u8>>,
) -> kube::Result<Answer> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("Content-Type", kind);
    let body = body.map_or_else(Body::empty, Body::from);
    let request = request.body(body).map_err(kube::Error::HttpError)?;
    let answer = client.send(request).await?;
    let status = answer.status();
    let warnings = answer.headers().get_all("Warning").iter();
    let warnings = warnings.filter_map(|header| warning(header.to_str().ok()?));
    let warnings = warnings.collect();
    let bytes = answer.into_body().collect().await?.to_bytes();
    let body = if bytes.is_empty() {
        Value::Null
    } else {
        let text = || String::from_utf8_lossy(&bytes).into_owned().into();
        serde_json::from_slice(&bytes).unwrap_or_else(|_| text())
    };
    Ok(Answer {
        status,
        body,
        warnings,
    })
}

/// The text of a header such as `299 - "text"`, in which quotes and backslashes are escaped.
fn warning(header: &str) -> Option<String> {
    let quoted = header.split_once('"')?.1.rsplit_once('"')?.0;
    Some(quoted.replace("\\\"", "\"").replace("\\\\", "\\"))
}
