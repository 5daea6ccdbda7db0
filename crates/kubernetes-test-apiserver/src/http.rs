//! Answers HTTP requests from the store.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use serde_json::Value;

use crate::collection::Stored;
use crate::fault::Fault;
use crate::list::List;
use crate::listener::Connection;
use crate::media::{self, JSON};
use crate::query::Query;
use crate::refusal::Refusal;
use crate::shared::Shared;
use crate::store::{self, Patch};
use crate::target::Target;
use crate::{Request, metadata, watch};

/// The body may be JSON, which is YAML too.
const APPLY_PATCH: &str = "application/apply-patch+yaml";
const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const PATCHES: &str = "application/json-patch+json, application/merge-patch+json, \
                       application/apply-patch+yaml";

/// The largest body, in bytes.
const LIMIT: usize = 3 * 1024 * 1024;

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .fallback(handle)
        .layer(DefaultBodyLimit::max(LIMIT))
        .with_state(shared)
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    shared.awake().await;
    let call = Call::new(&shared, &method, &uri, &headers, &body);
    if let Some(refusal) = call.lacks_format(&shared, &headers, !body.is_empty()) {
        return refuse(refusal);
    }
    shared.log.lock().push(&call.request);
    let effect = shared.rules.lock().effect(&call.request);
    if !effect.delay.is_zero() {
        tokio::time::sleep(effect.delay).await;
    }
    match effect.fault {
        None | Some(Fault::Delay(_)) => call.answer(&shared),
        Some(Fault::Refuse { status, reason }) => {
            let message = "a test asked for this error";
            refuse(Refusal::new(status, reason, message))
        }
        Some(Fault::Conflict) => refuse(match &call.target {
            Ok(target) => Refusal::stale(target, call.request.name.as_deref().unwrap_or_default()),
            Err(refusal) => refusal.clone(),
        }),
        // Hyper fails when it writes the response.
        Some(Fault::BreakBefore) => {
            connection.break_off();
            Response::default()
        }
        Some(Fault::BreakAfter) => {
            let response = call.answer(&shared);
            connection.break_off();
            response
        }
    }
}

/// A request and its target.
struct Call {
    request: Request,
    query: Query,
    target: Result<Target, Refusal>,
}

