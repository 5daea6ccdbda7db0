//! `cargo xtask spec`. Its subcommand `verify` compares the structure of our documents with
//! Kubernetes' own.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use codegen::{Comparison, Config, Difference, DifferenceKind, DocumentConfig, Release, Source};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::differences::{Differences, Expected, Schemas};
use crate::fetch::{self, Fetch};
use crate::inputs::{self, Folder, Found};
use crate::protobuf::{self, Protobuf};
use crate::workspace;

/// Look after the documents in spec/, and get those of Kubernetes.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Fetch(Fetch),
    Protobuf(Protobuf),
    Verify(Verify),
}

/// Compare the structure of our documents with Kubernetes' own.
///
/// Schemas, properties, types, formats, references, lists, maps, extensions, paths, verbs
/// and scope must be equal; descriptions are ours. Differences that a release explains are
/// listed in spec/differences.toml: one that is not listed fails, and so does a listed one
/// that does not occur.
#[derive(Args)]
struct Verify {
    /// A folder of Kubernetes' documents of one release, such as a copy of its
    /// api/openapi-spec/v3 named v1.34, or a folder of such folders.
    #[arg(long, value_name = "DIR")]
    upstream: PathBuf,

    /// The release of the documents, if the folder isn't named after it.
    #[arg(long, value_name = "RELEASE")]
    release: Option<Release>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let arguments = match &arguments.command {
        Command::Fetch(arguments) => return fetch::run(arguments),
        Command::Protobuf(arguments) => return protobuf::run(arguments),
        Command::Verify(arguments) => arguments,
    };
    let root = workspace::root()?;
    let config = inputs::config(&root, &[])?;
    let found = inputs::read(
        &root,
        &Folder {
            path: &root.join("spec"),
            release: None,
        },
        config,
        &[],
    )?;
    let schemas = schemas(&found)?;
    let listed = Differences::read(&root, &schemas)?;
    let mut differences = 0;
    let mut compared = 0;
    for (folder, release) in releases(arguments)? {
        if let Some(note) = listed.out_of_range(release) {
            eprintln!("{note}");
        }
        for document in at_release(&found.config, release) {
            let path = folder.join(&document.file);
            if !found.inputs.documents.contains_key(&document.path()) || !path.is_file() {
                continue;
            }
            let name = format!("v{release}/{}", document.file);
            let upstream = Source::new(name, workspace::read(&path)?);
            let comparison = compare(&found, document, &upstream, &path)?;
            let at = (release, comparison.from_server);
            let expected = listed.expected(&document.path(), &schemas, at);
            differences += report(&upstream.name, &comparison, &expected);
            compared += 1;
        }
    }
    match (compared, differences) {
        (0, _) => Err(format!(
            "error: {} has none of our documents\n  help: give the folder that holds {}",
            arguments.upstream.display(),
            found
                .inputs
                .documents
                .keys()
                .cloned()
                .collect::<Vec<_>>()
                .join(" or ")
        )
        .into()),
        (_, 0) => Ok(()),
        (_, differences) => Err(format!(
            "error: {differences} difference{} between the documents and spec/differences.toml\n  \
             help: mend the document, or list what a release explains",
            if differences == 1 { "" } else { "s" }
        )
        .into()),
    }
}

/// Compares two documents; errors name the paths of the files.
fn compare(
    found: &Found,
    document: &DocumentConfig,
    upstream: &Source,
    path: &Path,
) -> Result<Comparison, Box<dyn Error>> {
    let ours = found.inputs.documents.get(&document.path());
    let ours = ours
        .map(|ours| &ours.source)
        .ok_or("error: no document of ours")?;
    let comparison = codegen::compare(ours, upstream, &document.kinds);
    let theirs = |name: &str| (name == upstream.name).then(|| path.display().to_string());
    Ok(comparison.map_err(|errors| found.locate(errors.renamed(theirs)))?)
}

/// The names of the schemas of our documents.
pub(crate) fn schemas(found: &Found) -> Result<Schemas, Box<dyn Error>> {
    #[derive(Deserialize)]
    struct Document {
        components: Components,
    }
    #[derive(Deserialize)]
    struct Components {
        schemas: BTreeMap<String, IgnoredAny>,
    }
    let mut all = Schemas::new();
    let documents = found.inputs.documents.iter();
    // Kubernetes has no document of custom resources.
    for (path, document) in documents.filter(|(path, _)| path.ends_with(".json")) {
        let read: Document = serde_json::from_str(&document.source.text)
            .map_err(|e| format!("error: {}: {e}", document.source.name))?;
        let names = read.components.schemas.into_keys().collect();
        all.insert(path.clone(), names);
    }
    Ok(all)
}

/// Our documents that describe what a release served: of several of one group-version, each
/// for the kinds that went with its release, the first that is not older.
pub(crate) fn at_release(config: &Config, release: Release) -> Vec<&DocumentConfig> {
    let mut found: BTreeMap<&str, &DocumentConfig> = BTreeMap::new();
    for document in config.crates.iter().flat_map(|krate| &krate.documents) {
        let other = found.get(document.file.as_str()).map(|other| other.release);
        let better = other.is_none_or(|other| document.release < other);
        if document.release >= release && better {
            found.insert(&document.file, document);
        }
    }
    found.into_values().collect()
}

/// The folders to compare with, each with its release.
fn releases(arguments: &Verify) -> Result<BTreeMap<PathBuf, Release>, Box<dyn Error>> {
    let folder = &arguments.upstream;
    if let Some(release) = arguments.release.or_else(|| inputs::release_of(folder)) {
        return Ok(BTreeMap::from([(folder.clone(), release)]));
    }
    let found: BTreeMap<_, _> = inputs::releases_in(folder)?.into_iter().collect();
    if found.is_empty() {
        return Err(format!(
            "error: the Kubernetes release of the documents in {} is unknown\n  \
             help: name the folder after it (v1.34), or say --release 1.34",
            folder.display()
        )
        .into());
    }
    Ok(found)
}

/// Prints the differences of one document and returns how many are not as listed.
fn report(name: &str, comparison: &Comparison, expected: &[Expected<'_>]) -> usize {
    let mut lines = Vec::new();
    let mut differences = 0;
    for difference in &comparison.differences {
        let Difference {
            pointer, change, ..
        } = difference;
        let line = format!("  {change:7} {pointer}");
        match expected.iter().find(|expected| expected.is(difference)) {
            Some(expected) => lines.push(format!("{line} ({})", expected.why)),
            None => {
                differences += 1;
                let (ours, upstream) = &difference.values;
                lines.push(format!(
                    "{line} NOT LISTED: ours {ours}, upstream {upstream}"
                ));
            }
        }
    }
    for expected in expected {
        let Expected {
            change, at, why, ..
        } = expected;
        // The parts of a new schema aren't differences of their own.
        let occurs = comparison.differences.iter().any(|difference| {
            let whole = difference.change != DifferenceKind::Changed;
            expected.is(difference) || whole && at.is_inside(&difference.pointer)
        });
        if !occurs && !expected.is_uncertain {
            differences += 1;
            lines.push(format!(
                "  {change:7} {at} ({why}) LISTED, BUT DOES NOT OCCUR"
            ));
        }
    }
    let count = comparison.differences.len();
    let source = if comparison.from_server {
        "published by a server"
    } else {
        "checked in"
    };
    println!(
        "{name} ({source}): {count} differences, {}",
        if differences == 0 {
            "all listed".to_owned()
        } else {
            format!("{differences} not as listed")
        }
    );
    for line in lines {
        println!("{line}");
    }
    differences
}
