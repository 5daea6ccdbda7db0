//! Files, with errors that name them.

use std::error::Error;
use std::path::Path;
use std::{fs, io};

/// Reads a text file.
///
/// # Errors
///
/// It can't be read, is no file, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    only_files(path)?;
    fs::read_to_string(path).map_err(|e| error("can't read", path, &e))
}

/// Reads a file, if there is one.
///
/// # Errors
///
/// It can't be read, or is no file.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
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
pub fn error(what: &str, path: &Path, error: &io::Error) -> Box<dyn Error> {
    format!("error: {what} {}: {error}", path.display()).into()
}
