//! Types from JSON, with the path of what is wrong.

use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::{self, Value};

use crate::error::{SchemeError, join_name};

/// Decodes a JSON text; the path of a fault is looked for only once there is one.
pub(crate) fn from_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, SchemeError> {
    // Checked as a whole, the text needs no check string by string, which is much slower.
    let decoded = match std::str::from_utf8(text) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(text),
    };
    decoded.map_err(|error| {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let again = serde_path_to_error::deserialize::<_, T>(&mut deserializer);
        SchemeError::json(path(again), &error)
    })
}

/// The same of a value.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, SchemeError> {
    T::deserialize(value).map_err(|error| {
        let again = serde_path_to_error::deserialize::<_, T>(value);
        SchemeError::json(path(again), &error)
    })
}

/// A path as conversions show theirs: `spec.drivers[0].name`, and in brackets what isn't a
/// plain name, `metadata.annotations[example.com/a]`.
///
/// Nothing is told of what was no fault the second time, such as text after the object.
fn path<T>(decoded: Result<T, serde_path_to_error::Error<serde_json::Error>>) -> String {
    use serde_path_to_error::Segment;

    let Err(error) = decoded else {
        return String::new();
    };
    error.path().iter().fold(String::new(), |outer, segment| match segment {
        Segment::Seq { index } => format!("{outer}[{index}]"),
        Segment::Map { key: name } | Segment::Enum { variant: name } => {
            join_name(&outer, name)
        }
        Segment::Unknown => outer,
    })
}
