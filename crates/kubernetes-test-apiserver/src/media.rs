//! Media types: the formats of bodies and answers. The server has JSON only, and says so as a real
//! one does.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};

use crate::refusal::Refusal;

pub(crate) const JSON: &str = "application/json";

/// Checks that the server has a format that the client accepts, and that of the object or options
/// in the body.
pub(crate) fn check(headers: &HeaderMap, verb: &str, has_body: bool) -> Result<(), Refusal> {
    if !accepts_json(headers) {
        return Err(Refusal::not_acceptable(JSON));
    }
    let content_type = of_body(headers);
    let is_lacking = match verb {
        "create" | "update" => content_type != JSON,
        // Options, which may be absent.
        "delete" | "deletecollection" => has_body && !matches!(content_type, "" | JSON),
        _ => false,
    };
    if is_lacking {
        return Err(Refusal::unsupported_media_type(JSON));
    }
    Ok(())
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
    let lists = headers.get_all(ACCEPT).into_iter();
    let mut accepted = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .map(without_parameters)
        .filter(|media_type| !media_type.is_empty())
        .peekable();
    // A client that names none accepts all. "application/*" is refused by a real server, too.
    accepted.peek().is_none() || accepted.any(|media_type| matches!(media_type, JSON | "*/*"))
}
