//! A proxy before the API server, which counts requests, refuses and loses them, stops at a chosen
//! one, and goes away.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use core_v1::PersistentVolume;
use futures::{FutureExt, StreamExt, stream};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, StatusCode};
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use kubernetes_kinds::protobuf;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};

/// The longest request that is forwarded, in bytes.
const LIMIT: usize = 1 << 20;

/// A request at which a process is to be killed, before the server gets it or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) method: &'static str,
    /// A part of its path.
    pub(crate) path: &'static str,
    pub(crate) is_done: bool,
}

pub(crate) struct Proxy {
    client: Client,
    state: Mutex<Plan>,
    /// Notified when the request of the plan has come.
    pub(crate) reached: Notify,
    /// Lets go on what is held at the request of the plan.
    pub(crate) released: Notify,
    is_away: watch::Sender<bool>,
}

#[derive(Default)]
struct Plan {
    point: Option<Point>,
    /// The part of requests that fail, by percent.
    faults: u32,
    random: fastrand::Rng,
    /// The number of times that the server has created each volume.
    created: HashMap<String, usize>,
    requests: Requests,
    formats: BTreeMap<String, Formats>,
    /// What came and was answered, a line each.
    journal: Vec<String>,
}

/// The number of requests that came, by verb and resource, such as `create persistentvolumes`.
pub(crate) type Requests = BTreeMap<String, usize>;

/// The media types of the bodies of requests and of their answers; without a body, an empty one.
pub(crate) type Formats = BTreeSet<(String, String)>;

impl Proxy {
    /// Starts a proxy that forwards what it gets as a client. Returns it and its address.
    pub(crate) async fn start(client: Client, seed: u64) -> (Arc<Self>, String) {
        let proxy = Arc::new(Self {
            client,
            state: Mutex::new(Plan {
                random: fastrand::Rng::with_seed(seed),
                ..Plan::default()
            }),
            reached: Notify::new(),
            released: Notify::new(),
            is_away: watch::Sender::new(false),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&proxy));
        tokio::spawn(async move { axum::serve(listener, router).await });
        (proxy, address)
    }

    /// Lets some percent of the requests fail, and stops at a request.
    pub(crate) fn plan(&self, faults: u32, point: Option<Point>) {
        let mut state = self.state.lock().unwrap();
        state.faults = faults;
        state.point = point;
    }

    /// Returns how often the server has created volumes of a name.
    pub(crate) fn created(&self, volume: &str) -> usize {
        self.state
            .lock()
            .unwrap()
            .created
            .get(volume)
            .copied()
            .unwrap_or(0)
    }

    /// Breaks all connections, and answers nothing until it comes back.
    pub(crate) fn go_away(&self, is_away: bool) {
        self.is_away.send_replace(is_away);
    }

    /// Returns the requests since the last call.
    pub(crate) fn take_requests(&self) -> Requests {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }

    /// Returns the formats of all requests that the server has answered, of a verb and a resource.
    pub(crate) fn formats(&self, what: &str) -> Formats {
        let state = self.state.lock().unwrap();
        state.formats.get(what).cloned().unwrap_or_default()
    }

    /// Returns what came and was answered, with times. A request without an answer was held.
    pub(crate) fn journal(&self) -> String {
        self.state.lock().unwrap().journal.join("\n")
    }

    fn record(&self, what: &str, request: &str) {
        let line = format!("{} {what} {request}", Timestamp::now());
        self.state.lock().unwrap().journal.push(line);
    }

    /// Returns true if a request is the one to stop at, which is then forgotten.
    fn is_at(&self, request: &Request, is_done: bool) -> bool {
        let mut state = self.state.lock().unwrap();
        let is_at = state.point.is_some_and(|point| {
            point.is_done == is_done
                && request.method().as_str() == point.method
                && request.uri().path().contains(point.path)
        });
        if is_at {
            state.point = None;
        }
        is_at
    }

    fn fault(&self) -> Option<u32> {
        let mut state = self.state.lock().unwrap();
        let fails = state.random.u32(..100) < state.faults;
        fails.then(|| state.random.u32(..5))
    }

