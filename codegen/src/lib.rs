//! Generates Rust crates for Kubernetes API groups from OpenAPI documents and overlays.
//!
//! The library takes and returns strings; it does no I/O. ARCHITECTURE.md in the repository
//! describes the flow of the data.
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

mod adopt;
mod compare;
mod config;
mod cost;
mod diag;
pub mod diff;
mod doc;
mod dump;
mod emit;
mod expression;
mod foundation;
mod generated;
#[cfg(feature = "grpc")]
mod grpc;
mod keyword;
mod load;
mod lower;
mod manifest;
mod model;
mod name;
mod numbers;
mod parallel;
mod passes;
mod pointer;
pub mod protobuf;
mod release;
mod render;
mod source;
mod structure;
mod syntax;

use std::collections::BTreeMap;

use render::Rendered;

pub use adopt::{Adopted, TO_DESCRIBE, adopt};
pub use compare::{Comparison, Difference, DifferenceKind, compare};
pub use config::{
    Bundle, Config, Conversion, ConversionRule, CrateConfig, Derive, DocumentConfig, Extern, Grpc,
    GrpcRules, K8sOpenapi, NumberedTypes, Part, Parts, Protobuf, Standalone,
};
pub use cost::{CostOf, CostlyRule, MissingBound, costly};
pub use diag::{Diagnostic, Diagnostics};
pub use generated::{Generated, GeneratedFile, GroupVersion, UncheckedRule};
#[cfg(feature = "grpc")]
pub use grpc::grpc;
pub use load::crd::CustomVersion;
pub use manifest::NO_DEFINITION;
pub use pointer::Pointer;
pub use release::{Release, Releases};
pub use render::{MARK, STANDALONE_MARK, is_generated};
pub use source::{DocumentSource, Inputs, Source};

/// Returns the groups and versions that the CustomResourceDefinitions in a file of manifests serve,
/// sorted. Objects of other kinds are ignored.
///
/// # Errors
///
/// The file isn't YAML, has no CustomResourceDefinition, or one that can't be read.
pub fn custom_versions(source: &Source) -> Result<Vec<CustomVersion>, Diagnostics> {
    load::crd::group_versions(source).map_err(|(line, message, help)| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.in_file(&source.name, line, message, help);
        diagnostics
    })
}

/// Returns the prefix of the schemas that an overlay is written for, if it says one.
///
/// # Errors
///
/// The file isn't an overlay.
pub fn overlay_prefix(source: &Source) -> Result<Option<String>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let overlay = load::Overlay::parse(source, &mut diagnostics);
    match overlay.filter(|_| diagnostics.is_empty()) {
        Some(overlay) => Ok(overlay.prefix().map(str::to_owned)),
        None => Err(diagnostics),
    }
}

/// Generates every crate of the configuration, and after them the one that bundles them.
///
/// # Errors
///
/// All errors of all documents and overlays; nothing is generated then.
pub fn generate(config: &Config, inputs: &Inputs) -> Result<Vec<Generated>, Diagnostics> {
    run(config, inputs, |crates, diagnostics| {
        let (mut generated, mut kept) = (Vec::new(), Vec::new());
        for krate in crates {
            let (described, works) = (described(&krate, inputs), emit::works(&krate));
            generated.push(with_files(described, mark(&krate), works, diagnostics));
            if config.bundle.is_some() {
                kept.push(krate);
            }
        }
        if let Some(bundle) = &config.bundle {
            let krate = Generated {
                name: bundle.name.clone(),
                ..Generated::default()
            };
            let works = vec![emit::Work::Bundle(bundle, &kept)];
            generated.push(with_files(krate, MARK, works, diagnostics));
        }
        generated
    })
}

/// Returns a crate with the files that come of its work, which is done in parallel.
fn with_files(
    krate: Generated,
    mark: &str,
    works: Vec<emit::Work<'_>>,
    diagnostics: &mut Diagnostics,
) -> Generated {
    let made = parallel::map_reporting(works, diagnostics, |work, to| {
        files(&krate.name, mark, work.files(), to)
    });
    Generated {
        files: made.into_iter().flatten().collect(),
        ..krate
    }
}

/// Returns the rules that the crates of the configuration wouldn't check, and generates nothing.
///
/// # Errors
///
/// As [`generate`].
pub fn unchecked(config: &Config, inputs: &Inputs) -> Result<Vec<UncheckedRule>, Diagnostics> {
    run(config, inputs, |crates, _| {
        crates
            .flat_map(|krate| unchecked_of(&krate, inputs))
            .collect()
    })
}

