//! The root of the workspace, and files with errors that name them.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

pub(crate) use kubernetes_crdgen::files::{error, read, read_if_there};

/// The configuration file, which marks the root of the workspace.
pub(crate) const CONFIG: &str = "codegen.toml";

/// The nearest folder from here upwards that holds the configuration.
pub(crate) fn root() -> Result<PathBuf, Box<dyn Error>> {
    let here = std::env::current_dir().map_err(|e| format!("no current folder: {e}"))?;
    let root = here
        .ancestors()
        .find(|folder| folder.join(CONFIG).is_file());
    root.map(Path::to_owned).ok_or_else(|| {
        format!(
            "error: no {CONFIG} in {} or above\n  help: run this inside the workspace",
            here.display()
        )
        .into()
    })
}

/// The paths of all files in a folder and below it, sorted.
pub(crate) fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, Box<dyn Error>> {
    let report = |e| error("can't read", folder, &e);
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(report)? {
        let entry = entry.map_err(report)?;
        let path = entry.path();
        // Not that of a link's target, which may be a folder above.
        match entry.file_type().map_err(report)?.is_dir() {
            true => found.extend(files(&path)?),
            false => drop(found.insert(path)),
        }
    }
    Ok(found)
}

/// A path from a folder on, with `/` between its parts.
pub(crate) fn relative(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    path.display().to_string().replace('\\', "/")
}
