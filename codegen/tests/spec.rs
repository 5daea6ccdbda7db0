//! The project's own documents, those included that no crate is made from yet.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::Path;

use codegen::{Config, DocumentSource, Inputs, Source, generate};

/// The prefix of the schemas of a document, from the name of its file:
/// `apis__storage.k8s.io__v1_openapi.json` has `io.k8s.api.storage.v1.`.
fn prefix(file: &str) -> String {
    let mut parts = file.trim_end_matches("_openapi.json").split("__").skip(1);
    let group = parts.next().unwrap().split('.').next().unwrap();
    format!("io.k8s.api.{group}.{}.", parts.next().unwrap())
}

/// One document alone, as a crate of its own and without overlays.
fn alone(release: &str, file: &str, text: &str) {
    let config = format!(
        r#"
[[crate]]
name = "example"
description = "An example"
[[crate.document]]
file = "{file}"
release = "{release}"
prefix = "{}"
[[extern]]
prefix = "io.k8s."
path = "k8s_openapi"
"#,
        prefix(file)
    );
    let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
    let mut inputs = Inputs::default();
    let path = config.crates[0].documents[0].path();
    let source = Source::new(path.clone(), text);
    let release = release.parse().unwrap();
    inputs.documents.insert(path.clone(), DocumentSource { source, release });
    let crates = generate(&config, &inputs).unwrap_or_else(|faults| panic!("{faults}"));
    assert!(crates[0].structs > 1, "{path}");
}

#[test]
fn every_document_becomes_a_crate() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    if !spec.is_dir() {
        eprintln!("skipped: the documents are not part of the package");
        return;
    }
    let mut documents = 0;
    for folder in fs::read_dir(&spec).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let Some(release) = name.strip_prefix('v') else {
            continue;
        };
        for file in fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            let text = fs::read_to_string(file.path()).unwrap();
            alone(release, file.file_name().to_str().unwrap(), &text);
            documents += 1;
        }
    }
    assert!(documents >= 7, "{documents} documents");
}
