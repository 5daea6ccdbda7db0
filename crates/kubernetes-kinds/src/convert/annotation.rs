use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde_json::{self, Value, json};

use super::error::{ConversionError, MAX_ANNOTATIONS};
use super::translate::{Convertible, Result, without_metadata};
use crate::FieldPath;

/// The annotation that preserves the source of a conversion, as JSON.
pub const CONVERSION_DATA_ANNOTATION: &str = "kubernetes-storage.rs/conversion-data";

fn path() -> FieldPath {
    FieldPath::new("metadata")
        .child("annotations")
        .key(CONVERSION_DATA_ANNOTATION)
}

fn malformed(message: String) -> ConversionError {
    ConversionError::Annotation {
        path: path(),
        message: message
            + "; repair the annotation, or remove it and lose the fields that it preserves",
    }
}

/// Returns the error of an annotation that holds an object with this error.
pub(super) fn inside(error: ConversionError) -> ConversionError {
    malformed(format!("holds an object that can't be converted: {error}"))
}

/// Removes the annotation and returns the object that it holds, if that is a `T`.
pub(super) fn take<T: Convertible>(metadata: &mut ObjectMeta) -> Result<Option<T>> {
    let Some(annotations) = &mut metadata.annotations else {
        return Ok(None);
    };
    let Some(text) = annotations.get(CONVERSION_DATA_ANNOTATION) else {
        return Ok(None);
    };
    if text.len() > MAX_ANNOTATIONS {
        return Err(malformed(format!(
            "{} bytes, more than the {MAX_ANNOTATIONS} that an object's annotations may have",
            text.len()
        )));
    }
    let mut kept: Value =
        serde_json::from_str(text).map_err(|error| malformed(format!("not JSON: {error}")))?;
    let named = |field| kept.get(field).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (named("apiVersion"), named("kind"));
    if api_version.is_empty() || kind.is_empty() {
        return Err(malformed(
            "holds no object with apiVersion and kind".to_owned(),
        ));
    }
    // The source of another version stays until the object becomes that version again.
    if api_version != T::API_VERSION {
        return Ok(None);
    }
    if kind != T::KIND {
        return Err(malformed(format!(
            "holds a {}, not a {}",
            kind.escape_debug(),
            T::KIND
        )));
    }
    annotations.remove(CONVERSION_DATA_ANNOTATION);
    let had_annotations = kept.get_mut("metadata").map(Value::take).is_some();
    if annotations.is_empty() && !had_annotations {
        metadata.annotations = None;
    }
    serde_json::from_value(kept)
        .map(Some)
        .map_err(|error| malformed(format!("not a {}: {error}", T::KIND)))
}

/// Writes an object into the annotation.
pub(super) fn put<T: Convertible>(source: &T, metadata: &mut ObjectMeta) -> Result<()> {
    let mut kept = without_metadata(source)?;
    // Otherwise converting back would lose an empty map of annotations.
    if metadata
        .annotations
        .as_ref()
        .is_some_and(BTreeMap::is_empty)
        && let Value::Object(kept) = &mut kept
    {
        kept.insert("metadata".to_owned(), json!({"annotations": {}}));
    }
    let annotations = metadata.annotations.get_or_insert_default();
    // A source of this kind and version is out of date; one of another version is still needed.
    let before = annotations.get(CONVERSION_DATA_ANNOTATION);
    let before = before.and_then(|text| serde_json::from_str::<Value>(text).ok());
    if before.is_some_and(|before| before.get("apiVersion") != kept.get("apiVersion")) {
        return Err(malformed(
            "already preserves an object of a third version".to_owned(),
        ));
    }
    annotations.insert(CONVERSION_DATA_ANNOTATION.to_owned(), kept.to_string());
    let bytes = annotations
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    if bytes > MAX_ANNOTATIONS {
        return Err(ConversionError::TooLarge {
            path: path(),
            bytes,
        });
    }
    Ok(())
}
