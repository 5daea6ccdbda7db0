//! A server that gives prepared answers, and the bytes of answers.

mod bytes;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

pub(crate) use axum::body::Body as Answer;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use storage_v1::StorageClass;
use tower::{BoxError, service_fn};

pub(crate) use self::bytes::{bookmark, envelope, event, list, status, watched};

pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
pub(crate) const STREAM: &str = "application/vnd.kubernetes.protobuf;stream=watch";
pub(crate) const JSON: &str = "application/json";

/// A request that the server has had.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Sent {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// The requests that have been sent.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<Sent>>>);

impl Log {
    pub(crate) fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Returns a client of a server that gives the answers one after the other.
pub(crate) fn server(answers: impl IntoIterator<Item = Response<Answer>>) -> (Client, Log) {
    let answers: VecDeque<_> = answers.into_iter().collect();
    let answers = Arc::new(Mutex::new(answers));
    let log = Log::default();
    let sent = log.clone();
    let service = service_fn(move |request: Request<Body>| {
        let (answers, sent) = (answers.clone(), sent.clone());
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect_bytes().await?.into();
            sent.0.lock().unwrap().push(Sent {
                method: parts.method,
                uri: parts.uri.to_string(),
                headers: parts.headers,
                body,
            });
            let answer = answers.lock().unwrap().pop_front();
            answer.ok_or_else(|| BoxError::from("no answer is left"))
        }
    });
    (Client::new(service, "default"), log)
}

pub(crate) fn answer(code: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Response<Answer> {
    let mut answer = Response::new(Answer::from(body.into()));
    *answer.status_mut() = StatusCode::from_u16(code).unwrap();
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
    answer
}

/// A class with a resource version.
pub(crate) fn class(name: &str, version: &str) -> StorageClass {
    let mut class = StorageClass::new(name, "csi.example.com");
    if !version.is_empty() {
        class.metadata.resource_version = Some(version.to_owned());
    }
    class
}
