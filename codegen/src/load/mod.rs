//! Load: parses the text of a document and applies its overlays; returns schemas and operations.
//!
//! Only this module and [`lower`](crate::lower) know OpenAPI.

mod follow;
mod json;
mod overlay;
mod refs;

use std::collections::BTreeMap;

use openapiv3::{PathItem, ReferenceOr, Schema, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use crate::DocumentSource;
use crate::diag::{Diagnostics, Pointer};
use crate::keyword;
use crate::release::Release;
use crate::source::Source;

pub(crate) use overlay::Overlay;
use overlay::translate;
pub(crate) use refs::SCHEMAS;

/// The largest document that is read; Kubernetes' own stay below 3 MB.
const MAX_BYTES: usize = 64 << 20;

/// A document of one group-version.
#[derive(Debug)]
pub(crate) struct Document {
    /// The name of its file.
    pub(crate) file: String,
    /// The release it describes.
    pub(crate) release: Release,
    /// The schemas of its components.
    pub(crate) schemas: BTreeMap<String, Schema>,
    /// The operations that are about a kind.
    pub(crate) operations: Vec<Operation>,
}

/// An operation on a path.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) pointer: Pointer,
    pub(crate) path: String,
    pub(crate) kind: GroupVersionKind,
}

/// The kind that a schema or an operation is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub(crate) struct GroupVersionKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

/// Reads the text of a document as JSON and brings it into the one form that the rest of
/// the generator and the comparison of documents work on.
pub(crate) fn read(source: &Source, diagnostics: &mut Diagnostics) -> Option<Value> {
    let mut report = |line, message: String, help: &str| {
        diagnostics.in_file(&source.name, line, message, help);
    };
    if source.text.len() > MAX_BYTES {
        let size = source.text.len() >> 20;
        report(
            None,
            format!("the document is {size} MiB; the limit is {} MiB", MAX_BYTES >> 20),
            "Kubernetes writes one document a group-version: name only those you need",
        );
        return None;
    }
    let mut document = match json::parse(&source.text) {
        Ok(document) => document,
        Err(error) => {
            let text = error.to_string();
            let message = text.split(" at line ").next().unwrap_or(&text);
            let line = Some(error.line()).filter(|line| *line > 0);
            let column = error.column();
            report(
                line,
                format!("not valid JSON: {message} (column {column})"),
                "take the file anew from where it came, or mend it at that place",
            );
            return None;
        }
    };
    if let Some(version) = document.get("swagger") {
        let version = version.as_str().unwrap_or_default();
        report(
            None,
            format!("a Swagger {version} document; OpenAPI 3.0 is needed"),
            "Kubernetes keeps its OpenAPI 3.0 documents in api/openapi-spec/v3, one a \
             group-version, and a server publishes them under /openapi/v3",
        );
        return None;
    }
    match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.0") => {}
        found => {
            report(
                None,
                match found {
                    Some(version) => format!("OpenAPI version {version}; 3.0 is needed"),
                    None => {
                        "not an OpenAPI document: it has no `openapi` version".to_owned()
                    }
                },
                "Kubernetes keeps its OpenAPI 3.0 documents in api/openapi-spec/v3",
            );
            return None;
        }
    }
    refs::wrap_bare(&mut document);
    Some(document)
}

/// A document with newer versions of the same kinds, and the prefix of its schemas.
pub(crate) type Newer<'a> = (&'a DocumentSource, &'a str);

/// Loads one document with its overlays. What can't be read is left out and reported.
pub(crate) fn load(
    DocumentSource { source, release }: &DocumentSource,
    prefix: &str,
    newer: Option<Newer<'_>>,
    overlays: &[&Overlay],
    diagnostics: &mut Diagnostics,
) -> Option<Document> {
    let mut document = read(source, diagnostics)?;
    if let Some((newer, newer_prefix)) = newer {
        // Its errors are reported where it is loaded itself.
        if let Some(newer) = read(&newer.source, &mut Diagnostics::default()) {
            follow::follow(&mut document, prefix, &newer, newer_prefix);
        }
    }
    for overlay in overlays {
        let place = overlay::Place {
            file: &source.name,
            release: *release,
            prefix,
        };
        overlay.apply(&mut document, &place, diagnostics);
    }
    refs::wrap_bare(&mut document);
    refs::check(&document, &source.name, diagnostics);
    keyword::check(&document, prefix, &source.name, diagnostics);
    let file = source.name.clone();
    let schemas = schemas(&document, &file, diagnostics);
    let operations = operations(&document, &file, diagnostics);
    Some(Document {
        file,
        release: *release,
        schemas,
        operations,
    })
}