    async fn forward(&self, request: Request) -> Response {
        let is_creation = request.method() == Method::POST
            && request.uri().path().ends_with("/persistentvolumes");
        let what = verb_and_resource(&request);
        let (parts, body) = request.into_parts();
        let bytes = to_bytes(body, LIMIT).await.unwrap();
        let sent = if bytes.is_empty() {
            ""
        } else {
            format(&parts.headers)
        };
        let sent = sent.to_owned();
        let name = is_creation.then(|| name(&sent, &bytes));
        let mut request = http::Request::new(kube::client::Body::from(bytes));
        *request.method_mut() = parts.method;
        *request.uri_mut() = parts
            .uri
            .path_and_query()
            .unwrap()
            .as_str()
            .parse()
            .unwrap();
        for (header, value) in &parts.headers {
            if header != http::header::HOST && header != http::header::CONTENT_LENGTH {
                request.headers_mut().insert(header, value.clone());
            }
        }
        match self.client.send(request).await {
            Ok(response) => {
                let (parts, body) = response.into_parts();
                let mut state = self.state.lock().unwrap();
                let formats = (sent, format(&parts.headers).to_owned());
                state.formats.entry(what).or_default().insert(formats);
                if let (Some(name), StatusCode::CREATED) = (name, parts.status) {
                    *state.created.entry(name).or_default() += 1;
                }
                drop(state);
                let mut is_away = self.is_away.subscribe();
                let away = async move { is_away.wait_for(|away| *away).await.is_ok() };
                let body = Body::new(body).into_data_stream().take_until(away.boxed());
                Response::from_parts(parts, Body::from_stream(body))
            }
            Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
        }
    }
}

/// The media type of a body, without its parameters.
fn format(headers: &HeaderMap) -> &str {
    let text = headers.get(CONTENT_TYPE).map(|text| text.to_str().unwrap());
    text.unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
}

/// The name of the volume in a body.
fn name(format: &str, body: &[u8]) -> String {
    let volume: PersistentVolume = match format {
        protobuf::CONTENT_TYPE => protobuf::from_slice(body).unwrap(),
        _ => serde_json::from_slice(body).unwrap(),
    };
    volume.metadata.name.unwrap()
}

/// An answer that ends in the middle.
fn broken() -> Response {
    let error = Err::<&[u8], _>(io::Error::other("the connection is broken"));
    Response::new(Body::from_stream(stream::iter([error])))
}

fn refusal(code: StatusCode, reason: &str) -> Response {
    let status = serde_json::json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure", "message": "a fault of the test",
        "reason": reason, "code": code.as_u16(),
    });
    (
        code,
        [(CONTENT_TYPE, "application/json")],
        status.to_string(),
    )
        .into_response()
}

/// The verb and the resource of a request.
fn verb_and_resource(request: &Request) -> String {
    let path = request.uri().path().trim_matches('/');
    let mut parts: Vec<_> = path.split('/').collect();
    // The group and version are ignored.
    parts.drain(..parts.len().min(if parts[0] == "api" { 2 } else { 3 }));
    if parts[0] == "namespaces" && parts.len() > 2 {
        parts.drain(..2);
    }
    let is_watch = request
        .uri()
        .query()
        .is_some_and(|query| query.contains("watch=true"));
    let verb = match request.method().as_str() {
        "GET" if is_watch => "watch",
        "GET" if parts.len() == 1 => "list",
        "GET" => "get",
        "POST" => "create",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        other => panic!("{other} {path}"),
    };
    format!("{verb} {}", parts[0])
}

async fn answer(State(proxy): State<Arc<Proxy>>, request: Request) -> Response {
    let line = format!("{} {}", request.method(), request.uri());
    proxy.record("request", &line);
    let response = respond(&proxy, request, &line).await;
    proxy.record(response.status().as_str(), &line);
    response
}

async fn respond(proxy: &Proxy, request: Request, line: &str) -> Response {
    let what = verb_and_resource(&request);
    *proxy
        .state
        .lock()
        .unwrap()
        .requests
        .entry(what)
        .or_default() += 1;
    if *proxy.is_away.borrow() {
        return broken();
    }
    if proxy.is_at(&request, false) {
        proxy.reached.notify_one();
        proxy.released.notified().await;
        return proxy.forward(request).await;
    }
    let stops = proxy.is_at(&request, true);
    // The lease is the one thing that must not be lost: nothing would happen for long.
    let is_lease = request.uri().path().contains("/leases");
    let fault = if stops || is_lease {
        None
    } else {
        proxy.fault()
    };
    if let Some(fault) = fault {
        proxy.record(&format!("fault {fault}"), line);
    }
    match fault {
        Some(0) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "InternalError"),
        Some(1) => refusal(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests"),
        Some(2) => broken(),
        Some(3) => {
            proxy.forward(request).await;
            broken()
        }
        Some(_) => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            proxy.forward(request).await
        }
        None => {
            let response = proxy.forward(request).await;
            if stops {
                proxy.reached.notify_one();
                proxy.released.notified().await;
            }
            response
        }
    }
}
