//! Media types: the formats of bodies and answers. The server has JSON only, and says so as a real
//! one does.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE, HeaderName};

use crate::refusal::Refusal;

pub(crate) const JSON: &str = "application/json";

/// Checks that the server has a format that the client accepts, and that of the object or options
/// in the body.
pub(crate) fn check(headers: &HeaderMap, verb: &str, has_body: bool) -> Result<(), Refusal> {
    if !accepts_json(headers) {
        return Err(Refusal::not_acceptable(JSON));
    }
    let content_type = of_body(headers);
    match verb {
        "create" | "update" if content_type != JSON => Err(Refusal::unsupported_media_type(JSON)),
        // Options, which may be absent.
        "delete" | "deletecollection"
            if has_body && !content_type.is_empty() && content_type != JSON =>
        {
            Err(Refusal::unsupported_media_type(JSON))
        }
        _ => Ok(()),
    }
}

/// Returns the media type of the body without its parameters, or the empty string.
pub(crate) fn of_body(headers: &HeaderMap) -> &str {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map_or("", without_parameters)
}

fn without_parameters(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

fn accepts_json(headers: &HeaderMap) -> bool {
    let texts = |name: HeaderName| {
        headers
            .get_all(name)
            .into_iter()
            .map(|value| value.to_str())
    };
    let mut accepted = texts(ACCEPT)
        .filter_map(Result::ok)
        .flat_map(|list| list.split(','))
        .map(without_parameters)
        .filter(|media_type| !media_type.is_empty())
        .peekable();
    // A client that names none accepts all. "application/*" is refused by a real server, too.
    accepted.peek().is_none() || accepted.any(|media_type| matches!(media_type, JSON | "*/*"))
}
