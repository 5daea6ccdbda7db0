//! Reads the text of a document.

use serde_json::Value;

use super::document::is_of_custom_resources;
use super::error::Error;
use super::refs::{SCHEMAS, wrap_bare};
use super::{complete, crd, json};
use crate::diag::Diagnostics;
use crate::manifest;
use crate::source::Source;

/// The most schemas of a document; Kubernetes' own have some 300.
const MAX_SCHEMAS: usize = 20_000;

/// Reads the text of a document as JSON and brings it into the one form that the rest of the
/// generator and the comparison of documents work on. Manifests may define several groups and
/// versions; only what has the prefix is read.
pub(crate) fn read(
    source: &Source,
    prefix: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Option<Value> {
    let document = match manifest::is_manifest(&source.name) {
        true => crd::document(source, prefix),
        false => parse(source, prefix),
    };
    match document {
        Ok(mut document) => {
            wrap_bare(&mut document);
            if is_of_custom_resources(&document) {
                complete::complete(&mut document);
            }
            Some(document)
        }
        Err((line, message, help)) => {
            diagnostics.in_file(&source.name, line, message, help);
            None
        }
    }
}

/// The document, or the line of the error if it is known, the message, and what to do.
fn parse(source: &Source, prefix: Option<&str>) -> Result<Value, Error> {
    source.check_size()?;
    let document = json::parse(&source.text).map_err(|error| {
        let text = error.to_string();
        let message = text.split(" at line ").next().unwrap_or(&text);
        (
            Some(error.line()).filter(|line| *line > 0),
            format!("not valid JSON: {message} (column {})", error.column()),
            "take the file anew from where it came, or mend it at that place",
        )
    })?;
    if manifest::has_definitions(&document) {
        return crd::document(source, prefix);
    }
    if let Some(version) = document.get("swagger") {
        let version = version.as_str().unwrap_or_default();
        return Err((
            None,
            format!("a Swagger {version} document; OpenAPI 3.0 is needed"),
            "Kubernetes keeps its OpenAPI 3.0 documents in api/openapi-spec/v3, one a \
             group-version, and a server publishes them under /openapi/v3",
        ));
    }
    let schemas = document.pointer(SCHEMAS).and_then(Value::as_object);
    if let Some(count) = schemas
        .map(|s| s.len())
        .filter(|count| *count > MAX_SCHEMAS)
    {
        return Err((
            None,
            format!("the document has {count} schemas; the limit is {MAX_SCHEMAS}"),
            "Kubernetes writes one document a group-version: take out what none of its kinds \
             refers to",
        ));
    }
    let wrong = match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.0") => return Ok(document),
        Some(version) => format!("OpenAPI version {version}; 3.0 is needed"),
        None => "not an OpenAPI document: it has no `openapi` version".to_owned(),
    };
    let help = "Kubernetes keeps its OpenAPI 3.0 documents in api/openapi-spec/v3";
    Err((None, wrong, help))
}