fn schemas(
    document: &Value,
    file: &str,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<String, Schema> {
    let components = document.pointer(SCHEMAS).and_then(Value::as_object);
    let Some(components) = components.filter(|schemas| !schemas.is_empty()) else {
        diagnostics.at(
            file,
            &Pointer::root(),
            "the document has no schemas",
            "an OpenAPI document of a Kubernetes group-version has its types under \
             components/schemas",
        );
        return BTreeMap::new();
    };
    let mut schemas = BTreeMap::new();
    for (name, value) in components {
        let pointer = Pointer::schema(name);
        let allowed =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.is_empty() || !name.chars().all(allowed) {
            diagnostics.at(
                file,
                &pointer,
                format!("`{}` can't be the name of a schema", name.escape_debug()),
                "OpenAPI allows letters, digits, `.`, `-` and `_`, as in \
                 `io.k8s.api.storage.v1.CSINode`",
            );
            continue;
        }
        match ReferenceOr::<Schema>::deserialize(value) {
            Ok(ReferenceOr::Item(schema)) => {
                schemas.insert(name.clone(), schema);
            }
            Ok(ReferenceOr::Reference { .. }) => diagnostics.at(
                file,
                &pointer,
                "a schema that is only another name for a schema",
                "refer to that one directly",
            ),
            Err(error) => diagnostics.at(
                file,
                &pointer,
                format!("not an OpenAPI 3.0 schema: {error}"),
                "compare it with a schema that works, such as that of CSINode",
            ),
        }
    }
    schemas
}

fn operations(
    document: &Value,
    file: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<Operation> {
    let mut operations = Vec::new();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, value) in paths.into_iter().flatten() {
        let pointer = Pointer::root().child("paths").child(path);
        let item = match ReferenceOr::<PathItem>::deserialize(value) {
            Ok(ReferenceOr::Item(item)) => item,
            Ok(ReferenceOr::Reference { .. }) => continue,
            Err(error) => {
                diagnostics.at(
                    file,
                    &pointer,
                    format!("not an OpenAPI 3.0 path: {error}"),
                    "compare it with a path that works, such as that of csinodes",
                );
                continue;
            }
        };
        for (verb, operation) in item.iter() {
            let pointer = pointer.child(verb);
            let kind = match operation.extensions.get("x-kubernetes-group-version-kind")
            {
                Some(kind) => GroupVersionKind::deserialize(kind),
                // What is got is of the kind; what is deleted is answered with a Status.
                None => match result_kind(document, operation).filter(|_| verb == "get")
                {
                    Some(kind) => Ok(kind),
                    None => continue,
                },
            };
            match kind {
                Ok(kind) => operations.push(Operation {
                    pointer,
                    path: path.clone(),
                    kind,
                }),
                Err(error) => diagnostics.at(
                    file,
                    &pointer.child("x-kubernetes-group-version-kind"),
                    format!("not a group, version and kind: {error}"),
                    "write an object with the strings `group`, `version` and `kind`",
                ),
            }
        }
    }
    operations
}

/// The kind of what an operation answers: up to 1.23 only schemas name their kind.
fn result_kind(
    document: &Value,
    operation: &openapiv3::Operation,
) -> Option<GroupVersionKind> {
    let ok = operation.responses.responses.get(&StatusCode::Code(200))?.as_item()?;
    let content = ok.content.get("application/json")?;
    let ReferenceOr::Reference { reference } = content.schema.as_ref()? else {
        return None;
    };
    let schema = document.pointer(reference.strip_prefix('#')?)?;
    match schema.get("x-kubernetes-group-version-kind")?.as_array()?.as_slice() {
        [kind] => GroupVersionKind::deserialize(kind).ok(),
        _ => None,
    }
}
