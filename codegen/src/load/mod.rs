//! Load: parses the text of a document and applies its overlays; returns schemas and operations.
//!
//! Only this module and [`lower`](crate::lower) know OpenAPI.

mod complete;
pub(crate) mod crd;
mod follow;
mod inline;
mod json;
mod overlay;
mod refs;
mod select;
mod shared;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use openapiv3::{ReferenceOr, Schema};
use serde::Deserialize;
use serde_json::Value;

use crate::DocumentSource;
use crate::adopt::undescribed;
use crate::config::DocumentConfig;
use crate::diag::{Diagnostics, Pointer, Spot};
use crate::keyword;
use crate::release::Release;
use crate::source::Source;

pub(crate) use overlay::Overlay;
use overlay::translate;
pub(crate) use refs::{SCHEMAS, schema_name, wrap_bare};
pub(crate) use select::select;
pub(crate) use shared::take_out as take_out_shared;

/// The largest document that is read; Kubernetes' own stay below 3 MB.
const MAX_BYTES: usize = 64 << 20;

/// The title of documents about custom resources.
const CUSTOM: &str = "Kubernetes CRD Swagger";
/// The most schemas of a document; Kubernetes' own have some 300.
const MAX_SCHEMAS: usize = 20_000;

/// A document of one group-version.
#[derive(Debug)]
pub(crate) struct Document {
    /// The name of its file.
    pub(crate) file: String,
    /// The release it describes.
    pub(crate) release: Release,
    /// The schemas of its components that have the prefix.
    pub(crate) schemas: BTreeMap<String, Schema>,
    /// The names of the others.
    pub(crate) others: Vec<String>,
    /// Those with the prefix that an earlier document of the crate has too.
    pub(crate) shared: BTreeSet<String>,
    /// Where those schemas were that stood inside others.
    places: BTreeMap<String, Pointer>,
    /// The whole, with its overlays.
    pub(crate) json: Value,
}

impl Document {
    /// Where a schema is in the file.
    pub(crate) fn place(&self, name: &str) -> Pointer {
        place(&self.places, name)
    }

    /// Whether it is about custom resources, as servers title such documents.
    pub(crate) fn is_of_custom_resources(&self) -> bool {
        is_of_custom_resources(&self.json)
    }
}

fn is_of_custom_resources(document: &Value) -> bool {
    document.pointer("/info/title").and_then(Value::as_str) == Some(CUSTOM)
}

fn place(places: &BTreeMap<String, Pointer>, name: &str) -> Pointer {
    places
        .get(name)
        .cloned()
        .unwrap_or_else(|| Pointer::schema(name))
}

