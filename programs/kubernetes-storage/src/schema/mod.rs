//! `kubernetes-storage schema`: JSON Schemas for editors and other validators.

mod kinds;
mod tighten;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kubernetes_kinds::GroupVersionKind;
use serde_json::{Value, json};

use crate::config;
use crate::lint;

/// Prints the JSON Schema of a kind, for editors and other validators
///
/// The schema accepts what `lint` accepts for the newest release, and refuses unknown fields, wrong
/// types, and whatever else JSON Schema can express. Without a kind, it is one for manifests of all
/// kinds, which accepts objects of others as they are. Write it to a file, such as
/// storage.schema.json, and name it in manifests for yaml-language-server:
/// `# yaml-language-server: $schema=storage.schema.json`.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group = clap::ArgGroup::new("subject").required(false).multiple(false))]
pub(crate) struct Args {
    /// The kind, such as StorageClass; without it, all are meant
    #[arg(value_name = "KIND", group = "subject")]
    kind: Option<String>,

    /// The version of the kind, such as storage.k8s.io/v1beta1; by default the newest
    #[arg(long, value_name = "VERSION", requires = "kind")]
    api_version: Option<String>,

    /// Write a file for each kind to this folder, with the names by which kubeconform finds them,
    /// such as storageclass-storage-v1.json
    #[arg(long, value_name = "FOLDER", group = "subject")]
    output: Option<PathBuf>,

    /// Print the schema of .kubernetes-storage.yaml
    #[arg(long, group = "subject")]
    configuration: bool,

    /// Print the schema of the lines of `lint --format json`
    #[arg(long, group = "subject")]
    findings: bool,
}

/// Prints or writes the schemas.
///
/// # Errors
///
/// When there is no such kind, or the output can't be written.
pub(crate) fn run(args: &Args) -> io::Result<()> {
    if let Some(folder) = &args.output {
        return write_all(folder);
    }
    let schema = match &args.kind {
        Some(kind) => of_kind(kind, args.api_version.as_deref()).map_err(io::Error::other)?,
        None if args.configuration => config::schema().to_value(),
        None if args.findings => lint::schema().to_value(),
        None => of_all(),
    };
    print(&mut io::stdout().lock(), &schema)
}

fn print(out: &mut impl Write, schema: &Value) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, schema)?;
    writeln!(out)
}

/// Returns the schema of a kind in a version, or in the newest.
fn of_kind(kind: &str, api_version: Option<&str>) -> Result<Value, String> {
    let all = kinds::all();
    let found = all.iter().filter(|(known, _)| known.kind == kind);
    let is_meant = |known: &GroupVersionKind| {
        api_version.is_none_or(|version| known.group_version.to_string() == version)
    };
    if let Some((_, schema)) = found.clone().find(|(known, _)| is_meant(known)) {
        return Ok(schema());
    }
    let versions: Vec<_> = found
        .map(|(known, _)| known.group_version.to_string())
        .collect();
    if !versions.is_empty() {
        return Err(format!("{kind} has the versions {}", versions.join(", ")));
    }
    let help = crate::kinds::parse(kind).err().unwrap_or_default();
    Err(format!("no kind {kind}; {help}"))
}

/// Returns the schema of manifests of all kinds. It accepts objects of other kinds.
fn of_all() -> Value {
    let (mut definitions, mut cases) = (serde_json::Map::new(), Vec::new());
    for (kind, schema) in kinds::all() {
        let mut schema = schema();
        let Some(own) = schema.as_object_mut() else {
            continue;
        };
        own.remove("$schema");
        if let Some(Value::Object(inner)) = own.remove("definitions") {
            definitions.extend(inner);
        }
        let name = kind.to_string();
        let version = kind.group_version.to_string();
        cases.push(json!({
            "if": {
                "properties": {"apiVersion": {"const": version}, "kind": {"const": kind.kind}},
                "required": ["apiVersion", "kind"],
            },
            "then": {"$ref": format!("#/definitions/{}", name.replace('/', "~1").replace(' ', "%20"))},
        }));
        definitions.insert(name, schema);
    }
    cases.push(json!({
        "if": {
            "properties": {"apiVersion": {"const": "v1"}, "kind": {"const": "List"}},
            "required": ["apiVersion", "kind"],
        },
        "then": {"properties": {"items": {"items": {"$ref": "#"}}}},
    }));
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Manifests of the Kubernetes storage API",
        "type": "object",
        "allOf": cases,
        "definitions": definitions,
    })
}

/// Writes a file for each kind.
fn write_all(folder: &Path) -> io::Result<()> {
    let named = |path: &Path, error: io::Error| {
        io::Error::other(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
    for (kind, schema) in kinds::all() {
        let group = kind
            .group_version
            .group
            .split('.')
            .next()
            .unwrap_or_default();
        let mut name = kind.kind.to_lowercase();
        for part in [group, &kind.group_version.version] {
            if !part.is_empty() {
                name.push('-');
                name.push_str(part);
            }
        }
        let path = folder.join(name + ".json");
        let mut text = Vec::new();
        print(&mut text, &schema())?;
        fs::write(&path, text).map_err(|error| named(&path, error))?;
    }
    Ok(())
}
