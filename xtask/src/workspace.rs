//! The root of the workspace, and files with errors that name them.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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

/// Reads a text file; what is not UTF-8 is an error too.
pub(crate) fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    only_files(path)?;
    fs::read_to_string(path).map_err(|e| error("can't read", path, &e))
}

/// Reads a file, if there is one.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    only_files(path)?;
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(error("can't read", path, &e)),
    }
}

/// Refuses what there is in place of a file. Nobody may ever write to a pipe, and reading it would
/// not end.
fn only_files(path: &Path) -> Result<(), Box<dyn Error>> {
    let Ok(found) = fs::metadata(path) else {
        return Ok(());
    };
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() {
        "a folder"
    } else {
        "not a regular file"
    };
    Err(format!(
        "error: can't read {}: it is {what}\n  help: put a file in its place",
        path.display()
    )
    .into())
}

/// An error about a file.
pub(crate) fn error(what: &str, path: &Path, error: &io::Error) -> Box<dyn Error> {
    format!("error: {what} {}: {error}", path.display()).into()
}
