//! Writes files atomically.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Replaces a file. A symbolic link is kept, and its target replaced.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let real = fs::canonicalize(path).map_err(|error| at(path, &error))?;
    write(&real, &real, text)
}

/// Writes a file to a folder, with the path that it has in one of the `named` folders.
pub(super) fn copy(named: &[PathBuf], path: &Path, folder: &Path, text: &str) -> io::Result<()> {
    let below = named
        .iter()
        .filter(|root| root.is_dir())
        .filter_map(|root| {
            path.strip_prefix(root.strip_prefix(".").unwrap_or(root))
                .ok()
        });
    let name = path.file_name().map(Path::new).unwrap_or(path);
    let inside = below
        .min_by_key(|inside| inside.components().count())
        .unwrap_or(name);
    write(&folder.join(inside), path, text)
}

/// Writes a file with the permissions of another; creates its folder if necessary.
fn write(target: &Path, like: &Path, text: &str) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let write = || {
        fs::create_dir_all(folder)?;
        // In the same folder, so that renaming it is atomic.
        let mut new = NamedTempFile::new_in(folder)?;
        new.write_all(text.as_bytes())?;
        new.as_file()
            .set_permissions(fs::metadata(like)?.permissions())?;
        new.persist(target).map(drop).map_err(|error| error.error)
    };
    write().map_err(|error| at(target, &error))
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{}: cannot write: {error}", path.display()),
    )
}