/// Returns the file with the tables of k8s-openapi's types that are read and written as protobuf,
/// if the configuration names some. Its path is that in the repository.
///
/// # Errors
///
/// When the document or the `.proto` files lack some of them.
pub fn protobuf_tables(
    config: &Config,
    inputs: &Inputs,
) -> Result<Option<GeneratedFile>, Diagnostics> {
    let types = config.protobuf.as_ref();
    let Some(types) = types.and_then(|protobuf| protobuf.k8s_openapi.as_ref()) else {
        return Ok(None);
    };
    let mut diagnostics = Diagnostics::default();
    let text = numbers::tables(config, types, inputs, &mut diagnostics);
    if !diagnostics.is_empty() {
        diagnostics.locate(inputs.documents.values().map(|document| &document.source));
        return Err(diagnostics);
    }
    Ok(text.map(|text| GeneratedFile {
        path: types.file.clone(),
        text,
        ..GeneratedFile::default()
    }))
}

/// Returns the analysed model of every crate as JSON, for people who wonder why something is
/// generated as it is.
///
/// The form follows the generator's own types and may change with any version.
///
/// # Errors
///
/// As [`generate`].
pub fn dump(config: &Config, inputs: &Inputs) -> Result<String, Diagnostics> {
    run(config, inputs, |crates, diagnostics| {
        let crates: Vec<_> = crates.collect();
        let pruned = serde_json::to_value(crates).map(dump::prune);
        match pruned.and_then(|model| serde_json::to_string_pretty(&model)) {
            Ok(json) => json + "\n",
            Err(error) => {
                diagnostics.in_file(
                    "codegen.toml",
                    None,
                    format!("the model can't be written: {error}"),
                    "this is a bug of the generator: please report it with the document",
                );
                String::new()
            }
        }
    })
}

/// Makes something of the model of each crate, or returns the errors with their lines.
fn run<'c, T>(
    config: &'c Config,
    inputs: &Inputs,
    make: impl FnOnce(&mut dyn Iterator<Item = model::Crate<'c>>, &mut Diagnostics) -> T,
) -> Result<T, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    if let Some(mut crates) = model(config, inputs, &mut diagnostics) {
        let made = make(&mut crates, &mut diagnostics);
        if diagnostics.is_empty() {
            return Ok(made);
        }
    }
    diagnostics.locate(inputs.documents.values().map(|document| &document.source));
    Err(diagnostics)
}

/// Loads and lowers all crates and completes them one by one, if they have no errors.
fn model<'c>(
    config: &'c Config,
    inputs: &Inputs,
    diagnostics: &mut Diagnostics,
) -> Option<impl Iterator<Item = model::Crate<'c>> + use<'c>> {
    let parsed = inputs
        .overlays
        .iter()
        .filter_map(|(name, source)| Some((name, load::Overlay::parse(source, diagnostics)?)));
    let overlays: BTreeMap<_, _> = parsed.collect();
    let documents = config.crates.iter().flat_map(|krate| {
        let documents = krate.documents.iter().enumerate();
        documents.map(move |(nth, document)| (nth, document, krate))
    });
    let versions = parallel::map_reporting(
        documents.collect(),
        diagnostics,
        |(nth, document, krate), to| {
            let before = krate.documents.get(..nth).unwrap_or_default();
            version(document, before, config, inputs, &overlays, to)
        },
    );
    let files: Vec<_> = versions
        .iter()
        .flatten()
        .map(|version| (version.file.clone(), version.files.clone()))
        .collect();
    let mut versions = versions.into_iter();
    let crates = config.crates.iter().map(|config| model::Crate {
        config,
        versions: versions
            .by_ref()
            .take(config.documents.len())
            .flatten()
            .collect(),
    });
    let numbers = numbers::Numbers::read(config, inputs, diagnostics);
    let crates = passes::run(crates.collect(), numbers.as_ref(), diagnostics);
    for (file, files) in files {
        diagnostics.spread(&file, &files);
    }
    crates
}

/// Loads and lowers one document of a crate, which has others before it.
fn version(
    document: &DocumentConfig,
    before: &[DocumentConfig],
    config: &Config,
    inputs: &Inputs,
    overlays: &BTreeMap<&String, load::Overlay>,
    diagnostics: &mut Diagnostics,
) -> Option<model::ApiVersion<model::Lowered>> {
    let mut all = Vec::new();
    for path in document.each_file().map(|file| file.path()) {
        let Some(input) = inputs.documents.get(&path) else {
            missing(&path, "document", diagnostics);
            return None;
        };
        all.push(input);
    }
    let (input, more) = all.split_first()?;
    let mut mine = Vec::new();
    for name in &document.overlays {
        match overlays.get(name) {
            Some(overlay) => mine.push(overlay),
            // One that is there but can't be read has been reported.
            None if inputs.overlays.contains_key(name) => {}
            None => missing(name, "overlay", diagnostics),
        }
    }
    let newer = newer(document, config, inputs);
    let of = (document, config.crate_of(document)?);
    let mut loaded = load::load((input, more), of, newer, &mine, diagnostics)?;
    let beside = before
        .iter()
        .filter(|other| other.prefix == document.prefix && other.module == document.module);
    let beside = beside.filter_map(|other| inputs.documents.get(&other.path()));
    let beside: Vec<_> = beside.collect();
    load::take_out_shared(&mut loaded, input, &beside, &document.prefix, diagnostics);
    Some(lower::lower(&loaded, document, config, diagnostics))
}

