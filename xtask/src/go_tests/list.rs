//! A list: the test functions of a Go module, with our tests or reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use serde::Deserialize;

use crate::upstream::Pin;

/// The test functions of a module, by file and name.
pub(super) struct List {
    /// The path of the list from the root of the workspace.
    pub(super) file: String,
    pub(super) module: Module,
    files: BTreeMap<String, BTreeMap<String, Entry>>,
}

/// The text of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    module: Module,
    /// By path from the folder of the module.
    file: BTreeMap<String, BTreeMap<String, Entry>>,
}

/// A version of a Go module.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Module {
    path: String,
    version: String,
    /// The checksum of the module, as in go.sum.
    sum: String,
    /// The folder of the module whose tests are listed; all of it if empty.
    #[serde(default)]
    pub(super) folder: String,
    /// The package of tests that are named without one.
    package: String,
}

/// What there is for a test function.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "write a reason, a list of our tests, { tests, left-out, missing }, or \
                 { reason, functions }"
)]
pub(super) enum Entry {
    /// Why there is no test.
    Reason(String),
    /// Our tests.
    Tests(Vec<String>),
    Rows(Rows),
    Group(Group),
}

/// A function whose rows, or parts, have not all a test.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Rows {
    #[serde(default)]
    pub(super) tests: Vec<String>,
    /// Rows without a test, each with the reason.
    #[serde(default)]
    left_out: Vec<String>,
    /// Rows that have no test yet.
    #[serde(default)]
    pub(super) missing: Vec<String>,
}

/// Functions without tests, for one reason. Its name in the list has no meaning.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    reason: String,
    functions: Vec<String>,
}

impl Module {
    pub(super) fn pin<'a>(&'a self, file: &'a str) -> Pin<'a> {
        Pin {
            path: &self.path,
            version: &self.version,
            sum: &self.sum,
            file,
        }
    }
}

impl List {
    /// Reads the text of a list.
    pub(super) fn parse(file: String, text: &str) -> Result<Self, Box<dyn Error>> {
        let Text {
            module,
            file: files,
        } = toml::from_str(text).map_err(|e| format!("error: {file}: {e}"))?;
        Ok(Self {
            file,
            module,
            files,
        })
    }

    /// Returns each function with its file and entry.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&str, &str, &Entry)> {
        self.entries().flat_map(|(file, name, entry)| {
            let names = match entry {
                Entry::Group(group) => group.functions.iter().map(String::as_str).collect(),
                _ => vec![name],
            };
            names.into_iter().map(move |name| (file, name, entry))
        })
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &str, &Entry)> {
        self.files.iter().flat_map(|(file, entries)| {
            let entries = entries.iter();
            entries.map(move |(name, entry)| (file.as_str(), name.as_str(), entry))
        })
    }

    /// Returns the place, package and path of each of our tests that is named.
    pub(super) fn tests(&self) -> impl Iterator<Item = (String, &str, &str)> {
        self.entries().flat_map(move |(file, name, entry)| {
            let tests = match entry {
                Entry::Tests(tests) | Entry::Rows(Rows { tests, .. }) => tests.as_slice(),
                _ => &[],
            };
            tests.iter().map(move |test| {
                let (package, path) = match test.split_once(' ') {
                    Some((package, path)) => (package, path),
                    None => (self.module.package.as_str(), test.as_str()),
                };
                (self.place(file, name), package, path)
            })
        })
    }

    /// Names an entry for errors.
    fn place(&self, file: &str, name: &str) -> String {
        format!("{}: {file}: {name}", self.file)
    }

    /// Reports entries that say nothing, or the same function twice.
    pub(super) fn check(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let mut seen = BTreeSet::new();
        for (file, name, entry) in self.functions() {
            let place = self.place(file, name);
            if !seen.insert((file, name)) {
                errors.push(format!(
                    "error: {place}: it has two entries\n  help: delete one"
                ));
            }
            if entry.is_empty() {
                errors.push(format!(
                    "error: {place}: the entry names no test and no reason\n  help: name our tests, or \
                     say why there are none"
                ));
            }
        }
        errors
    }

    /// Reports functions of the module without an entry, and entries without a function.
    pub(super) fn compare(&self, functions: &BTreeSet<(String, String)>) -> Vec<String> {
        let pin = self.module.pin(&self.file);
        let listed: BTreeSet<_> = self
            .functions()
            .map(|(file, name, _)| (file.to_owned(), name.to_owned()))
            .collect();
        let unlisted = functions.difference(&listed).map(|(file, name)| {
            format!(
                "error: {}: {file} of {pin} has the test function {name}, which has no entry\n  help: \
                 name our tests for it under [file.\"{file}\"], or the reason why there are none",
                self.file
            )
        });
        let gone = listed.difference(functions).map(|(file, name)| {
            format!(
                "error: {}: {pin} has no test function of this name\n  help: delete the entry, or move it \
                 to the function's new file or name",
                self.place(file, name)
            )
        });
        unlisted.chain(gone).collect()
    }
}

impl Entry {
    fn is_empty(&self) -> bool {
        let is_blank = |text: &String| text.trim().is_empty();
        match self {
            Self::Reason(reason) => is_blank(reason),
            Self::Tests(tests) => tests.is_empty(),
            Self::Rows(rows) => {
                let texts = [&rows.left_out, &rows.missing];
                rows.tests.is_empty() && rows.missing.is_empty()
                    || texts.into_iter().flatten().any(is_blank)
            }
            Self::Group(group) => is_blank(&group.reason),
        }
    }
}
