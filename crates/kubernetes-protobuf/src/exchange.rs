//! Requests and answers: the formats that they ask for and have.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use either::Either;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use k8s_openapi::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, Status as WireStatus};
use kube::api::{ObjectList, TypeMeta};
use kube::client::Body;
use kube::core::Status;
use kube::{Client, Error, Result};
use kubernetes_kinds::protobuf::{self, DecodeError, Envelope, Field, Input};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};

use crate::{Object, status};

/// The formats that a request for an object accepts, the best first.
const ACCEPTED: HeaderValue =
    HeaderValue::from_static("application/vnd.kubernetes.protobuf, application/json");
const PROTOBUF: HeaderValue = HeaderValue::from_static(protobuf::CONTENT_TYPE);
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Protobuf,
    Json,
}

impl Format {
    /// Returns the format that the headers name.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let media_type = headers.get(CONTENT_TYPE).and_then(|value| {
            let value = value.to_str().ok()?;
            Some(value.split(';').next().unwrap_or(value).trim())
        });
        match media_type {
            Some(name) if name.eq_ignore_ascii_case(protobuf::CONTENT_TYPE) => Self::Protobuf,
            // kube takes every answer as JSON.
            _ => Self::Json,
        }
    }
}

/// What is known of the formats that a server has for a kind. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Formats {
    /// True when the server has refused protobuf, and taken the same request in JSON.
    json_only: Arc<AtomicBool>,
}

/// Sends a request for protobuf, and once more for JSON if the server refuses that. A server that
/// then takes it gets JSON from then on. Returns the answer if it is no error.
///
/// An object becomes the body of the request; otherwise, the request has its own.
pub(crate) async fn send<K: Object>(
    client: &Client,
    formats: &Formats,
    request: Request<Vec<u8>>,
    object: Option<&K>,
) -> Result<Response<Body>> {
    // Nothing else depends on the flag.
    if !formats.json_only.load(Ordering::Relaxed) {
        let in_protobuf = in_format(request.clone(), object, Format::Protobuf)?;
        let response = client.send(in_protobuf).await?;
        if !is_refused(&response) {
            return without_error(response).await;
        }
    }
    let in_json = in_format(request, object, Format::Json)?;
    let response = client.send(in_json).await?;
    // Refused again, it was not for protobuf: servers lack kinds of patches, too.
    if !is_refused(&response) {
        formats.json_only.store(true, Ordering::Relaxed);
    }
    without_error(response).await
}

/// Returns an answer that is no error.
async fn without_error(response: Response<Body>) -> Result<Response<Body>> {
    let code = response.status();
    if code.is_client_error() || code.is_server_error() {
        let body = response.into_body().collect_bytes().await?;
        return Err(Error::Api(Box::new(status::of_error(code, &body))));
    }
    Ok(response)
}

/// Returns true if a server lacks the format of a request or of its answer.
fn is_refused(response: &Response<Body>) -> bool {
    matches!(
        response.status(),
        StatusCode::NOT_ACCEPTABLE | StatusCode::UNSUPPORTED_MEDIA_TYPE
    )
}

fn in_format<K: Object>(
    mut request: Request<Vec<u8>>,
    object: Option<&K>,
    format: Format,
) -> Result<Request<Body>> {
    let (accepted, media_type) = match format {
        Format::Protobuf => (ACCEPTED, PROTOBUF),
        Format::Json => (JSON, JSON),
    };
    request.headers_mut().insert(ACCEPT, accepted);
    if let Some(object) = object {
        request.headers_mut().insert(CONTENT_TYPE, media_type);
        *request.body_mut() = match format {
            Format::Protobuf => protobuf::to_vec(object),
            Format::Json => serde_json::to_vec(object).map_err(Error::SerdeError)?,
        };
    }
    Ok(request.map(Body::from))
}

/// An answer that is no error.
pub(crate) struct Answer {
    format: Format,
    body: Vec<u8>,
}

/// Reads an answer to its end.
pub(crate) async fn answer(response: Response<Body>) -> Result<Answer> {
    let format = Format::of(response.headers());
    let body = response.into_body().collect_bytes().await?.into();
    Ok(Answer { format, body })
}

impl Answer {
    /// Reads an object.
    pub(crate) fn object<K: Object>(&self) -> Result<K> {
        match self.format {
            Format::Protobuf => protobuf::from_slice(&self.body).map_err(unreadable),
            Format::Json => self.json(),
        }
    }

    /// Reads a list.
    pub(crate) fn list<K: Object>(&self) -> Result<ObjectList<K>> {
        match self.format {
            Format::Protobuf => read_list(&self.body).map_err(unreadable),
            Format::Json => self.json(),
        }
    }

    /// Reads a `Status` if the answer is one.
    pub(crate) fn status_or<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<Either<T, Status>> {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(default)]
            kind: String,
        }
        let is_status = match self.format {
            Format::Protobuf => {
                Envelope::read(&self.body).map_err(unreadable)?.names.kind == WireStatus::KIND
            }
            Format::Json => self.json::<Kind>()?.kind == WireStatus::KIND,
        };
        Ok(match (is_status, self.format) {
            (false, _) => Either::Left(read(self)?),
            (true, Format::Protobuf) => {
                Either::Right(status::from_slice(&self.body).map_err(unreadable)?)
            }
            (true, Format::Json) => Either::Right(self.json()?),
        })
    }

    fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body).map_err(Error::SerdeError)
    }
}

/// Makes an error of one in protobuf.
pub(crate) fn unreadable(error: DecodeError) -> Error {
    Error::SerdeError(serde_json::Error::custom(error))
}

/// The numbers of the fields of all lists.
const METADATA: u32 = 1;
const ITEMS: u32 = 2;

fn read_list<K: Object>(body: &[u8]) -> Result<ObjectList<K>, DecodeError> {
    let envelope = Envelope::read(body)?;
    envelope.expect(K::API_VERSION, K::LIST_KIND)?;
    let mut metadata = ListMeta::default();
    let mut items: Vec<K> = Vec::new();
    let mut input = Input::new(envelope.object);
    while let Some((number, wire)) = input.tag()? {
        match number {
            METADATA => metadata.read(wire, &mut input)?,
            ITEMS => items.read(wire, &mut input)?,
            _ => input.skip(wire)?,
        }
    }
    let types = TypeMeta {
        api_version: K::API_VERSION.to_owned(),
        kind: K::LIST_KIND.to_owned(),
    };
    Ok(ObjectList {
        types,
        metadata,
        items,
    })
}