impl Call {
    fn new(shared: &Shared, method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Self {
        let query = Query::new(uri.query().unwrap_or_default());
        let target = shared.store.lock().resolve(uri.path());
        let body: Option<Value> = serde_json::from_slice(body).ok();
        let (mut verb, mut resource) = ("", String::new());
        let (mut namespace, mut name) = (None, None);
        if let Ok(target) = &target {
            verb = target.verb(method.as_str(), query.is_true("watch"));
            resource = target.requested();
            namespace.clone_from(&target.namespace);
            let sent = body.as_ref().map(|object| metadata::text(object, "name"));
            let sent = sent.filter(|name| verb == "create" && !name.is_empty());
            name = target.name.clone().or(sent.map(str::to_owned));
        }
        let request = Request {
            verb: verb.to_owned(),
            resource,
            namespace,
            name,
            method: method.to_string(),
            path: uri.path().to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
            content_type: media::of_body(headers).to_owned(),
            body,
        };
        Self {
            request,
            query,
            target,
        }
    }

    /// Returns the refusal of a request for a format that the server lacks, if it is allowed. It
    /// has no faults and isn't counted: a client that has the choice sends it again in another one.
    fn lacks_format(
        &self,
        shared: &Shared,
        headers: &HeaderMap,
        has_body: bool,
    ) -> Option<Refusal> {
        self.target.as_ref().ok()?;
        let (verb, resource) = (&self.request.verb, &self.request.resource);
        if shared.rules.lock().forbids(verb, resource) {
            return None;
        }
        media::check(headers, verb, has_body).err()
    }

    fn answer(self, shared: &Arc<Shared>) -> Response {
        self.carry_out(shared)
            .map_or_else(refuse, |(status, body)| respond(status, body))
    }

    fn carry_out(self, shared: &Arc<Shared>) -> Result<(StatusCode, Body), Refusal> {
        let target = self.target?;
        let (query, request) = (&self.query, &self.request);
        let verb = request.verb.as_str();
        if shared.rules.lock().forbids(verb, &request.resource) {
            return Err(Refusal::forbidden(verb, &target));
        }
        if query.get("dryRun").is_some() || option(request, "dryRun").is_some() {
            return Err(Refusal::bad_request("no dryRun here"));
        }
        if verb == "watch" {
            return Ok((StatusCode::OK, watch::start(shared, target, query)?));
        }
        let mut store = shared.store.lock();
        let mut status = StatusCode::OK;
        let object = match verb {
            "get" => store.get(&target)?,
            "list" => {
                let list = List::of(&store, &target, query)?;
                // Writing takes time, and needs the store no more.
                drop(store);
                return Ok((status, list.text(&target).into()));
            }
            "create" => {
                status = StatusCode::CREATED;
                store.create(&target, sent(request)?)?
            }
            "update" => store.replace(&target, sent(request)?)?,
            "patch" => {
                let is_new = !target.status && store.get(&target).is_err();
                let object = store.patch(&target, patch(request, query)?)?;
                if is_new {
                    status = StatusCode::CREATED;
                }
                object
            }
            "delete" if !target.status => delete(&mut store, &target, request)?,
            "deletecollection" => {
                let list = delete_all(&mut store, &target, request, query)?;
                return Ok((status, list.text(&target).into()));
            }
            _ => return Err(Refusal::method_not_allowed()),
        };
        drop(store);
        let is_gone = !metadata::is_deleting(object.value());
        if verb == "delete" && is_gone && !target.resource.returns_deleted() {
            let answer = store::deleted(&target, object.value());
            return Ok((status, answer.to_string().into()));
        }
        let mut text = String::new();
        object.write(&target.resource, &mut text);
        Ok((status, text.into()))
    }
}

/// The object in the body.
fn sent(request: &Request) -> Result<Value, Refusal> {
    request
        .body
        .clone()
        .ok_or_else(|| Refusal::bad_request("the body is not JSON"))
}

fn patch(request: &Request, query: &Query) -> Result<Patch, Refusal> {
    let kind = request.content_type.as_str();
    if ![APPLY_PATCH, JSON_PATCH, MERGE_PATCH].contains(&kind) {
        return Err(Refusal::unsupported_media_type(PATCHES));
    }
    if kind == APPLY_PATCH && query.get("fieldManager").is_none() {
        let fault = "fieldManager: Required value: is required for apply patch";
        return Err(Refusal::invalid_options("PatchOptions", fault));
    }
    let body = request.body.clone();
    let body = body.ok_or_else(|| Refusal::bad_request("the body is not JSON"))?;
    match kind {
        APPLY_PATCH => Ok(Patch::Apply(body)),
        JSON_PATCH => serde_json::from_value(body)
            .map(Patch::Json)
            .map_err(|error| Refusal::bad_request(format!("error decoding patch: {error}"))),
        _ => Ok(Patch::Merge(body)),
    }
}

/// A field of `DeleteOptions`.
fn option<'a>(request: &'a Request, field: &str) -> Option<&'a Value> {
    let options = request.body.as_ref().filter(|_| request.method == "DELETE");
    options?.get(field).filter(|value| !value.is_null())
}

fn delete(
    store: &mut store::Store,
    target: &Target,
    request: &Request,
) -> Result<Arc<Stored>, Refusal> {
    store.delete(target, request.body.as_ref())
}

fn delete_all(
    store: &mut store::Store,
    target: &Target,
    request: &Request,
    query: &Query,
) -> Result<List, Refusal> {
    if target.resource.namespaced != target.namespace.is_some() {
        return Err(Refusal::method_not_allowed());
    }
    let selector = query.selector()?;
    let mut deleted = Vec::new();
    for object in store.all(target)? {
        if selector.matches(object.value()) {
            let named = target.named(metadata::text(object.value(), "name"));
            deleted.push(delete(store, &named, request)?);
        }
    }
    Ok(List::with(store.version(), deleted))
}

fn refuse(refusal: Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.code());
    let body = Body::from(refusal.into_status().to_string());
    respond(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
}

fn respond(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}
