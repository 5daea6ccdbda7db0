//! The search for manifests in files and folders.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder};
use schemars::JsonSchema;
use serde::Serialize;

use crate::input::{Input, has_extension, unreadable};
use crate::output::report;
use crate::text::counted;

/// The extensions of manifests, in any case.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The names of folders with the files of others.
const VENDORED: [&str; 3] = ["node_modules", "third_party", "vendor"];

/// The folders of version control, whose files are nobody's manifests.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// The files and folders to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a> {
    /// The files and folders that the command line names. `-` is standard input, and so are none.
    pub(crate) named: &'a [PathBuf],
    /// The patterns of paths that are skipped.
    pub(crate) ignored: &'a [GlobSet],
    /// Set if hidden and vendored files and those of `.gitignore` are read, too.
    pub(crate) everything: bool,
    /// The handling of links.
    pub(crate) links: Links,
}

/// The handling of links to files and folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// A file is read once, by whatever names it is found. Links to folders are not followed.
    Once,
    /// A file is read for each of its names, also those that it has by links to folders.
    Each,
}

/// The inputs that a command line names.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The inputs to read, sorted.
    pub(crate) inputs: Vec<Input>,
    /// Files in folders that have no manifest's extension or can't be followed, and files and
    /// folders that the command line ignores.
    pub(crate) skipped: BTreeSet<PathBuf>,
    /// Manifests and folders that are left out although nobody said so on the command line.
    pub(crate) left_out: BTreeMap<PathBuf, LeftOut>,
    /// The folders that can't be read, as error messages.
    pub(crate) failed: Vec<String>,
}

/// The reason why a search leaves out a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// Its name begins with a dot.
    Hidden,
    /// It is a folder with the files of others.
    Vendored,
    /// A `.gitignore` or `.ignore` names it.
    Ignored,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hidden => "hidden",
            Self::Vendored => "vendored",
            Self::Ignored => "ignored",
        })
    }
}

/// The numbers of files and folders that aren't read, shown as `, 3 files skipped, 1 hidden`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct NotRead {
    /// Files in folders that have no manifest's extension, and files and folders that the command
    /// line ignores.
    skipped: usize,
    /// Hidden files and folders.
    hidden: usize,
    /// Folders with the files of others.
    vendored: usize,
    /// Files and folders that a `.gitignore` or `.ignore` names.
    ignored: usize,
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (text, count) in [
            (counted(self.skipped, "file") + " skipped", self.skipped),
            (format!("{} hidden", self.hidden), self.hidden),
            (format!("{} vendored", self.vendored), self.vendored),
            (format!("{} ignored", self.ignored), self.ignored),
        ] {
            if count > 0 {
                write!(f, ", {text}")?;
            }
        }
        Ok(())
    }
}

impl Inputs {
    /// Counts what isn't read.
    pub(crate) fn not_read(&self) -> NotRead {
        let left_out = |reason| self.left_out.values().filter(|why| **why == reason).count();
        NotRead {
            skipped: self.skipped.len(),
            hidden: left_out(LeftOut::Hidden),
            vendored: left_out(LeftOut::Vendored),
            ignored: left_out(LeftOut::Ignored),
        }
    }

    /// Reports each file and folder that isn't read.
    pub(crate) fn report_not_read(&self) {
        for path in &self.skipped {
            report(&format!("skipped: {}", path.display()));
        }
        for (path, reason) in &self.left_out {
            report(&format!("{reason}: {}", path.display()));
        }
    }
}

