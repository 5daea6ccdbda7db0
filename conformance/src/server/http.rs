//! From HTTP to the store and back.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::store::{Store, Target};
use super::{Request, Shared, lock, watch};

const JSON: &str = "application/json";
/// The body may be JSON, which is YAML too.
const APPLY_PATCH: &str = "application/apply-patch+yaml";
const MERGE_PATCH: &str = "application/merge-patch+json";

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().fallback(handle).with_state(shared)
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let request = Request {
        method: method.to_string(),
        path: uri.path().to_owned(),
        query: uri.query().unwrap_or_default().to_owned(),
        content_type: content_type.unwrap_or_default().to_owned(),
        body: serde_json::from_slice(&body).ok(),
    };
    lock(&shared.requests).push(request.clone());
    match answer(&shared, request) {
        Ok((status, body)) => respond(status, body),
        Err(refusal) => {
            let status = StatusCode::from_u16(refusal.code);
            let body = Body::from(refusal.into_body().to_string());
            respond(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
        }
    }
}

fn respond(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let json = axum::http::HeaderValue::from_static(JSON);
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

fn answer(
    shared: &Arc<Shared>,
    request: Request,
) -> Result<(StatusCode, Body), Refusal> {
    let query = parse(&request.query);
    for unsupported in ["labelSelector", "fieldSelector", "dryRun"] {
        if query.contains_key(unsupported) {
            return Err(Refusal::bad_request(format!("no {unsupported} here")));
        }
    }
    let mut store = lock(&shared.store);
    let target = store.resolve(&request.path)?;
    if request.method == "GET" && query.get("watch").is_some_and(|watch| watch == "true")
    {
        drop(store);
        return Ok((StatusCode::OK, watch::start(shared, &target, &query)?));
    }
    let mut status = StatusCode::OK;
    let object = match (request.method.as_str(), &target.name) {
        ("GET", None) => list(&store, &target, &query)?,
        ("GET", Some(_)) => store.get(&target)?.clone(),
        ("POST", None) => {
            status = StatusCode::CREATED;
            store.create(&target, body(&request, JSON)?)?
        }
        ("PUT", Some(_)) => store.replace(&target, body(&request, JSON)?)?,
        ("PATCH", Some(_)) if request.content_type == APPLY_PATCH => {
            if !query.contains_key("fieldManager") {
                return Err(Refusal::bad_request("fieldManager is required"));
            }
            store.apply(&target, body(&request, APPLY_PATCH)?)?
        }
        ("PATCH", Some(_)) => {
            store.merge_patch(&target, &body(&request, MERGE_PATCH)?)?
        }
        ("DELETE", Some(_)) if !target.status => store.delete(&target)?,
        (method, _) => return Err(Refusal::method_not_allowed(method)),
    };
    Ok((status, Body::from(object.to_string())))
}

fn body(request: &Request, content_type: &str) -> Result<Value, Refusal> {
    if request.content_type != content_type {
        return Err(Refusal::unsupported_media_type(&request.content_type));
    }
    request.body.clone().ok_or_else(|| Refusal::bad_request("the body is not JSON"))
}

/// None of the supported parameters has a value that needs escapes, so none are undone.
fn parse(query: &str) -> BTreeMap<String, String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A page of a list. The token is the number of objects that went before.
fn list(
    store: &Store,
    target: &Target,
    query: &BTreeMap<String, String>,
) -> Result<Value, Refusal> {
    let number = |name: &str| match query.get(name).map(|value| value.parse::<usize>()) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(_)) => Err(Refusal::bad_request(format!("{name} is not a number"))),
    };
    let start = number("continue")?.unwrap_or(0);
    let limit = number("limit")?.filter(|limit| *limit > 0).unwrap_or(usize::MAX);
    let objects = store.list(target);
    let mut items: Vec<Value> =
        objects.iter().skip(start).take(limit).map(|object| (*object).clone()).collect();
    for fields in items.iter_mut().filter_map(Value::as_object_mut) {
        // Go's typed lists leave them out, since the list says what its items are.
        fields.retain(|field, _| field != "apiVersion" && field != "kind");
    }
    let mut metadata = json!({"resourceVersion": store.version().to_string()});
    let next = start + items.len();
    if next < objects.len() {
        metadata["continue"] = next.to_string().into();
        metadata["remainingItemCount"] = (objects.len() - next).into();
    }
    Ok(json!({
        "kind": target.resource.list_kind,
        "apiVersion": target.resource.api_version,
        "metadata": metadata,
        "items": items,
    }))
}
