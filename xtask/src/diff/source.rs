//! Where the documents of a release come from.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use codegen::diff::{Complete, Earlier, Knowledge, Snapshot};
use codegen::{Change, Release, Source};

use crate::inputs::{self, Found};
use crate::listed::Listed;
use crate::{verify, workspace};

/// What names a release on the command line.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// A folder of documents.
    Folder(PathBuf),
    /// A release that spec/ describes.
    Release(Release),
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = Path::new(text);
        if path.exists() {
            return Ok(Self::Folder(path.to_owned()));
        }
        text.parse().map(Self::Release).map_err(|_| {
            format!("`{text}` is neither a folder nor a release such as 1.37")
        })
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => path.display().fmt(f),
            Self::Release(release) => release.fmt(f),
        }
    }
}

impl Given {
    /// Reads the documents.
    pub(crate) fn read(
        &self,
        root: &Path,
        found: &Found,
        knowledge: &Knowledge<'_>,
    ) -> Result<Snapshot, Box<dyn Error>> {
        match self {
            Self::Folder(path) => folder(path),
            Self::Release(release) => own(*release, root, found, knowledge),
        }
    }
}

/// Documents of which one can say that they are all of a release: each has served these since 1.9.
const ALWAYS_SERVED: [&str; 2] = ["api__v1_openapi.json", "apis__apps__v1_openapi.json"];

/// Reads the documents of a folder.
fn folder(path: &Path) -> Result<Snapshot, Box<dyn Error>> {
    let mut documents = BTreeMap::new();
    let entries =
        std::fs::read_dir(path).map_err(|e| workspace::error("can't read", path, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| workspace::error("can't read", path, &e))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".json") {
            let text = workspace::read(&entry.path())?;
            documents
                .insert(name, Source::new(entry.path().display().to_string(), text));
        }
    }
    if documents.is_empty() {
        return Err(no_documents(path).into());
    }
    let mut snapshot = Snapshot::new("", inputs::release_of(path));
    for (name, source) in &documents {
        snapshot.add(name, source)?;
    }
    if ALWAYS_SERVED.iter().all(|name| documents.contains_key(*name)) {
        snapshot.complete = Complete::All;
    }
    snapshot.release = snapshot.release.or(snapshot.server_release());
    snapshot.name = snapshot
        .release
        .map_or_else(|| path.display().to_string(), |release| release.to_string());
    Ok(snapshot)
}

fn no_documents(path: &Path) -> String {
    let releases = inputs::releases_in(path).unwrap_or_default();
    let mut releases: Vec<_> =
        releases.iter().map(|(path, _)| path.display().to_string()).collect();
    releases.sort();
    let help = match releases.as_slice() {
        [] => {
            "give a folder of OpenAPI documents, such as `cargo xtask spec fetch` writes"
                .to_owned()
        }
        releases => format!("give one of {}", releases.join(", ")),
    };
    format!("error: {} has no OpenAPI documents\n  help: {help}", path.display())
}

/// What our own documents, their overlays and the list of differences say of a release.
fn own(
    release: Release,
    root: &Path,
    found: &Found,
    knowledge: &Knowledge<'_>,
) -> Result<Snapshot, Box<dyn Error>> {
    let schemas = verify::schemas(found)?;
    let listed = Listed::read(root, &schemas)?;
    let newest = knowledge.config.crates.iter().flat_map(|krate| &krate.documents);
    let newest = newest.map(codegen::DocumentConfig::described).max().unwrap_or(release);
    let oldest = listed.oldest().unwrap_or(newest);
    if release < oldest || release > newest {
        return Err(format!(
            "error: spec/ describes Kubernetes {oldest} to {newest}, not {release}\n  \
             help: give a folder of the documents of {release}; `cargo xtask spec fetch` gets them"
        )
        .into());
    }
    let mut snapshot = Snapshot::new(release.to_string(), Some(release));
    for document in verify::at_release(&found.config, release) {
        let Some(input) = found.inputs.documents.get(&document.path()) else {
            continue;
        };
        let mut earlier = Earlier::default();
        for expected in listed.expected(&document.path(), &schemas, (release, false)) {
            let parts = expected.at.parts().to_vec();
            match expected.change {
                Change::Added => earlier.lacks.push(parts),
                Change::Removed => earlier.has.push(parts),
                Change::Changed => earlier.changed.push(parts),
            }
        }
        snapshot
            .add_earlier(document, &input.source, knowledge, &earlier)
            .map_err(|errors| found.locate(errors))?;
    }
    Ok(snapshot)
}
