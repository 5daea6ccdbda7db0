//! The files that differ from a revision of git.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of a repository that differ.
pub(super) struct Changed {
    /// The folder of the repository.
    root: PathBuf,
    /// The files, and the folders that are repositories of their own, by their paths without links.
    paths: BTreeSet<PathBuf>,
}

impl Changed {
    /// Asks git which files of this repository differ from where a revision and this branch have
    /// parted, whether they are committed or not. Files that git ignores don't count.
    ///
    /// # Errors
    ///
    /// A message if there is no repository or no such revision.
    pub(super) fn since(revision: &str) -> Result<Self, String> {
        let root = text(git(None, &["rev-parse", "--show-toplevel"])?);
        let root = PathBuf::from(root.trim_end_matches(['\n', '\r']));
        let commit = format!("{revision}^{{commit}}");
        let verified = git(
            Some(&root),
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &commit,
            ],
        );
        let commit = verified.map_err(|_| {
            format!("git has no revision `{revision}`; fetch it, as with `fetch-depth: 0` in CI")
        })?;
        let commit = text(commit);
        let base = git(Some(&root), &["merge-base", commit.trim_end(), "HEAD"]).map_err(|_| {
            format!(
                "git knows no common ancestor of `{revision}` and HEAD; fetch more of the history, \
                 as with `fetch-depth: 0` in CI"
            )
        })?;
        let base = text(base);
        let differ = ["diff", "--name-only", "--no-renames", "-z", base.trim_end()];
        let new = ["ls-files", "--others", "--exclude-standard", "-z"];
        let names = [git(Some(&root), &differ)?, git(Some(&root), &new)?].concat();
        let names = names
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty());
        // A file that is gone has no path.
        let paths = names.filter_map(|name| fs::canonicalize(root.join(path(name))).ok());
        Ok(Self {
            paths: paths.collect(),
            root: fs::canonicalize(&root).unwrap_or(root),
        })
    }

    /// Returns true if a file differs. One outside of the repository always does, as nothing tells
    /// what it was, and one in a submodule does if the submodule does.
    pub(super) fn contains(&self, file: &Path) -> bool {
        let Ok(file) = fs::canonicalize(file) else {
            return false;
        };
        let mut above = file.ancestors();
        !file.starts_with(&self.root) || above.any(|path| self.paths.contains(path))
    }
}

/// Runs git in a folder and returns what it prints.
fn git(folder: Option<&Path>, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let output = command
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run git, which --diff-from asks: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("git: {}", text(output.stderr).trim_end())),
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the path that git prints.
#[cfg(unix)]
fn path(name: &[u8]) -> &Path {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    Path::new(OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
