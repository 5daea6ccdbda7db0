//! Writes files atomically.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// Replaces a file. A symbolic link is kept, and its target replaced.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let real = fs::canonicalize(path).map_err(|error| at(path, &error))?;
    let (target, like) = (real.as_path(), real.as_path());
    let staged = stage(&Copy { target, like, text });
    let written = staged.and_then(|staged| persist(target, staged));
    written.map_err(|error| at(path, &error))
}

/// A file of an output folder.
pub(super) struct Copy<'a> {
    pub(super) target: &'a Path,
    /// The file whose permissions it gets.
    pub(super) like: &'a Path,
    pub(super) text: &'a str,
}

/// Writes files, and returns the result of each. None of them has its name before all of them are
/// written.
///
/// # Errors
///
/// When some can't be written, with the error of each of these. No file and no folder is new then.
pub(super) fn all(copies: &[Copy<'_>]) -> Result<Vec<io::Result<()>>, Vec<io::Error>> {
    let (mut staged, mut errors, mut folders) = (Vec::new(), Vec::new(), Vec::new());
    for copy in copies {
        let folder = folder_of(copy.target);
        let missing = folder.ancestors().take_while(|folder| !folder.exists());
        // The inner folders are removed first.
        folders.splice(0..0, missing.map(Path::to_owned));
        match fs::create_dir_all(folder).and_then(|()| stage(copy)) {
            Ok(file) => staged.push((copy.target, file)),
            Err(error) => errors.push(at(copy.target, &error)),
        }
    }
    if !errors.is_empty() {
        drop(staged);
        folders.iter().for_each(remove_empty);
        return Err(errors);
    }
    let persist = |(target, file)| persist(target, file).map_err(|error| at(target, &error));
    Ok(staged.into_iter().map(persist).collect())
}

fn folder_of(target: &Path) -> &Path {
    target.parent().unwrap_or(Path::new("."))
}

/// Removes a folder that this run may have created. One that it hasn't, or that is in use, stays.
fn remove_empty(folder: &PathBuf) {
    let _ = fs::remove_dir(folder);
}

/// Writes a file beside its place.
fn stage(copy: &Copy<'_>) -> io::Result<TempPath> {
    // In the same folder, so that renaming it is atomic.
    let mut new = NamedTempFile::new_in(folder_of(copy.target))?;
    new.write_all(copy.text.as_bytes())?;
    new.as_file()
        .set_permissions(fs::metadata(copy.like)?.permissions())?;
    Ok(new.into_temp_path())
}

fn persist(target: &Path, staged: TempPath) -> io::Result<()> {
    staged.persist(target).map_err(|failure| failure.error)
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{}: cannot write: {error}", path.display()),
    )
}
