//! The sources of the documents of a release.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use codegen::diff::{Earlier, Knowledge, Snapshot};
use codegen::{DifferenceKind, Release};

use crate::differences::Differences;
use crate::fetch::{self, Origin};
use crate::inputs::Found;
use crate::spec;

/// A release as it is given on the command line.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// Documents from elsewhere.
    Documents(Origin),
    /// A release that spec/ describes.
    Release(Release),
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(origin) = text.parse() {
            return Ok(Self::Documents(origin));
        }
        text.parse().map(Self::Release).map_err(|_| {
            format!(
                "`{text}` is neither a folder, nor a release such as 1.37, nor a URL, nor `cluster`"
            )
        })
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Documents(origin) => origin.fmt(f),
            Self::Release(release) => release.fmt(f),
        }
    }
}

impl Given {
    /// Reads the documents of some or all groups.
    pub(crate) fn read(
        &self,
        root: &Path,
        found: &Found,
        knowledge: &Knowledge<'_>,
        groups: &[String],
    ) -> Result<Snapshot, Box<dyn Error>> {
        let origin = match self {
            Self::Release(release) => return own(*release, root, found, knowledge),
            Self::Documents(origin) => origin,
        };
        // A folder is read as a whole, and its files may have any names.
        let groups = if let Origin::Folder(_) = origin {
            &[]
        } else {
            groups
        };
        let mut snapshot = fetch::read(origin, groups)?.snapshot;
        if let Some(release) = snapshot.release {
            snapshot.name = release.to_string();
        }
        Ok(snapshot)
    }
}

/// Returns the state of our own documents at a release, by their overlays and the list of
/// differences.
fn own(
    release: Release,
    root: &Path,
    found: &Found,
    knowledge: &Knowledge<'_>,
) -> Result<Snapshot, Box<dyn Error>> {
    let schemas = spec::schemas(found)?;
    let listed = Differences::read(root, &schemas)?;
    let newest = knowledge
        .config
        .crates
        .iter()
        .flat_map(|krate| &krate.documents);
    let newest = newest
        .map(codegen::DocumentConfig::described)
        .max()
        .unwrap_or(release);
    let oldest = listed.oldest().unwrap_or(newest);
    if release < oldest || release > newest {
        return Err(format!(
            "error: spec/ describes Kubernetes {oldest} to {newest}, not {release}\n  \
             help: give a folder of the documents of {release}; `cargo xtask spec fetch` gets them"
        )
        .into());
    }
    let mut snapshot = Snapshot::new(release.to_string(), Some(release));
    for document in spec::at_release(&found.config, release) {
        let Some(input) = found.inputs.documents.get(&document.path()) else {
            continue;
        };
        let mut earlier = Earlier::default();
        for expected in listed.expected(&document.path(), &schemas, (release, false)) {
            let parts = expected.at.parts().to_vec();
            match expected.change {
                DifferenceKind::Added => earlier.lacks.push(parts),
                DifferenceKind::Removed => earlier.has.push(parts),
                DifferenceKind::Changed => earlier.changed.push(parts),
            }
        }
        snapshot
            .add_earlier(document, &input.source, knowledge, &earlier)
            .map_err(|errors| found.locate(errors))?;
    }
    Ok(snapshot)
}
