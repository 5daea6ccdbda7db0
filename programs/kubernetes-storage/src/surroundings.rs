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
use crate::search::{Inputs, folder_of};

/// The names of a kustomization.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The lists of a kustomization with patches, or with the rules of changes.
const PATCHES: [&str; 4] = [
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
];

/// The files that chainsaw finds its tests by, which are in their folders.
const TESTS: [&str; 3] = [
    "chainsaw-test.yaml",
    "chainsaw-test.yml",
    ".chainsaw-test.yaml",
];

/// The files in which kuttl is told the folders of its tests.
const SUITES: [&str; 2] = ["kuttl-test.yaml", "kuttl-test.yml"];

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
    /// The folders that its suite of kuttl names.
    suites: Vec<PathBuf>,
    /// True if it belongs to a test of chainsaw or kuttl.
    is_of_tool: bool,
    /// True if it has the data of tests, as its name tells.
    is_data: bool,
    /// True if its name says that it belongs to tests.
    is_of_tests: bool,
    /// True if it is the root of a repository: its name, and what is above, say nothing of files.
    is_root: bool,
}

impl Surroundings {
    /// Reads the kustomizations among what a search has found, which can have patches anywhere.
    pub(crate) fn of(found: &Inputs) -> Self {
        let mut surroundings = Self::default();
        let inputs = found.inputs.iter().filter_map(Input::path);
        // One of the names has no extension of a manifest.
        let files = inputs.chain(found.skipped.iter().map(PathBuf::as_path));
        let is_any = |path: &&Path| KUSTOMIZATIONS.iter().any(|name| path.ends_with(name));
        let kustomizations = files.filter(is_any).filter_map(|path| folder_of(path).ok());
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
        // A link is what it leads to.
        let file = fs::canonicalize(path).unwrap_or_else(|_| folder.join(name));
        let above = self.above(&folder);
        let is_patch = |folder: &Arc<Folder>| folder.patches.contains(&file);
        if self.patches.contains(&file) || above.iter().any(is_patch) {
            return Role::Left(Note::Patch);
        }
        let is_in_suite =
            |above: &Arc<Folder>| above.suites.iter().any(|suite| folder.starts_with(suite));
        let is_of_tool = above
            .iter()
            .any(|above| above.is_of_tool || is_in_suite(above));
        let is_of_tests = is_of_tool || above.iter().any(|above| above.is_of_tests);
        if is_of_tests && is_asserted(name) {
            return Role::Left(Note::Assertion);
        }
        match is_of_tool || above.iter().any(|above| above.is_data) {
            true => Role::Partial,
            false => Role::Manifests,
        }
    }

    /// Returns a folder and those above it, as far as they say something of files in it.
    fn above(&self, folder: &Path) -> Vec<Arc<Folder>> {
        let mut found = Vec::new();
        for path in folder.ancestors().take(ABOVE) {
            let folder = self.folder(path);
            let is_root = folder.is_root;
            found.push(folder);
            if is_root {
                break;
            }
        }
        found
    }

    fn folder(&self, path: &Path) -> Arc<Folder> {
        let known = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = known().get(path) {
            return Arc::clone(folder);
        }
        let folder = Arc::new(Folder::read(path));
        known().insert(path.to_owned(), Arc::clone(&folder));
        folder
    }
}

impl Folder {
    fn read(path: &Path) -> Self {
        let is_root = path.join(".git").exists();
        let name = path.file_name().filter(|_| !is_root).unwrap_or_default();
        let name = name.to_string_lossy().to_lowercase();
        Self {
            patches: patches(path),
            suites: suites(path),
            is_of_tool: TOOLS.iter().any(|tool| name.contains(tool)) || has_test(path),
            is_data: name == DATA,
            is_of_tests: is_of_tests(&name),
            is_root,
        }
    }
}

/// Returns true if a test of chainsaw or kuttl is in a folder.
fn has_test(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = names.map(|entry| entry.file_name());
    names.any(|name| TESTS.iter().any(|test| name == *test) || is_step(&name))
}

/// Returns true if a word in the name of a folder is about tests, as in `e2e-tests` and `testing`,
/// but not in `latest`.
fn is_of_tests(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word.starts_with("test") || word.ends_with("tests") || word == "e2etest")
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

/// Returns the documents of the first file with one of the names in a folder.
fn documents(folder: &Path, names: &[&str]) -> Vec<Value> {
    let read = |name: &&str| fs::read_to_string(folder.join(name)).ok();
    let Some(text) = names.iter().find_map(read) else {
        return Vec::new();
    };
    let scheme = Scheme::new();
    let parts = scheme.decode_each(&text, Syntax::JsonOrYaml);
    parts.filter_map(|part| part.document()).collect()
}

/// Returns the folders of tests that the suite of kuttl in a folder names.
fn suites(folder: &Path) -> Vec<PathBuf> {
    let documents = documents(folder, &SUITES);
    let lists = documents
        .iter()
        .filter_map(|document| document.get("testDirs")?.as_array());
    let paths = lists.flatten().filter_map(Value::as_str);
    paths
        .filter_map(|path| fs::canonicalize(folder.join(path)).ok())
        .collect()
}

/// Returns the files that the kustomization of a folder names as patches.
fn patches(folder: &Path) -> HashSet<PathBuf> {
    let documents = documents(folder, &KUSTOMIZATIONS);
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
