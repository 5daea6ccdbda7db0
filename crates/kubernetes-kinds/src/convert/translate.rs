//! The rules of conversions and their results.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::Value;
use k8s_openapi::{Metadata, Resource};

use super::error::ConversionError;
use crate::{FieldPath, Kind, wire};

/// The result of a conversion.
pub type Result<T> = std::result::Result<T, ConversionError>;

/// A field of the source that is not representable in the target version.
#[derive(Clone, Debug, PartialEq)]
pub struct UnrepresentableField {
    /// The path in the source, `spec.drivers[0].nodeID`. An element that the target adds has its
    /// keys instead of an index, `status.drivers[name="a"]`.
    pub path: FieldPath,
    /// The value in the source; `null` if the field is unset there and can't be in the target.
    pub value: Value,
}

impl std::fmt::Display for UnrepresentableField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Value::Null => write!(f, "{} (unset)", self.path),
            value => write!(f, "{}: {value}", self.path),
        }
    }
}

/// An object in another version.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Converted<T> {
    /// The object in the target version.
    pub object: T,
    /// The fields of the source that the target version can't represent.
    pub unrepresentable: Vec<UnrepresentableField>,
}

/// The rules of a conversion, which don't report unrepresentable fields.
///
/// The rules get no metadata: [`Convert`](super::Convert) moves it from the source to the target.
///
/// The generated crates implement this; use [`Convert`](super::Convert).
pub trait Translate<T>: Sized {
    /// Translates the fields that the target can represent.
    ///
    /// # Errors
    ///
    /// When the object is inconsistent.
    fn translate(self) -> Result<T>;

    /// Translates into the form of `like`, where the target has several forms.
    ///
    /// # Errors
    ///
    /// As [`translate`](Self::translate).
    fn translate_like(self, like: &T) -> Result<T> {
        let _ = like;
        self.translate()
    }
}

/// A kind whose objects can be compared and preserved.
pub trait Convertible: Kind + Clone + PartialEq + Serialize + DeserializeOwned {}

impl<T: Kind + Clone + PartialEq + Serialize + DeserializeOwned> Convertible for T {}

/// Returns an object as JSON, without the metadata that all versions share.
pub(super) fn without_metadata<K: Resource + Metadata<Ty = ObjectMeta> + Serialize>(
    object: &K,
) -> Result<Value> {
    let mut value = wire::to_value(object)
        .map_err(|error| ConversionError::invalid(FieldPath::default(), error.to_string()))?;
    if let Value::Object(fields) = &mut value {
        fields.remove("metadata");
    }
    Ok(value)
}
