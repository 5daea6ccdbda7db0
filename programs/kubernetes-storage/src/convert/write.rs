//! Writes files atomically.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

/// Replaces a file. A symbolic link is kept, and its target replaced.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let real = fs::canonicalize(path).map_err(|error| at(path, &error))?;
    let (target, like) = (real.as_path(), real.as_path());
    all(&[Copy { target, like, text }])
}

/// A file of an output folder.
pub(super) struct Copy<'a> {
    pub(super) target: &'a Path,
    /// The file whose permissions it gets.
    pub(super) like: &'a Path,
    pub(super) text: &'a str,
}

/// Writes files. None of them has its name before all of them are written.
pub(super) fn all(copies: &[Copy<'_>]) -> io::Result<()> {
    let staged: Vec<_> = copies.iter().map(stage).collect::<Result<_, _>>()?;
    copies
        .iter()
        .zip(staged)
        .try_for_each(|(copy, staged)| persist(copy.target, staged))
}

/// Writes a file beside its place.
fn stage(copy: &Copy<'_>) -> io::Result<TempPath> {
    let stage = || {
        let folder = copy.target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        // In the same folder, so that renaming it is atomic.
        let mut new = NamedTempFile::new_in(folder)?;
        new.write_all(copy.text.as_bytes())?;
        new.as_file()
            .set_permissions(fs::metadata(copy.like)?.permissions())?;
        Ok(new.into_temp_path())
    };
    stage().map_err(|error| at(copy.target, &error))
}

fn persist(target: &Path, staged: TempPath) -> io::Result<()> {
    let moved = staged.persist(target);
    moved.map_err(|failure| at(target, &failure.error))
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{}: cannot write: {error}", path.display()),
    )
}
