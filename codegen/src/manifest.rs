//! CustomResourceDefinitions in texts of manifests.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::load::error::Error;

/// The kinds of objects that are definitions, or have some.
const DEFINITION: &str = "CustomResourceDefinition";
const DEFINITIONS: &str = "CustomResourceDefinitionList";
const LIST: &str = "List";

/// The message about a file without a definition.
pub const NO_DEFINITION: &str = "no CustomResourceDefinition";

/// A CustomResourceDefinition, as far as it is read here.
#[derive(Debug, Deserialize)]
pub(crate) struct Definition {
    pub(crate) spec: Spec,
    /// The whole as it is written, with `null` in place of the schemas of the versions.
    #[serde(skip)]
    rest: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Spec {
    pub(crate) group: String,
    pub(crate) names: Names,
    pub(crate) scope: String,
    pub(crate) versions: Vec<Version>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Names {
    pub(crate) plural: String,
    pub(crate) kind: String,
    list_kind: Option<String>,
    /// As they are written: only who makes a definition of them asks for a list of texts.
    #[serde(default)]
    short_names: Value,
}

impl Names {
    /// The kind of lists.
    pub(crate) fn list(&self) -> String {
        let given = self.list_kind.clone();
        given.unwrap_or_else(|| format!("{}List", self.kind))
    }

    /// The short names, if they are a list of texts.
    pub(crate) fn short(&self) -> Option<Vec<&str>> {
        let names = self.short_names.as_array()?;
        names.iter().map(Value::as_str).collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) served: bool,
    #[serde(default)]
    pub(crate) deprecated: bool,
    pub(crate) deprecation_warning: Option<String>,
    pub(crate) schema: Option<Validation>,
    pub(crate) subresources: Option<Subresources>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Validation {
    #[serde(rename = "openAPIV3Schema")]
    pub(crate) schema: Packed,
}

/// A schema as a text of JSON, which takes a small part of its memory until it is asked for.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(crate) struct Packed(Box<str>);

impl TryFrom<Map<String, Value>> for Packed {
    type Error = serde_json::Error;

    fn try_from(schema: Map<String, Value>) -> serde_json::Result<Self> {
        Ok(Self(serde_json::to_string(&schema)?.into()))
    }
}

impl Packed {
    /// Returns true if a text is in it.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.0.contains(text)
    }

    pub(crate) fn schema(&self) -> Result<Map<String, Value>, Error> {
        serde_json::from_str(&self.0).map_err(|error| {
            (
                None,
                format!("a schema that can't be read: {error}"),
                "objects and lists can be in each other 128 times, counting those of the schema",
            )
        })
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Subresources {
    pub(crate) status: Option<Value>,
    pub(crate) scale: Option<Value>,
}

impl Definition {
    /// The whole as it is written.
    pub(crate) fn written(&self) -> Value {
        let mut whole = self.rest.clone();
        let versions = self.spec.versions.iter();
        let packed = versions.filter_map(|version| version.schema.as_ref());
        for (place, of) in schemas_of(&mut whole).into_iter().zip(packed) {
            *place = of.schema.schema().unwrap_or_default().into();
        }
        whole
    }
}

/// The places of the schemas of the versions in a definition.
fn schemas_of(definition: &mut Value) -> Vec<&mut Value> {
    let versions = definition.pointer_mut("/spec/versions");
    let versions = versions.and_then(Value::as_array_mut).into_iter().flatten();
    let places = versions.filter_map(|version| version.pointer_mut("/schema/openAPIV3Schema"));
    places.collect()
}

/// A copy of a definition with `null` in place of the schemas of its versions, which are large.
fn without_schemas(definition: &mut Value) -> Value {
    let schemas = schemas_of(definition).into_iter().map(Value::take);
    let schemas: Vec<_> = schemas.collect();
    let rest = definition.clone();
    for (place, schema) in schemas_of(definition).into_iter().zip(schemas) {
        *place = schema;
    }
    rest
}

/// Reads the definitions in a text of manifests; there is one at least.
pub(crate) fn definitions(text: &str) -> Result<Vec<Definition>, Error> {
    let objects = documents(text).map_err(|error| {
        let line = line_of(&error);
        let text = error.without_snippet().to_string();
        let message = text.lines().next().unwrap_or_default();
        (
            line,
            format!("not valid YAML: {message}"),
            "a template has to be rendered first",
        )
    })?;
    let mut found = Vec::new();
    for mut object in objects.into_iter().flat_map(items) {
        let is = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        if is("kind") != DEFINITION {
            continue;
        }
        let name = object.pointer("/metadata/name").and_then(Value::as_str);
        let name = name.unwrap_or("without a name").escape_debug().to_string();
        if is("apiVersion") != "apiextensions.k8s.io/v1" {
            let version = is("apiVersion").escape_debug();
            return Err((
                None,
                format!("the CustomResourceDefinition {name} is of `{version}`"),
                "servers since Kubernetes 1.22 read apiextensions.k8s.io/v1",
            ));
        }
        let rest = without_schemas(&mut object);
        let definition = Definition::deserialize(object).map_err(|error| {
            (
                None,
                format!("the CustomResourceDefinition {name}: {error}"),
                "compare it with what a server returns of it",
            )
        })?;
        found.push(Definition { rest, ..definition });
    }
    match found.is_empty() {
        true => Err((
            None,
            NO_DEFINITION.to_owned(),
            "a manifest of one has `kind: CustomResourceDefinition`",
        )),
        false => Ok(found),
    }
}

/// The error of the parser for a line of a quoted text that isn't indented more than the object
/// with the text. Kubernetes takes such lines, and older generators of definitions wrote them.
const UNINDENTED: &str = "invalid indentation in multiline quoted scalar";

/// The most such lines, for each of which the text is read once more.
const MAX_UNINDENTED: usize = 2000;

/// White space that indents a line more than any object.
const INDENT: usize = 256;

/// Reads the documents of a text. White space at the beginning of a line in a quoted text has no
/// meaning, so that it can be added where the parser asks for it.
fn documents(text: &str) -> Result<Vec<Value>, serde_saphyr::Error> {
    let mut text = Cow::Borrowed(text);
    let mut last = 0;
    for _ in 0..MAX_UNINDENTED {
        let error = match serde_saphyr::from_multiple(&text) {
            Ok(documents) => return Ok(documents),
            Err(error) => error,
        };
        let is_unindented = || error.without_snippet().to_string().contains(UNINDENTED);
        let line = line_of(&error).filter(|line| *line > last && is_unindented());
        let Some((line, at)) = line.and_then(|line| Some((line, start(&text, line)?))) else {
            return Err(error);
        };
        text.to_mut().insert_str(at, &" ".repeat(INDENT));
        last = line;
    }
    serde_saphyr::from_multiple(&text)
}

/// The offset at which a line starts, counted from 1.
fn start(text: &str, line: usize) -> Option<usize> {
    let before = text.split_inclusive('\n').take(line.checked_sub(1)?);
    Some(before.map(str::len).sum())
}

fn line_of(error: &serde_saphyr::Error) -> Option<usize> {
    let at = error.location()?;
    usize::try_from(at.line()).ok()
}

/// The objects of a list, as `kubectl get crd -o yaml` prints it, or the object itself.
fn items(mut object: Value) -> Vec<Value> {
    let kind = object.get("kind").and_then(Value::as_str);
    let is_typed = kind == Some(DEFINITIONS);
    if !is_typed && kind != Some(LIST) {
        return vec![object];
    }
    let version = object.get("apiVersion").cloned();
    let items = object.get_mut("items").and_then(Value::as_array_mut);
    let mut items = items.map(std::mem::take).unwrap_or_default();
    if is_typed {
        // A server leaves both out of the items of its own lists.
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            item.entry("kind").or_insert_with(|| DEFINITION.into());
            let of_list = || version.clone().unwrap_or_default();
            item.entry("apiVersion").or_insert_with(of_list);
        }
    }
    items
}

/// Returns true if a file has manifests, by its name.
pub(crate) fn is_manifest(file: &str) -> bool {
    [".yaml", ".yml"].iter().any(|end| file.ends_with(end))
}

/// Returns true if an object is a definition or a list, and no document of a server.
pub(crate) fn has_definitions(object: &Value) -> bool {
    let kind = object.get("kind").and_then(Value::as_str);
    kind.is_some_and(|kind| [DEFINITION, DEFINITIONS, LIST].contains(&kind))
}
