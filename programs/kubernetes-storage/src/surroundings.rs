//! The roles of files, as the files around them tell.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kubernetes_manifests::scheme::{Scheme, Syntax};
use serde_json::Value;

use crate::input::Input;
use crate::lint::Note;
use crate::search::folder_of;

/// The names of a kustomization.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The lists of a kustomization with patches, or with the rules of changes.
const PATCHES: [&str; 4] = [
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
];

/// The files that chainsaw and kuttl find their tests by.
const TESTS: [&str; 5] = [
    "chainsaw-test.yaml",
    "chainsaw-test.yml",
    ".chainsaw-test.yaml",
    "kuttl-test.yaml",
    "kuttl-test.yml",
];

/// The tools, in the names of folders with their tests.
const TOOLS: [&str; 2] = ["chainsaw", "kuttl"];

/// The name of the folders in which programs in Go have the data of their tests.
const DATA: &str = "testdata";

/// The words in the names of files to whose objects a test compares those of a cluster.
const ASSERTED: [&str; 6] = [
    "assert",
    "assertion",
    "assertions",
    "asserts",
    "error",
    "errors",
];

/// The most folders above a file in which a file may say something of it.
const ABOVE: usize = 4;

/// The role of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Manifests.
    Manifests,
    /// Manifests of a test, which can have only some fields of objects that are there already.
    Partial,
    /// No manifests, for a reason.
    Left(Note),
}

/// Finds what files are, by their surroundings. It can be asked by many threads.
#[derive(Default)]
pub(crate) struct Surroundings {
    folders: Mutex<HashMap<PathBuf, Arc<Folder>>>,
    /// The patches of kustomizations that are read as well.
    patches: HashSet<PathBuf>,
}

/// The hints in a folder about files in it and below.
#[derive(Default)]
struct Folder {
    /// The files that its kustomization names as patches.
    patches: HashSet<PathBuf>,
    /// True if it belongs to a test of chainsaw or kuttl.
    is_test: bool,
}

impl Surroundings {
    /// Reads the kustomizations among inputs, which can have patches anywhere.
    pub(crate) fn of(inputs: &[Input]) -> Self {
        let mut surroundings = Self::default();
        let kustomizations = inputs.iter().filter_map(|input| match input {
            Input::File(path) if KUSTOMIZATIONS.iter().any(|name| path.ends_with(name)) => {
                folder_of(path).ok()
            }
            _ => None,
        });
        let folders = kustomizations.map(|folder| surroundings.folder(&folder));
        surroundings.patches = folders.flat_map(|folder| folder.patches.clone()).collect();
        surroundings
    }

    /// Returns what an input is.
    pub(crate) fn role_of(&self, input: &Input) -> Role {
        match input {
            Input::File(path) => self.role(path),
            Input::Standard => Role::Manifests,
        }
    }

    fn role(&self, path: &Path) -> Role {
        let (Ok(folder), Some(name)) = (folder_of(path), path.file_name()) else {
            return Role::Manifests;
        };
        let file = folder.join(name);
        let above = folder.ancestors().take(ABOVE);
        let above: Vec<_> = above.map(|folder| self.folder(folder)).collect();
        let is_patch = |folder: &Arc<Folder>| folder.patches.contains(&file);
        if self.patches.contains(&file) || above.iter().any(is_patch) {
            return Role::Left(Note::Patch);
        }
        let is_of_tool = above.iter().any(|folder| folder.is_test);
        let mut names = folder.ancestors().take(ABOVE);
        let is_of_test = is_of_tool || names.any(|folder| has_word(folder, "test"));
        if is_of_test && is_asserted(name) {
            return Role::Left(Note::Assertion);
        }
        let mut above = folder.ancestors().take(ABOVE);
        match is_of_tool || above.any(|folder| folder.ends_with(DATA)) {
            true => Role::Partial,
            false => Role::Manifests,
        }
    }

    fn folder(&self, path: &Path) -> Arc<Folder> {
        let known = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = known().get(path) {
            return Arc::clone(folder);
        }
        let folder = Arc::new(Folder {
            patches: patches(path),
            is_test: is_test(path),
        });
        known().insert(path.to_owned(), Arc::clone(&folder));
        folder
    }
}

/// Returns true if a test of chainsaw or kuttl is in a folder, or those of one of them are.
fn is_test(folder: &Path) -> bool {
    if TOOLS.iter().any(|tool| has_word(folder, tool)) {
        return true;
    }
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = names.map(|entry| entry.file_name());
    names.any(|name| TESTS.iter().any(|test| name == *test) || is_step(&name))
}

/// Returns true if the name of a folder has a word in it, in any case.
fn has_word(folder: &Path, word: &str) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.to_lowercase().contains(word)
}

/// Returns true for the assertions in a step of kuttl, such as `01-assert.yaml`.
fn is_step(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let step = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = step
        .strip_prefix("-assert")
        .or_else(|| step.strip_prefix("-errors"));
    step.len() < name.len() && rest.is_some_and(|rest| [".yaml", ".yml"].contains(&rest))
}

/// Returns true if a name says that a test compares objects with those of the file.
fn is_asserted(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ASSERTED.contains(&word))
}

/// Returns the files that the kustomization of a folder names as patches.
fn patches(folder: &Path) -> HashSet<PathBuf> {
    let read = |name: &&str| fs::read_to_string(folder.join(name)).ok();
    let Some(text) = KUSTOMIZATIONS.iter().find_map(read) else {
        return HashSet::new();
    };
    let scheme = Scheme::new();
    let parts = scheme.decode_each(&text, Syntax::JsonOrYaml);
    let documents: Vec<_> = parts.filter_map(|part| part.document()).collect();
    let entries = documents.iter().flat_map(|document| {
        let lists = PATCHES
            .iter()
            .filter_map(|list| document.get(*list)?.as_array());
        lists.flatten()
    });
    // A patch is a path, has one, or is there as a whole.
    let paths = entries.filter_map(|entry| match entry {
        Value::String(path) => Some(path.as_str()),
        entry => entry.get("path")?.as_str(),
    });
    paths
        .filter_map(|path| fs::canonicalize(folder.join(path)).ok())
        .collect()
}
