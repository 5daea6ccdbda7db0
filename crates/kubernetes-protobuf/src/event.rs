//! The events of a watch.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{TypeMeta, WatchEvent};
use kube::core::watch::{Bookmark, BookmarkMeta};
use kube::{Error, Result};
use kubernetes_kinds::protobuf::{self, DecodeError, Input};
use serde::de::Error as _;

use crate::exchange::unreadable;
use crate::{Object, status};

/// The numbers of the fields of an event, and of the object in it.
const TYPE: u32 = 1;
const OBJECT: u32 = 2;
const RAW: u32 = 1;

/// Reads an event in protobuf.
pub(crate) fn from_protobuf<K: Object>(frame: &[u8]) -> Result<WatchEvent<K>> {
    let (name, object) = split(frame).map_err(unreadable)?;
    let read = || protobuf::from_slice::<K>(object).map_err(unreadable);
    match name {
        b"ADDED" => read().map(WatchEvent::Added),
        b"MODIFIED" => read().map(WatchEvent::Modified),
        b"DELETED" => read().map(WatchEvent::Deleted),
        b"BOOKMARK" => bookmark::<K>(read()?.metadata()).map(WatchEvent::Bookmark),
        b"ERROR" => {
            let status = status::from_slice(object).map_err(unreadable)?;
            Ok(WatchEvent::Error(Box::new(status)))
        }
        name => Err(invalid(format_args!(
            "unknown type of a watch event: \"{}\"",
            name.escape_ascii()
        ))),
    }
}

/// Reads an event in JSON; `None` if the input is empty or ends inside it.
pub(crate) fn from_json<K: Object>(line: &[u8]) -> Option<Result<WatchEvent<K>>> {
    let error = match serde_json::from_slice(line) {
        Ok(event) => return Some(Ok(event)),
        Err(error) => error,
    };
    if error.is_eof() {
        return None;
    }
    // A server may end a watch by a `Status`.
    Some(Err(match status::from_json(line) {
        Some(status) => Error::Api(Box::new(status)),
        None => Error::SerdeError(error),
    }))
}

/// Splits an event into its type and its object.
fn split(frame: &[u8]) -> Result<(&[u8], &[u8]), DecodeError> {
    let (mut name, mut object): (&[u8], &[u8]) = (&[], &[]);
    let mut input = Input::new(frame);
    while let Some((number, wire)) = input.tag()? {
        match number {
            TYPE => name = input.bytes(wire)?,
            OBJECT => {
                let mut extension = input.message(wire)?;
                while let Some((number, wire)) = extension.tag()? {
                    match number {
                        RAW => object = extension.bytes(wire)?,
                        _ => extension.skip(wire)?,
                    }
                }
            }
            _ => input.skip(wire)?,
        }
    }
    Ok((name, object))
}

fn bookmark<K: Object>(metadata: &ObjectMeta) -> Result<Bookmark> {
    // Without a version, a watch would begin anew and miss events.
    let resource_version = match &metadata.resource_version {
        Some(version) if !version.is_empty() => version.clone(),
        _ => return Err(invalid("a bookmark has no metadata.resourceVersion")),
    };
    let types = TypeMeta {
        api_version: K::API_VERSION.to_owned(),
        kind: K::KIND.to_owned(),
    };
    let annotations = metadata.annotations.clone().unwrap_or_default();
    Ok(Bookmark {
        types,
        metadata: BookmarkMeta {
            resource_version,
            annotations,
        },
    })
}

fn invalid(message: impl std::fmt::Display) -> Error {
    Error::SerdeError(serde_json::Error::custom(message))
}
