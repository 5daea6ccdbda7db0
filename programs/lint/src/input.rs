//! Which files are read, and their text.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::GlobSet;
use kubernetes_manifests::scheme::Syntax;

use crate::finding::{Finding, Subject};
use crate::told;

/// What a manifest's file name ends with.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Where manifests come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// Standard input.
    Standard,
    /// A file.
    File(PathBuf),
}

/// What the command line names.
#[derive(Debug, Default)]
pub struct Inputs {
    /// What is to be read, sorted and each file once.
    pub inputs: Vec<Input>,
    /// Files in folders that are no manifests by their names, and what is ignored.
    pub skipped: BTreeSet<PathBuf>,
    /// What can't be looked into, as sentences.
    pub failed: Vec<String>,
}

/// Finds the inputs that the command line names: standard input if it names none. Files and folders
/// that match a pattern are skipped.
#[must_use]
pub fn find(named: &[PathBuf], ignored: &[GlobSet]) -> Inputs {
    let is_ignored = |path: &Path| ignored.iter().any(|globs| globs.is_match(path));
    let mut found = Inputs::default();
    let mut inputs = BTreeSet::new();
    if named.is_empty() {
        inputs.insert(Input::Standard);
    }
    for path in named {
        if path.as_os_str() == "-" {
            inputs.insert(Input::Standard);
        } else if is_ignored(path) {
            found.skipped.insert(plain(path));
        } else if path.is_dir() {
            folder(path, &is_ignored, &mut inputs, &mut found);
        } else {
            inputs.insert(Input::File(path.clone()));
        }
    }
    // One file may be named in two ways, as itself and by its folder.
    let mut seen = HashSet::new();
    let is_new = |input: &Input| match input {
        Input::Standard => true,
        Input::File(path) => seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())),
    };
    found.inputs = inputs.into_iter().filter(is_new).collect();
    found
}

/// Adds the manifests of a folder and of those in it. Links to folders are not followed, so that
/// this ends.
fn folder(
    path: &Path,
    is_ignored: &dyn Fn(&Path) -> bool,
    inputs: &mut BTreeSet<Input>,
    found: &mut Inputs,
) {
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        let entries =
            fs::read_dir(&folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                found.failed.push(unreadable(&folder, &error));
                continue;
            }
        };
        for entry in entries {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_ignored(&plain(&path)) {
                found.skipped.insert(plain(&path));
            } else if is_folder {
                open.push(path);
            } else if is_manifest(&path) && !path.is_dir() {
                inputs.insert(Input::File(plain(&path)));
            } else {
                found.skipped.insert(plain(&path));
            }
        }
    }
}

/// A path below the current folder without its dot.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

fn is_manifest(path: &Path) -> bool {
    extension(path).is_some_and(|extension| EXTENSIONS.contains(&extension))
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{path}: there is no such file or folder; correct the name")
        }
        io::ErrorKind::PermissionDenied => {
            format!("{path}: reading is not permitted; change its permissions")
        }
        _ => format!("{path}: can't be read: {error}"),
    }
}

impl Input {
    /// What it is called in findings.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Standard => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// In which language it is written: JSON where the name says so.
    #[must_use]
    pub fn syntax(&self) -> Syntax {
        match self {
            Self::File(path) if extension(path) == Some("json") => Syntax::Json,
            _ => Syntax::JsonOrYaml,
        }
    }

    /// Its text, or that it is none.
    ///
    /// # Errors
    ///
    /// A sentence when it can't be read.
    pub fn read(&self) -> Result<Result<String, Box<Finding>>, String> {
        let mut bytes = Vec::new();
        match self {
            Self::Standard => {
                let read = io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| unreadable(Path::new(&self.name()), &error))?;
            }
            Self::File(path) => {
                bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
            }
        }
        Ok(String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..valid).unwrap_or_default();
            Box::new(self.not_text(before))
        }))
    }

    /// Its text, where nothing is made of findings.
    ///
    /// # Errors
    ///
    /// A sentence when it can't be read, or is no text.
    pub fn text(&self) -> Result<String, String> {
        self.read()?.map_err(|finding| {
            format!(
                "{}:{}: {}",
                finding.file, finding.line, finding.note.message
            )
        })
    }

    /// What follows `before` is no UTF-8.
    fn not_text(&self, before: &[u8]) -> Finding {
        Finding {
            file: self.name().into(),
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: None,
            subject: Arc::new(Subject {
                document: 1,
                ..Subject::default()
            }),
            note: told::not_text(),
        }
    }
}
