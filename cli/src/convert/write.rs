//! Files that are written as a whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Writes a file anew. A link stays one, and permissions stay what they are.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let named = |error| at(path, &error);
    let path = fs::canonicalize(path).map_err(named)?;
    let permissions = fs::metadata(&path).map_err(named)?.permissions();
    let mut new = beside(&path).map_err(named)?;
    new.write_all(text.as_bytes()).map_err(named)?;
    new.as_file().set_permissions(permissions).map_err(named)?;
    new.persist(&path).map(drop).map_err(|error| at(&path, &error.error))
}

/// Writes a file to a folder, under the name that it has in the folder that was named.
pub(super) fn copy(
    named: &[PathBuf],
    path: &Path,
    folder: &Path,
    text: &str,
) -> io::Result<()> {
    let below = named.iter().filter(|root| root.is_dir()).filter_map(|root| {
        path.strip_prefix(root.strip_prefix(".").unwrap_or(root)).ok()
    });
    let name = path.file_name().map(Path::new).unwrap_or(path);
    let inside = below.min_by_key(|inside| inside.components().count()).unwrap_or(name);
    let target = folder.join(inside);
    let report = |error| at(&target, &error);
    let parent = target.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(report)?;
    let mut new = NamedTempFile::new_in(parent).map_err(report)?;
    new.write_all(text.as_bytes()).map_err(report)?;
    let permissions = fs::metadata(path).map_err(report)?.permissions();
    new.as_file().set_permissions(permissions).map_err(report)?;
    new.persist(&target).map(drop).map_err(|error| at(&target, &error.error))
}

/// A new file in the folder of another, so that it can take its place at once.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{}: can't be written: {error}", path.display()),
    )
}
