//! Counts of folders, words, long files, test binaries and unit tests that are never built.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::modules::Crate;
use super::{Count, as_number};
use crate::sources::{File, Sources};
use crate::workspace;

/// Counts the folders at the root. Those of tools are hidden, and what is built isn't part of it.
pub(super) fn folders(root: &Path) -> Result<Count, Box<dyn Error>> {
    let report = |e| workspace::error("can't read", root, &e);
    let mut places = Vec::new();
    for entry in fs::read_dir(root).map_err(report)? {
        let entry = entry.map_err(report)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && !name.starts_with('.') && name != "target" {
            places.push(name);
        }
    }
    places.sort();
    Ok(Count::of(
        "folders at the root, without hidden ones",
        16,
        places,
    ))
}

/// Counts the words of ARCHITECTURE.md.
pub(super) fn words(root: &Path) -> Result<Count, Box<dyn Error>> {
    let text = workspace::read(&root.join("ARCHITECTURE.md"))?;
    Ok(Count {
        name: "words of ARCHITECTURE.md",
        value: as_number(text.split_whitespace().count()),
        limit: 1800.0,
        unit: "",
        places: Vec::new(),
    })
}

/// The longest a hand-written file may be.
const MAX_LINES: usize = 500;

/// Counts the hand-written files that are too long to read.
pub(super) fn long_files(sources: &Sources) -> Count {
    let mut places = Vec::new();
    let written = |file: &&File| !codegen::is_generated(&file.text);
    for file in sources.files.iter().filter(written) {
        let lines = file.text.lines().count();
        if lines > MAX_LINES {
            places.push(format!("{}: {lines} lines", file.path));
        }
    }
    Count::of("hand-written files over 500 lines", 0, places)
}

/// Counts the programs that integration tests are linked into.
pub(super) fn test_binaries(sources: &Sources) -> Count {
    let targets = sources.packages.iter().flat_map(|package| &package.targets);
    let tests = targets.filter(|target| target.kind.iter().any(|kind| kind == "test"));
    let mut places: Vec<_> = tests
        .map(|target| format!("{}: {}", target.src_path.display(), target.name))
        .collect();
    places.sort();
    Count::of("integration-test binaries", 35, places)
}

/// Counts the files with unit tests in libraries and programs with `test = false`.
pub(super) fn unbuilt_tests(sources: &Sources) -> Result<Count, Box<dyn Error>> {
    let mut places = Vec::new();
    let targets = sources.packages.iter().flat_map(|package| &package.targets);
    for target in targets.filter(|target| target.is_code() && !target.test) {
        let krate = Crate::read(sources, &target.src_path)?;
        let name = &target.name;
        places.extend(
            krate
                .tested()
                .map(|file| format!("{file}: `{name}` has `test = false`")),
        );
    }
    Ok(Count::of("files with tests that never run", 0, places))
}
