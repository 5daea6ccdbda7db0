//! `cargo xtask codegen --crd`: crates for CustomResourceDefinitions that codegen.toml doesn't
//! name.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Write;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use codegen::{Config, CustomVersion, Diagnostics, DocumentSource, Inputs, Release, Source};

use crate::inputs::Found;
use crate::workspace;

/// The definitions to read, and how.
pub(crate) struct Definitions<'a> {
    /// The files of manifests.
    pub(crate) files: &'a [PathBuf],
    /// The files of overlays.
    pub(crate) overlays: &'a [PathBuf],
    /// The release for which the crates are made; that of codegen.toml if not given.
    pub(crate) release: Option<Release>,
    /// True if rules that can't be checked are errors.
    pub(crate) deny_unchecked: bool,
}

/// Reads files of manifests, and makes the configuration of a crate for each group and version in
/// them.
pub(crate) fn read(root: &Path, definitions: &Definitions<'_>) -> Result<Found, Box<dyn Error>> {
    let text = workspace::read(&root.join(workspace::CONFIG))?;
    let own = Config::parse(&Source::new(workspace::CONFIG, text))?;
    let Some(release) = definitions.release.or(own.newest) else {
        return Err("error: no release\n  help: say --release 1.37".into());
    };
    let mut inputs = Inputs::default();
    let mut paths = BTreeMap::new();
    let mut crates: BTreeMap<CustomVersion, Vec<String>> = BTreeMap::new();
    for (path, text) in texts(definitions.files)? {
        let name = match path.as_os_str() == STDIN {
            true => "stdin.yaml".to_owned(),
            false => file_name(&path),
        };
        let source = Source::new(format!("v{release}/{name}"), text);
        let versions = codegen::custom_versions(&source);
        for version in versions.map_err(|errors| shown(errors, &path))? {
            crates.entry(version).or_default().push(name.clone());
        }
        if paths.insert(source.name.clone(), path).is_some() {
            return Err(format!(
                "error: two files are named {name}\n  help: rename one of them; the generated code \
                 names its source"
            )
            .into());
        }
        let document = DocumentSource { source, release };
        inputs
            .documents
            .insert(document.source.name.clone(), document);
    }
    let mut overlays = Vec::new();
    for path in definitions.overlays {
        let name = file_name(path);
        let source = Source::new(name.as_str(), workspace::read(path)?);
        let prefix = codegen::overlay_prefix(&source).map_err(|errors| shown(errors, path))?;
        check_overlay(path, prefix.as_deref(), &crates)?;
        if paths.insert(name.clone(), path.clone()).is_some() {
            return Err(format!("error: two files are named {name}\n  help: rename one").into());
        }
        inputs.overlays.insert(name.clone(), source);
        overlays.push((name, prefix));
    }
    let config = config(&crates, release, &overlays, definitions.deny_unchecked);
    let config = Config::parse(&Source::new("--crd", config))?;
    Ok(Found::new(config, inputs, paths))
}

/// Errors of one file, under the path that the user gave.
fn shown(errors: Diagnostics, path: &Path) -> Diagnostics {
    errors.renamed(|_| Some(path.display().to_string()))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What a file with a definition has, in YAML or JSON.
const DEFINES: [&str; 2] = [
    "kind: CustomResourceDefinition",
    "\"CustomResourceDefinition",
];

/// The path that stands for the standard input.
const STDIN: &str = "-";

/// The texts of files, of the files in folders that have definitions, and of the standard input,
/// each with its path.
fn texts(paths: &[PathBuf]) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let mut texts = Vec::new();
    for path in paths {
        if path.as_os_str() == STDIN {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            texts.push((path.clone(), text));
        } else if path.is_dir() {
            let before = texts.len();
            for file in manifests(path)? {
                let text = workspace::read(&file)?;
                if DEFINES.iter().any(|part| text.contains(part)) {
                    texts.push((file, text));
                }
            }
            if texts.len() == before {
                let path = path.display();
                return Err(format!(
                    "error: {path}: no file with a CustomResourceDefinition\n  help: files of \
                     manifests end in .yaml, .yml or .json"
                )
                .into());
            }
        } else if is_manifest(path) {
            texts.push((path.clone(), workspace::read(path)?));
        } else {
            return Err(format!(
                "error: {} is no .yaml, .yml or .json\n  help: an OpenAPI document belongs into \
                 codegen.toml",
                path.display()
            )
            .into());
        }
    }
    Ok(texts)
}

/// The files of manifests in a folder and those in it, sorted.
fn manifests(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("error: {}: {e}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        // Not through links, which may lead in a circle.
        if entry.file_type()?.is_dir() {
            found.extend(manifests(&path)?);
        } else if is_manifest(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn is_manifest(path: &Path) -> bool {
    let end = path.extension().and_then(OsStr::to_str);
    end.is_some_and(|end| ["yaml", "yml", "json"].contains(&end))
}

/// Checks that an overlay is for a group and version that there is.
fn check_overlay(
    path: &Path,
    prefix: Option<&str>,
    crates: &BTreeMap<CustomVersion, Vec<String>>,
) -> Result<(), Box<dyn Error>> {
    let Some(prefix) = prefix else { return Ok(()) };
    if crates.keys().any(|version| version.prefix == prefix) {
        return Ok(());
    }
    let known: Vec<_> = crates.keys().map(|v| format!("`{}`", v.prefix)).collect();
    Err(format!(
        "error: {} is for `{prefix}`, of which there is no definition\n  help: correct its \
         `x-prefix`; there is {}",
        path.display(),
        known.join(", ")
    )
    .into())
}

fn config(
    crates: &BTreeMap<CustomVersion, Vec<String>>,
    release: Release,
    overlays: &[(String, Option<String>)],
    deny_unchecked: bool,
) -> String {
    let mut text = format!("newest = \"{release}\"\n");
    for (
        CustomVersion {
            group: of,
            version,
            prefix,
        },
        files,
    ) in crates
    {
        let name = format!("{}-{version}", of.replace('.', "-"));
        let _ = write!(
            text,
            "\n[[crate]]\nname = {name:?}\ndescription = \"Types of {of}/{version}\"\n"
        );
        // One that names no group is for all.
        let mine = overlays
            .iter()
            .filter(|(_, of)| of.as_ref().is_none_or(|of| of == prefix));
        let mine: Vec<_> = mine.map(|(name, _)| name).collect();
        for file in files {
            let _ = write!(
                text,
                "\n[[crate.document]]\nfile = {file:?}\nprefix = {prefix:?}\noverlays = {mine:?}\n\
                 list-unchecked = {}\n",
                !deny_unchecked
            );
        }
    }
    text + "\n[[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n"
}
