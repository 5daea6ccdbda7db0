//! YAML, by way of JSON values.

use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json::Value;
use kubernetes_kinds::GroupVersionKind;
use serde_saphyr::SerializerOptions;

use super::content::Versioned;
use super::object::Object;
use super::type_meta::TypeMeta;
use super::{Decoded, Scheme, write};
use crate::error::{Place, Reason, SchemeError};
use crate::input::json::from_value;
use crate::input::yaml::{documents, locate};

impl Scheme {
    /// Reads one object or typed list of any registered version from YAML, as `T`.
    ///
    /// # Errors
    ///
    /// As [`decode_json`](Self::decode_json), and when there isn't exactly one document.
    pub fn decode_yaml<T: Versioned>(
        &self,
        text: &str,
    ) -> Result<Decoded<T>, SchemeError> {
        let documents = documents(text)?;
        let [value] = documents.as_slice() else {
            let found = documents.len();
            return Err(Reason::Documents { found }.into());
        };
        self.decode_value(value).map_err(|error| locate(text, 1, error))
    }

    pub(super) fn decode_value<T: Versioned>(
        &self,
        value: &Value,
    ) -> Result<Decoded<T>, SchemeError> {
        let meta = TypeMeta::of_value(value)?;
        if meta.names::<T>() {
            return Ok(Decoded {
                object: from_value(value)?,
                read: GroupVersionKind::of::<T>(),
                losses: Vec::new(),
            });
        }
        self.decode(&meta, |entry| (entry.from_value)(value))
    }

    /// Reads any number of YAML documents into objects, as
    /// [`decode_json_all`](Self::decode_json_all) does.
    ///
    /// # Errors
    ///
    /// As [`decode_json_all`](Self::decode_json_all), for YAML.
    pub fn decode_yaml_all(&self, text: &str) -> Result<Vec<Object>, SchemeError> {
        let mut objects = Vec::new();
        let documents = documents(text)?;
        for (index, value) in documents.into_iter().enumerate() {
            let number = index + 1;
            self.value(value, Place::document(number), &mut objects)
                .map_err(|error| locate(text, number, error))?;
        }
        Ok(objects)
    }
}

/// Writes an object as one YAML document, with its fields in the order of its type.
///
/// # Errors
///
/// When the type refuses to be written.
pub fn to_yaml<T: Serialize>(object: &T) -> Result<String, SchemeError> {
    serde_saphyr::to_string_with_options(object, writing()).map_err(write::unwritable)
}

/// Writes objects as a stream of YAML documents, with `---` between them;
/// [`Scheme::decode_yaml_all`] reads them back.
///
/// # Errors
///
/// When the type of one refuses to be written.
pub fn to_yaml_all<'o>(
    objects: impl IntoIterator<Item = &'o Object>,
) -> Result<String, SchemeError> {
    let mut text = String::new();
    for object in objects {
        if !text.is_empty() {
            text += "---\n";
        }
        text += &object.to_yaml()?;
    }
    Ok(text)
}

fn writing() -> SerializerOptions {
    serde_saphyr::ser_options! {
        // Only text with line breaks becomes a block; long lines stay as they are.
        folded_wrap_chars: usize::MAX,
    }
}
