//! `cargo xtask upstream`: Kubernetes' documents and fixtures, from Go modules.

mod copy;
mod list;
pub(crate) mod modules;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cache::{Locked, Place};
use crate::workspace;

use list::{FILE, List, Module};

pub(crate) use list::Pin;

/// The environment variable that names a folder to use instead.
pub(crate) const VARIABLE: &str = "UPSTREAM_DIR";

/// The folders that every test with upstream files needs.
const REQUIRED: [&str; 2] = ["openapi", "golden"];

/// The file of the result that is a copy of the list.
const COPIED_LIST: &str = "upstream.toml";

/// Fetch the documents and fixtures of Kubernetes that tests compare with, and print their folder.
///
/// Fetches the Go modules in xtask/upstream.toml, checks them against the checksums there, and
/// copies the files that tests read into the user's cache folder, once. Needs Go and some 100 MB.
/// If UPSTREAM_DIR is set, checks and prints that folder instead.
#[derive(Args)]
pub(crate) struct Arguments {}

/// Runs the command.
pub(crate) fn run(_: &Arguments) -> Result<(), Box<dyn Error>> {
    let folder = folder(&workspace::root()?)?;
    println!("{}", folder.display());
    Ok(())
}

/// Returns the folder of upstream files, and fetches them if necessary.
pub(crate) fn folder(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    match env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        // Tests resolve it against the root, too.
        Some(folder) => given(&root.join(folder)),
        None => fetched(root),
    }
}

/// Checks the folder that the user names.
fn given(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let missing: Vec<_> = REQUIRED
        .into_iter()
        .filter(|name| !folder.join(name).is_dir())
        .collect();
    if missing.is_empty() {
        let report = |e| workspace::error("can't find", folder, &e);
        return fs::canonicalize(folder).map_err(report);
    }
    Err(format!(
        "error: {VARIABLE} names {}, which has no {}\n  help: unset {VARIABLE} to fetch the files \
         from Go modules",
        folder.display(),
        missing.join(" and no ")
    )
    .into())
}

/// Returns the folder in the cache.
fn fetched(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let text = workspace::read(&root.join(FILE))?;
    let list = List::parse(&text)?;
    let locked = Place::of("upstream", "modules", &[&text])?.lock()?;
    if locked.has(&[COPIED_LIST]) {
        return Ok(locked.place);
    }
    fill(&list, &text, &locked)?;
    locked.complete()
}

/// Copies the listed files of all modules.
fn fill(list: &List, text: &str, locked: &Locked) -> Result<(), Box<dyn Error>> {
    let beside = locked.begin()?;
    eprintln!("fetching {} Go modules", list.modules.len());
    let pins: Vec<_> = list.modules.iter().map(Module::pin).collect();
    let folders = modules::download(&pins, beside)?;
    for (module, folder) in list.modules.iter().zip(&folders) {
        let files = copy::files(module, folder, beside)?;
        eprintln!("  {module}: {files} files");
    }
    let path = beside.join(COPIED_LIST);
    fs::write(&path, text).map_err(|e| workspace::error("can't write", &path, &e))
}
