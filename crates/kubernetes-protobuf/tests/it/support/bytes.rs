//! The bytes of answers in protobuf, which the library only reads.

use k8s_openapi::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kubernetes_kinds::protobuf::{Envelope, Message, to_vec};
use storage_v1::StorageClass;

use super::class;

/// Writes a field with a length.
pub(crate) fn field(number: u8, content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    let mut bytes = vec![number << 3 | 2];
    let mut length = content.len();
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend_from_slice(content);
    bytes
}

/// Writes a body.
pub(crate) fn envelope(api_version: &str, kind: &str, object: &[u8]) -> Vec<u8> {
    let names = [field(1, api_version), field(2, kind)].concat();
    [b"k8s\0".to_vec(), field(1, names), field(2, object)].concat()
}

/// Writes an object, without its body.
pub(crate) fn object<K: Message + Resource>(object: &K) -> Vec<u8> {
    Envelope::read(&to_vec(object)).unwrap().object.to_vec()
}

/// Writes the body of a list of classes.
pub(crate) fn list(classes: &[StorageClass], version: &str, token: &str) -> Vec<u8> {
    let metadata = [field(2, version), field(3, token)].concat();
    let mut bytes = field(1, metadata);
    for class in classes {
        bytes.extend(field(2, object(class)));
    }
    envelope(StorageClass::API_VERSION, "StorageClassList", &bytes)
}

/// Writes the body of an error.
pub(crate) fn status(code: i32, reason: &str, message: &str) -> Vec<u8> {
    to_vec(&Status {
        status: Some("Failure".to_owned()),
        code: Some(code),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        ..Status::default()
    })
}

/// Writes an event of a watch, whose object has a body of its own.
pub(crate) fn event(name: &str, body: &[u8]) -> Vec<u8> {
    let bytes = [field(1, name), field(2, field(1, body))].concat();
    let length = u32::try_from(bytes.len()).unwrap();
    [length.to_be_bytes().to_vec(), bytes].concat()
}

/// Writes an event of a class.
pub(crate) fn watched(name: &str, class_name: &str, version: &str) -> Vec<u8> {
    event(name, &to_vec(&class(class_name, version)))
}

/// Writes a bookmark.
pub(crate) fn bookmark(version: &str, annotation: Option<&str>) -> Vec<u8> {
    let mut metadata = field(6, version);
    if let Some(key) = annotation {
        let entry = [field(1, key), field(2, "true")].concat();
        metadata.extend(field(12, entry));
    }
    let bytes = field(1, metadata);
    event(
        "BOOKMARK",
        &envelope(StorageClass::API_VERSION, "StorageClass", &bytes),
    )
}
