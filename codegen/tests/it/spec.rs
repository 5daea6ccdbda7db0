//! The project's own documents and overlays, taken together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use codegen::{Config, Source};
use serde_json::Value;

/// The root of the workspace, unless the crate is somewhere else, as when packaged.
fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let there = root.join("spec").is_dir() && root.join("codegen.toml").is_file();
    if !there {
        eprintln!("skipped: the documents are not part of the package");
    }
    there.then_some(root)
}

/// The names of the files in a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// The documents below spec/, as `v1.37/FILE`. Messages of protobuf are no documents.
fn documents(root: &Path) -> BTreeSet<String> {
    let spec = root.join("spec");
    let releases = files(&spec)
        .into_iter()
        .filter(|name| name.starts_with('v'));
    releases
        .flat_map(|release| {
            let files = files(&spec.join(&release));
            let documents = files.into_iter().filter(|file| file != "protobuf");
            documents.map(move |file| format!("{release}/{file}"))
        })
        .collect()
}

/// One that isn't named would rot: nothing would ever read it.
#[test]
fn every_document_and_overlay_is_used() {
    let Some(root) = root() else { return };
    let text = fs::read_to_string(root.join("codegen.toml")).unwrap();
    let config = Config::parse(&Source::new("codegen.toml", text)).unwrap();
    let used = || config.crates.iter().flat_map(|krate| &krate.documents);
    assert_eq!(
        documents(&root),
        used().map(|document| document.path()).collect()
    );
    let mut overlays = files(&root.join("spec/overlays"));
    overlays.retain(|name| name != "README.md");
    assert_eq!(
        overlays,
        used()
            .flat_map(|document| document.overlays.clone())
            .collect()
    );
}

/// All documents are as of one release, so what they share, they say alike; and each has all
/// that it refers to.
#[test]
fn shared_schemas_are_alike() {
    let Some(root) = root() else { return };
    let mut known: BTreeMap<String, (Value, String)> = BTreeMap::new();
    let mut shared = 0;
    // Definitions of custom resources share nothing.
    for path in documents(&root)
        .into_iter()
        .filter(|path| path.ends_with(".json"))
    {
        let text = fs::read_to_string(root.join("spec").join(&path)).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for reference in text.split("\"#/components/schemas/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(
                schemas.contains_key(name),
                "{path} refers to {name}, but lacks it"
            );
        }
        for (name, schema) in schemas {
            let mut schema = schema.clone();
            if ["DeleteOptions", "WatchEvent"]
                .iter()
                .any(|end| name.ends_with(end))
            {
                // Since 1.36 each document names its own group-version only.
                schema["x-kubernetes-group-version-kind"].take();
            }
            let first = (schema.clone(), path.clone());
            let (other, place) = known.entry(name.clone()).or_insert(first);
            assert_eq!(schema, *other, "{name} differs in {path} and {place}");
            shared += usize::from(*place != path);
        }
    }
    assert!(shared > 100, "{shared} shared schemas");
}
