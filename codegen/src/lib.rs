//! Generates Rust crates for Kubernetes API groups from OpenAPI documents and overlays.
//!
//! The caller hands in texts and gets back texts: nothing here reads or writes a file. See
//! ARCHITECTURE.md in the repository for the way the data goes.
//!
//! ```
//! use codegen::{Config, Inputs, Source, generate};
//!
//! let config = Source::new("codegen.toml", r#"
//!     [[crate]]
//!     name = "example-v1"
//!     description = "An example"
//!
//!     [[crate.document]]
//!     file = "example.json"
//!     release = "1.37"
//!     prefix = "com.example.v1."
//! "#);
//! let config = Config::parse(&config)?;
//! let mut inputs = Inputs::default();
//! inputs.documents.insert("v1.37/example.json".to_owned(), codegen::DocumentSource {
//!     source: Source::new("example.json", r#"{
//!         "openapi": "3.0.0",
//!         "components": {"schemas": {"com.example.v1.Color": {
//!             "type": "string", "description": "A color.", "enum": ["red", "green"]
//!         }}}
//!     }"#),
//!     release: "1.37".parse()?,
//! });
//! let crates = generate(&config, &inputs)?;
//! let color = crates[0].files.iter().find(|file| file.path == "src/color.rs");
//! assert!(color.is_some_and(|file| file.text.contains("pub enum Color")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod config;
mod diag;
mod doc;
mod emit;
mod foundation;
mod keyword;
mod load;
mod lower;
mod model;
mod name;
mod passes;
mod release;
mod render;
mod source;

use std::collections::BTreeMap;

pub use compare::{Change, Comparison, Difference, compare};
pub use config::{
    Config, Conversion, ConversionRule, CrateConfig, DocumentConfig, Extern,
};
pub use diag::{Diagnostic, Diagnostics, Pointer};
pub use release::{Release, Releases};
pub use render::{MARK, is_generated};
pub use source::Source;

/// The texts that a run works on, by the names that the configuration gives them.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The documents, by [`DocumentConfig::path`].
    pub documents: BTreeMap<String, DocumentSource>,
    /// The overlays, by file name.
    pub overlays: BTreeMap<String, Source>,
}

/// A document and the release that it describes.
#[derive(Clone, Debug)]
pub struct DocumentSource {
    /// The text.
    pub source: Source,
    /// The release, which decides what overlays say of it.
    pub release: Release,
}

/// A generated crate.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The crate's name.
    pub name: String,
    /// The number of documents it was made from.
    pub documents: usize,
    /// The number of structs.
    pub structs: usize,
    /// The number of enumerations.
    pub enums: usize,
    /// The files, by path.
    pub files: Vec<GeneratedFile>,
    /// The paths of the files beside them that are written by hand: the configuration names
    /// them, or a rule of it calls their functions.
    pub hand_written: Vec<String>,
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Where it is in the crate, with `/` between the parts.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// Generates every crate of the configuration.
///
/// # Errors
///
/// All faults of all documents and overlays; nothing is generated then.
pub fn generate(
    config: &Config,
    inputs: &Inputs,
) -> Result<Vec<Generated>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut overlays = BTreeMap::new();
    for (name, source) in &inputs.overlays {
        if let Some(overlay) = load::Overlay::parse(source, &mut diagnostics) {
            overlays.insert(name.as_str(), overlay);
        }
    }
    let mut crates = Vec::new();
    for krate in &config.crates {
        let mut versions = Vec::new();
        for document in &krate.documents {
            let path = document.path();
            let Some(input) = inputs.documents.get(&path) else {
                missing(&path, "document", &mut diagnostics);
                continue;
            };
            let mut mine = Vec::new();
            for name in &document.overlays {
                match overlays.get(name.as_str()) {
                    Some(overlay) => mine.push(overlay),
                    // One that is there but can't be read has been reported.
                    None if inputs.overlays.contains_key(name) => {}
                    None => missing(name, "overlay", &mut diagnostics),
                }
            }
            let loaded = load::load(input, &document.prefix, &mine, &mut diagnostics);
            let Some(loaded) = loaded else { continue };
            versions.push(lower::lower(&loaded, document, config, &mut diagnostics));
        }
        crates.push(model::Crate {
            config: krate,
            versions,
        });
    }
    passes::run(&mut crates, &mut diagnostics);
    let generated = if diagnostics.is_empty() {
        crates.iter().map(|krate| rendered(krate, &mut diagnostics)).collect()
    } else {
        Vec::new()
    };
    if diagnostics.is_empty() {
        return Ok(generated);
    }
    diagnostics.locate(inputs.documents.values().map(|document| &document.source));
    Err(diagnostics)
}

fn rendered(krate: &model::Crate<'_>, diagnostics: &mut Diagnostics) -> Generated {
    let mut files = Vec::new();
    for file in emit::emit(krate) {
        match render::render(&file) {
            Ok(text) => files.push(GeneratedFile {
                path: file.path,
                text,
            }),
            Err(message) => diagnostics.in_file(
                &format!("{}/{}", krate.config.name, file.path),
                None,
                format!("the generated tokens are not Rust: {message}"),
                "this is a fault of the generator: please report it with the document",
            ),
        }
    }
    let structs = krate.versions.iter().map(|version| version.structs().count()).sum();
    let types: usize = krate.versions.iter().map(|version| version.types.len()).sum();
    Generated {
        name: krate.config.name.clone(),
        documents: krate.versions.len(),
        structs,
        enums: types - structs,
        files,
        hand_written: emit::hand_written(krate),
    }
}

fn missing(name: &str, what: &str, diagnostics: &mut Diagnostics) {
    diagnostics.in_file(
        name,
        None,
        format!("the {what} was not handed in"),
        "codegen.toml names it: put the file there or take the name out",
    );
}