/// The document that another follows, where both are the project's own: in the documents of a
/// release itself, nothing is added to a version.
fn newer<'a>(
    document: &DocumentConfig,
    config: &'a Config,
    inputs: &'a Inputs,
) -> Option<load::Newer<'a>> {
    let is_own =
        |document: &DocumentConfig, input: &DocumentSource| input.release == document.described();
    let own = inputs.documents.get(&document.path())?;
    let newer = config.document_of(document.follows.as_deref()?)?;
    let input = inputs.documents.get(&newer.path())?;
    (is_own(document, own) && is_own(newer, input)).then_some((input, newer.prefix.as_str()))
}

/// The texts of the files of a crate.
fn files(
    krate: &str,
    mark: &str,
    files: Vec<emit::File>,
    diagnostics: &mut Diagnostics,
) -> Vec<GeneratedFile> {
    let mut rendered = Vec::new();
    for file in files {
        let path = file.path.clone();
        match render::render(file, mark) {
            Ok(Rendered { text, formatted }) => rendered.push(GeneratedFile {
                path,
                text,
                formatted,
            }),
            Err(message) => diagnostics.in_file(
                &format!("{krate}/{path}"),
                None,
                format!("the generated tokens are not Rust: {message}"),
                "this is a bug of the generator: please report it with the document",
            ),
        }
    }
    rendered
}

/// What the files of a crate start with.
fn mark(krate: &model::Crate<'_>) -> &'static str {
    match krate.config.standalone {
        Some(_) => STANDALONE_MARK,
        None => MARK,
    }
}

/// A crate without its files.
fn described(krate: &model::Crate<'_>, inputs: &Inputs) -> Generated {
    let structs = krate
        .versions
        .iter()
        .map(|version| version.structs().count())
        .sum();
    let types: usize = krate
        .versions
        .iter()
        .map(|version| version.types.len())
        .sum();
    Generated {
        name: krate.config.name.clone(),
        documents: krate
            .config
            .documents
            .iter()
            .map(|document| 1 + document.more_files.len())
            .sum(),
        structs,
        enums: types - structs,
        group_versions: group_versions(krate),
        files: Vec::new(),
        hand_written: emit::hand_written(krate),
        unchecked: unchecked_of(krate, inputs),
    }
}

/// The rules of the schemas of a crate that aren't checked.
fn unchecked_of(krate: &model::Crate<'_>, inputs: &Inputs) -> Vec<UncheckedRule> {
    let versions = krate.versions.iter().map(|version| {
        let mut documents = inputs.documents.values().map(|document| &document.source);
        let source = documents.find(|source| source.name == version.file);
        let mut rules = version.unchecked().peekable();
        let is_any = rules.peek().is_some();
        let lines = source.filter(|_| is_any).map(Source::lines);
        let rules = rules.map(|rule| (rule.place(), rule));
        let rules = rules.map(|((kind, path), rule)| UncheckedRule {
            file: version.file_of(&rule.pointer).to_owned(),
            line: lines
                .as_ref()
                .and_then(|lines| Some(lines.of(&rule.pointer)?.line)),
            kind,
            path,
            rule: rule.rule,
            reason: rule.reason,
        });
        rules.collect::<Vec<_>>()
    });
    versions.flatten().collect()
}

fn group_versions(krate: &model::Crate<'_>) -> Vec<GroupVersion> {
    let mut found: Vec<GroupVersion> = Vec::new();
    for version in &krate.versions {
        let release = (!version.is_custom).then_some(version.release);
        for (_, resource) in version.kinds() {
            let api_version = resource.api_version();
            match found
                .iter_mut()
                .find(|known| known.api_version == api_version)
            {
                Some(known) => {
                    known.kinds.push(resource.kind.clone());
                    known.release = known.release.max(release);
                }
                None => found.push(GroupVersion {
                    api_version,
                    kinds: vec![resource.kind.clone()],
                    release,
                }),
            }
        }
    }
    for group_version in &mut found {
        group_version.kinds.sort();
    }
    found
}

fn missing(name: &str, what: &str, diagnostics: &mut Diagnostics) {
    diagnostics.in_file(
        name,
        None,
        format!("the {what} was not found"),
        "codegen.toml names it: put the file there or take the name out",
    );
}
