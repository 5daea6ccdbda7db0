//! `cargo xtask spec verify`: are our documents built as Kubernetes' own are?

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use codegen::{Change, Comparison, Config, DocumentConfig, Pointer, Release, Source};
use serde::Deserialize;

use crate::inputs::{self, Folder};
use crate::workspace;

/// Look after the documents in spec/.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
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

    /// The release of the documents, if the folder's name doesn't tell.
    #[arg(long, value_name = "RELEASE")]
    release: Option<Release>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let Command::Verify(arguments) = &arguments.command;
    let root = workspace::root()?;
    let config = inputs::config(&root, &[])?;
    let listed = Listed::read(&root, &config)?;
    let found = inputs::read(
        &root,
        &Folder {
            path: &root.join("spec"),
            release: None,
        },
        config,
    )?;
    let mut faults = 0;
    let mut compared = 0;
    for (folder, release) in releases(arguments)? {
        for document in at_release(&found.config, release) {
            let Some(ours) = found.inputs.documents.get(&document.path()) else {
                continue;
            };
            let file = &document.file;
            let path = folder.join(file);
            if !path.is_file() {
                continue;
            }
            let upstream =
                Source::new(format!("v{release}/{file}"), workspace::read(&path)?);
            let comparison =
                codegen::compare(&ours.source, &upstream).map_err(|faults| {
                    let theirs = path.display().to_string();
                    found.locate(
                        faults.renamed(|name| {
                            (name == upstream.name).then(|| theirs.clone())
                        }),
                    )
                })?;
            let explained =
                listed.explain(&document.path(), release, comparison.from_server);
            faults += report(&upstream.name, &comparison, &explained);
            compared += 1;
        }
    }
    match (compared, faults) {
        (0, _) => Err(format!(
            "error: {} has none of our documents\n  help: give the folder that holds {}",
            arguments.upstream.display(),
            found.inputs.documents.keys().cloned().collect::<Vec<_>>().join(" or ")
        )
        .into()),
        (_, 0) => Ok(()),
        (_, faults) => Err(format!(
            "error: {faults} difference{} between the documents and spec/differences.toml\n  \
             help: mend the document, or list what a release explains",
            if faults == 1 { "" } else { "s" }
        )
        .into()),
    }
}

/// Our documents that describe what a release served: of several of one group-version, each
/// for the kinds that went with its release, the first that is not older.
fn at_release(config: &Config, release: Release) -> Vec<&DocumentConfig> {
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
    let entries = std::fs::read_dir(folder)
        .map_err(|e| workspace::fault("can't read", folder, &e))?;
    let entries = entries.flatten().map(|entry| entry.path());
    let found: BTreeMap<_, _> = entries
        .filter_map(|path| Some((path.clone(), inputs::release_of(&path)?)))
        .collect();
    if found.is_empty() {
        return Err(format!(
            "error: can't tell of which Kubernetes release the documents in {} are\n  \
             help: name the folder after it (v1.34), or say --release 1.34",
            folder.display()
        )
        .into());
    }
    Ok(found)
}

type Explained = BTreeMap<(String, Change), String>;

/// Prints the differences of one document and returns how many are not as listed.
fn report(name: &str, comparison: &Comparison, explained: &Explained) -> usize {
    let mut lines = Vec::new();
    let mut faults = 0;
    let mut seen = BTreeSet::new();
    for difference in &comparison.differences {
        let pointer = difference.pointer.to_string();
        let change = difference.change;
        let line = format!("  {change:7} {pointer}");
        let key = (pointer, change);
        match explained.get(&key) {
            Some(why) => lines.push(format!("{line} ({why})")),
            None => {
                faults += 1;
                let (ours, upstream) = &difference.values;
                lines.push(format!(
                    "{line} NOT LISTED: ours {ours}, upstream {upstream}"
                ));
            }
        }
        seen.insert(key);
    }
    let added: Vec<_> = seen
        .iter()
        .filter(|(_, change)| *change != Change::Changed)
        .map(|(p, _)| p)
        .collect();
    for (key, why) in explained {
        // What is inside something that is new as a whole doesn't differ by itself.
        let inside = added.iter().any(|whole| key.0.starts_with(&format!("{whole}/")));
        if !seen.contains(key) && !inside {
            faults += 1;
            lines.push(format!(
                "  {:7} {} ({why}) LISTED, BUT DOES NOT OCCUR",
                key.1, key.0
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
        if faults == 0 {
            "all listed".to_owned()
        } else {
            format!("{faults} not as listed")
        }
    );
    for line in lines {
        println!("{line}");
    }
    faults
}

/// The differences that are known, by the document's path, `v1.37/FILE`.
#[derive(Deserialize)]
#[serde(transparent)]
struct Listed(BTreeMap<String, BTreeMap<String, Places>>);

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Places {
    added: Vec<Place>,
    removed: Vec<Place>,
    changed: Vec<Place>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    At(String),
    From { at: String, from: Release },
}

/// The key for what a running server publishes otherwise than the checked-in documents.
const SERVER: &str = "server";

impl Listed {
    const FILE: &str = "spec/differences.toml";

    fn read(root: &Path, config: &Config) -> Result<Self, Box<dyn Error>> {
        let text = workspace::read(&root.join(Self::FILE))?;
        let listed: Self =
            toml::from_str(&text).map_err(|e| format!("error: {}: {e}", Self::FILE))?;
        let known: BTreeSet<_> = config
            .crates
            .iter()
            .flat_map(|krate| &krate.documents)
            .map(DocumentConfig::path)
            .collect();
        if let Some(file) = listed.0.keys().find(|file| !known.contains(*file)) {
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            return Err(format!(
                "error: {}: no document `{file}`\n  help: there are {}",
                Self::FILE,
                known.join(", ")
            )
            .into());
        }
        for key in
            listed.0.values().flat_map(BTreeMap::keys).filter(|key| *key != SERVER)
        {
            key.parse::<Release>().map_err(|e| format!("error: {}: {e}", Self::FILE))?;
        }
        Ok(listed)
    }

    /// What must differ from a document of a release, and why.
    fn explain(&self, path: &str, upstream: Release, from_server: bool) -> Explained {
        let mut explained = Explained::new();
        for (key, places) in self.0.get(path).into_iter().flatten() {
            let why = match key.parse::<Release>() {
                Ok(release) if upstream < release => format!("Kubernetes {release}"),
                Err(_) if from_server => "published by a running server".to_owned(),
                _ => continue,
            };
            let all = [
                (Change::Added, &places.added),
                (Change::Removed, &places.removed),
                (Change::Changed, &places.changed),
            ];
            for (change, place) in all
                .into_iter()
                .flat_map(|(change, places)| places.iter().map(move |p| (change, p)))
            {
                let at = match place {
                    Place::At(at) => at,
                    Place::From { at, from } if *from <= upstream => at,
                    Place::From { .. } => continue,
                };
                let at =
                    Pointer::parse(at).map_or_else(|| at.clone(), |p| p.to_string());
                explained.insert((at, change), why.clone());
            }
        }
        explained
    }
}
