//! `cargo xtask codegen --crd`: crates for CustomResourceDefinitions that codegen.toml doesn't
//! name.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use codegen::{Config, CustomVersion, Diagnostics, DocumentSource, Inputs, Release, Source};

use crate::inputs::Found;
use crate::workspace;

/// Reads files of manifests, and makes the configuration of a crate for each group and version in
/// them.
pub(crate) fn read(
    root: &Path,
    files: &[PathBuf],
    release: Option<Release>,
    deny_unchecked: bool,
) -> Result<Found, Box<dyn Error>> {
    let text = workspace::read(&root.join(workspace::CONFIG))?;
    let own = Config::parse(&Source::new(workspace::CONFIG, text))?;
    let Some(release) = release.or(own.newest) else {
        return Err("error: no release\n  help: say --release 1.37".into());
    };
    let mut inputs = Inputs::default();
    let mut paths = BTreeMap::new();
    let mut crates: BTreeMap<CustomVersion, Vec<String>> = BTreeMap::new();
    for path in files {
        let (name, source) = source(path, release)?;
        let versions = codegen::custom_versions(&source);
        let shown = |errors: Diagnostics| errors.renamed(|_| Some(path.display().to_string()));
        for version in versions.map_err(shown)? {
            crates.entry(version).or_default().push(name.clone());
        }
        if paths.insert(source.name.clone(), path.clone()).is_some() {
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
    let config = Config::parse(&Source::new(
        "--crd",
        config(&crates, release, deny_unchecked),
    ))?;
    Ok(Found::new(config, inputs, paths))
}

/// A file, under the name that documents of its release have.
fn source(path: &Path, release: Release) -> Result<(String, Source), Box<dyn Error>> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    if ![".yaml", ".yml"].iter().any(|end| name.ends_with(end)) {
        return Err(format!(
            "error: {} is no .yaml or .yml\n  help: an OpenAPI document belongs into codegen.toml",
            path.display()
        )
        .into());
    }
    let text = workspace::read(path)?;
    Ok((
        name.clone(),
        Source::new(format!("v{release}/{name}"), text),
    ))
}

fn config(
    crates: &BTreeMap<CustomVersion, Vec<String>>,
    release: Release,
    deny_unchecked: bool,
) -> String {
    let mut text = format!("newest = \"{release}\"\n");
    for (
        CustomVersion {
            group,
            version,
            prefix,
        },
        files,
    ) in crates
    {
        let name = format!("{}-{version}", group.replace('.', "-"));
        let _ = write!(
            text,
            "\n[[crate]]\nname = {name:?}\ndescription = \"Types of {group}/{version}\"\n"
        );
        for file in files {
            let _ = write!(
                text,
                "\n[[crate.document]]\nfile = {file:?}\nprefix = {prefix:?}\nlist-unchecked = {}\n",
                !deny_unchecked
            );
        }
    }
    text + "\n[[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n"
}