/// Reads the text of a document as JSON and brings it into the one form that the rest of
/// the generator and the comparison of documents work on. Of manifests, which may define several
/// groups and versions, what has the prefix is read.
pub(crate) fn read(
    source: &Source,
    prefix: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Option<Value> {
    let document = match crd::is_manifest(&source.name) {
        true => check_size(&source.text).and_then(|()| crd::document(&source.text, prefix)),
        false => parse(&source.text),
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

/// The line of what is wrong with a document, what that is, and what to do.
type Fault = (Option<usize>, String, &'static str);

fn check_size(text: &str) -> Result<(), Fault> {
    let limit = MAX_BYTES >> 20;
    if text.len() > MAX_BYTES {
        return Err((
            None,
            format!(
                "the document is {} MiB; the limit is {limit} MiB",
                text.len() >> 20
            ),
            "Kubernetes writes one document a group-version: name only those you need",
        ));
    }
    Ok(())
}

/// The document, or the line of what is wrong, what that is, and what to do.
fn parse(text: &str) -> Result<Value, Fault> {
    check_size(text)?;
    let document = json::parse(text).map_err(|error| {
        let text = error.to_string();
        let message = text.split(" at line ").next().unwrap_or(&text);
        (
            Some(error.line()).filter(|line| *line > 0),
            format!("not valid JSON: {message} (column {})", error.column()),
            "take the file anew from where it came, or mend it at that place",
        )
    })?;
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

/// A document with newer versions of the same kinds, and the prefix of its schemas.
pub(crate) type Newer<'a> = (&'a DocumentSource, &'a str);

/// Loads the kinds of one document that the configuration wants, with the overlays. What can't be
/// read is left out and reported.
pub(crate) fn load(
    input: &DocumentSource,
    config: &DocumentConfig,
    newer: Option<Newer<'_>>,
    overlays: &[&Overlay],
    diagnostics: &mut Diagnostics,
) -> Option<Document> {
    let DocumentSource { source, release } = input;
    let prefix = &*config.prefix;
    let mut document = read(source, Some(prefix), diagnostics)?;
    select::check(&document, &config.kinds, &source.name, diagnostics);
    select(&mut document, &config.kinds);
    check_described(&document, &source.name, diagnostics);
    if let Some((newer, newer_prefix)) = newer {
        // Its errors are reported where it is loaded itself.
        if let Some(newer) = read(
            &newer.source,
            Some(newer_prefix),
            &mut Diagnostics::default(),
        ) {
            follow::follow(&mut document, prefix, &newer, newer_prefix);
        }
    }
    for overlay in overlays {
        overlay.apply(&mut document, input, prefix, diagnostics);
    }
    wrap_bare(&mut document);
    let diagnostics = RefCell::new(diagnostics);
    let root = Spot::root(&source.name, &diagnostics);
    refs::check(&document, &root);
    keyword::check(&document, prefix, &root);
    let names = inline::Names::new(prefix, &config.names);
    let places = inline::name_all(&mut document, names, &root);
    let (schemas, others) = schemas(&document, prefix, &places, &root);
    Some(Document {
        file: source.name.clone(),
        release: *release,
        schemas,
        others,
        shared: BTreeSet::new(),
        places,
        json: document,
    })
}

/// Reports the descriptions that are still to be written.
fn check_described(document: &Value, file: &str, diagnostics: &mut Diagnostics) {
    let mut places = Vec::new();
    undescribed(document, &Pointer::root(), &mut places);
    for place in places {
        diagnostics.at(
            file,
            &place,
            "the description is still to be written",
            "describe it in your own words, for readers of the generated crate",
        );
    }
}

/// The schemas with the prefix, and the names of the others.
fn schemas(
    document: &Value,
    prefix: &str,
    places: &BTreeMap<String, Pointer>,
    root: &Spot<'_>,
) -> (BTreeMap<String, Schema>, Vec<String>) {
    let (mut schemas, mut others) = (BTreeMap::new(), Vec::new());
    let components = document.pointer(SCHEMAS).and_then(Value::as_object);
    let Some(components) = components.filter(|schemas| !schemas.is_empty()) else {
        root.report(
            "the document has no schemas",
            "an OpenAPI document of a Kubernetes group-version has its types under \
             components/schemas",
        );
        return (schemas, others);
    };
    for (name, value) in components {
        let at = root.at(place(places, name));
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.is_empty() || !name.chars().all(allowed) {
            at.report(
                format!("`{}` can't be the name of a schema", name.escape_debug()),
                "OpenAPI allows letters, digits, `.`, `-` and `_`, as in \
                 `io.k8s.api.storage.v1.CSINode`",
            );
            continue;
        }
        if !name.starts_with(prefix) && value.is_object() {
            others.push(name.clone());
            continue;
        }
        match ReferenceOr::<Schema>::deserialize(value) {
            Ok(ReferenceOr::Item(schema)) => {
                schemas.insert(name.clone(), schema);
            }
            Ok(ReferenceOr::Reference { .. }) => at.report(
                "a schema that is only another name for a schema",
                "refer to that one directly",
            ),
            Err(error) => at.report(
                format!("not an OpenAPI 3.0 schema: {error}"),
                "compare it with a schema that works, such as that of CSINode",
            ),
        }
    }
    (schemas, others)
}