impl Search<'_> {
    /// Finds the inputs.
    pub(crate) fn find(&self) -> Inputs {
        let mut found = Inputs::default();
        let mut inputs = BTreeSet::new();
        if self.named.is_empty() {
            inputs.insert(Input::Standard);
        }
        for path in self.named {
            if path.as_os_str() == "-" {
                inputs.insert(Input::Standard);
            } else if self.is_ignored(path) {
                found.skipped.insert(plain(path).to_owned());
            } else if path.is_dir() {
                self.folder(path, &mut inputs, &mut found);
            } else {
                inputs.insert(Input::File(path.clone()));
            }
        }
        // A file can be named twice, by itself and by its folder.
        let mut seen = HashSet::new();
        let mut is_new = |input: &Input| match (input, self.links) {
            (Input::Standard, _) => true,
            (Input::File(path), Links::Each) => seen.insert(plain(path).to_owned()),
            (Input::File(path), Links::Once) => {
                seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone()))
            }
        };
        found.inputs = inputs.into_iter().filter(|input| is_new(input)).collect();
        found
    }

    fn is_ignored(&self, path: &Path) -> bool {
        self.ignored.iter().any(|globs| globs.is_match(path))
    }

    /// Adds the manifests of a folder and its subfolders.
    fn folder(&self, root: &Path, inputs: &mut BTreeSet<Input>, found: &mut Inputs) {
        let (mut folders, mut seen) = (Vec::new(), HashSet::new());
        for entry in self.walk(root) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.failure(&error, &mut seen, found);
                    continue;
                }
            };
            let path = entry.path();
            // The type of a link that isn't followed is that of a link.
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if is_folder || entry.depth() == 0 {
                folders.push(path.to_owned());
            } else if is_manifest(path) && is_readable(path) {
                inputs.insert(Input::File(plain(path).to_owned()));
            } else {
                found.skipped.insert(plain(path).to_owned());
            }
            seen.insert(path.to_owned());
        }
        for folder in folders {
            self.left_out(&folder, &seen, found);
        }
    }

    /// Walks through a folder without what the user doesn't want to be read.
    fn walk(&self, root: &Path) -> ignore::Walk {
        let (ignored, everything) = (self.ignored.to_vec(), self.everything);
        WalkBuilder::new(root)
            .standard_filters(!everything)
            // The settings of a user must not change what a build finds.
            .git_global(false)
            .require_git(false)
            .follow_links(self.links == Links::Each)
            .filter_entry(move |entry| {
                let path = plain(entry.path());
                let is_ignored = || ignored.iter().any(|globs| globs.is_match(path));
                let is_left_out = || !everything && is_vendored(entry) || is_version_control(entry);
                entry.depth() == 0 || !(is_ignored() || is_left_out())
            })
            .build()
    }

    /// Adds what walking through a folder has left out.
    fn left_out(&self, folder: &Path, seen: &HashSet<PathBuf>, found: &mut Inputs) {
        // A folder that can't be read has been reported.
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| !seen.contains(&entry.path())) {
            let (path, name) = (entry.path(), entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if self.is_ignored(plain(&path)) {
                found.skipped.insert(plain(&path).to_owned());
            } else if is_any(&name, &VERSION_CONTROL) {
            } else if is_folder || is_manifest(&path) {
                let reason = match name.as_encoded_bytes().first() {
                    Some(b'.') => LeftOut::Hidden,
                    _ if is_any(&name, &VENDORED) => LeftOut::Vendored,
                    _ => LeftOut::Ignored,
                };
                found.left_out.insert(plain(&path).to_owned(), reason);
            }
        }
    }

    /// Reports what can't be walked through.
    fn failure(&self, error: &ignore::Error, seen: &mut HashSet<PathBuf>, found: &mut Inputs) {
        let Some(path) = path_of(error) else {
            found.failed.push(error.to_string());
            return;
        };
        seen.insert(path.to_owned());
        // A link that leads nowhere, or back to its own folder, matters only if it is a manifest.
        let is_link = fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
        if self.is_ignored(plain(path)) || is_link && !is_manifest(path) {
            found.skipped.insert(plain(path).to_owned());
            return;
        }
        found.failed.push(match error.io_error() {
            Some(error) => unreadable(plain(path), error),
            None => error.to_string(),
        });
    }
}

/// The path that an error is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// Returns a path without a leading `./`.
pub(crate) fn plain(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}

/// Returns the absolute path of the folder that a file is in, without links.
pub(crate) fn folder_of(path: &Path) -> io::Result<PathBuf> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    fs::canonicalize(folder.unwrap_or(Path::new(".")))
}

fn is_any(name: &OsStr, known: &[&str]) -> bool {
    known.iter().any(|known| name == *known)
}

fn is_vendored(entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    is_folder && is_any(entry.file_name(), &VENDORED)
}

fn is_version_control(entry: &DirEntry) -> bool {
    is_any(entry.file_name(), &VERSION_CONTROL)
}

fn is_manifest(path: &Path) -> bool {
    let is = |known: &&str| has_extension(path, known);
    EXTENSIONS.iter().any(is)
}

/// Returns true for files, and for what can't be read, which is reported later. A pipe is read only
/// if it is named: nobody may write to it.
fn is_readable(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |about| about.is_file())
}

/// Parses a pattern of paths: `*` doesn't match a slash, `**` does.
pub(crate) fn pattern(text: &str) -> Result<GlobSet, String> {
    let glob = |text: &str| {
        GlobBuilder::new(text)
            .literal_separator(true)
            .build()
            .map_err(|error| error.kind().to_string())
    };
    let text = text.trim_start_matches("./").trim_end_matches('/');
    let mut set = GlobSetBuilder::new();
    set.add(glob(&format!("**/{text}"))?)
        .add(glob(&format!("**/{text}/**"))?);
    set.build().map_err(|error| error.kind().to_string())
}
