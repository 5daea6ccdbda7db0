//! Whole bodies: an object with its `apiVersion` and `kind` around it.

use k8s_openapi::Resource;

use super::{
    DecodeError, DecodeErrorKind, Field, Input, Message, Output, Wire, read_message, write_message,
};

/// The bytes with which a body begins.
const PREFIX: &[u8] = b"k8s\0";

const TYPE: u32 = 1;
const RAW: u32 = 2;
const CONTENT_ENCODING: u32 = 3;
const CONTENT_TYPE: u32 = 4;

const API_VERSION: u32 = 1;
const KIND: u32 = 2;

/// The body of an answer or a request, before the object in it is read.
///
/// It tells an answer from a `Status`.
#[derive(Clone, Debug, Default)]
pub struct Envelope<'a> {
    /// The kind of the object.
    pub names: Names,
    /// The object, without these names.
    pub object: &'a [u8],
}

/// The `apiVersion` and `kind` of an object; empty where the input has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The group and version, such as `storage.k8s.io/v1`.
    pub api_version: String,
    /// The kind, such as `StorageClass`.
    pub kind: String,
}

impl<'a> Envelope<'a> {
    /// Reads what is around an object.
    ///
    /// # Errors
    ///
    /// When the bytes are no object in Kubernetes' protobuf, or one that is encoded once more.
    pub fn read(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let bytes = match bytes.strip_prefix(PREFIX) {
            Some([]) | None => return Err(DecodeErrorKind::Prefix.into()),
            Some(bytes) => bytes,
        };
        let mut envelope = Self::default();
        let (mut encoding, mut content) = (String::new(), String::new());
        let mut input = Input::new(bytes);
        while let Some((number, wire)) = input.tag()? {
            match number {
                TYPE => envelope.names.read(wire, &mut input)?,
                RAW => envelope.object = input.bytes(wire)?,
                CONTENT_ENCODING => encoding.read(wire, &mut input)?,
                CONTENT_TYPE => content.read(wire, &mut input)?,
                _ => input.skip(wire)?,
            }
        }
        match [encoding, content]
            .into_iter()
            .find(|text| !text.is_empty())
        {
            Some(text) if text != super::CONTENT_TYPE => {
                Err(DecodeErrorKind::Encoding(text).into())
            }
            _ => Ok(envelope),
        }
    }

    /// Checks that the object has a kind, or none.
    ///
    /// # Errors
    ///
    /// When it has another one.
    pub fn expect(&self, api_version: &str, kind: &str) -> Result<(), DecodeError> {
        let Names {
            api_version: found_version,
            kind: found_kind,
        } = &self.names;
        let is_other = |found: &str, expected| !found.is_empty() && found != expected;
        if is_other(found_version, api_version) || is_other(found_kind, kind) {
            let found = format!("{found_version} {found_kind}");
            let expected = format!("{api_version} {kind}");
            return Err(DecodeErrorKind::Kind(found, expected).into());
        }
        Ok(())
    }
}

impl Names {
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let mut message = input.message(wire)?;
        while let Some((number, wire)) = message.tag()? {
            match number {
                API_VERSION => self.api_version.read(wire, &mut message)?,
                KIND => self.kind.read(wire, &mut message)?,
                _ => message.skip(wire)?,
            }
        }
        Ok(())
    }
}

/// Reads a kind or a list of a kind from the body of an answer or a request.
///
/// ```
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
/// use kubernetes_kinds::protobuf::{from_slice, to_vec};
///
/// let status = Status { code: Some(404), ..Status::default() };
/// assert_eq!(from_slice::<Status>(&to_vec(&status))?.code, Some(404));
/// # Ok::<(), kubernetes_kinds::protobuf::DecodeError>(())
/// ```
///
/// # Errors
///
/// When the bytes are no object in Kubernetes' protobuf, have another kind, or are invalid.
pub fn from_slice<K: Field + Message + Resource>(bytes: &[u8]) -> Result<K, DecodeError> {
    let envelope = Envelope::read(bytes)?;
    envelope.expect(K::API_VERSION, K::KIND)?;
    let mut object = K::zero();
    read_message(&mut object, Input::new(envelope.object))?;
    Ok(object)
}

/// Writes a kind or a list of a kind as the body of a request.
#[must_use]
pub fn to_vec<K: Message + Resource>(object: &K) -> Vec<u8> {
    let mut output = Output::default();
    output.bytes(CONTENT_TYPE, &[]);
    output.bytes(CONTENT_ENCODING, &[]);
    output.message(RAW, |output| write_message(object, output));
    output.message(TYPE, |output| {
        output.bytes(KIND, K::KIND.as_bytes());
        output.bytes(API_VERSION, K::API_VERSION.as_bytes());
    });
    output.put(PREFIX);
    output.into_vec()
}
