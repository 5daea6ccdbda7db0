//! `cargo xtask go-tests`: what the test functions of Go's packages are here.

mod list;
mod ours;
mod theirs;

use std::error::Error;
use std::fs;
use std::path::Path;

use clap::Args;

use crate::sources::Sources;
use crate::workspace;

use list::{Entry, List};
use ours::Tests;

/// The folder of the lists, relative to the root of the workspace.
const FOLDER: &str = "xtask/go-tests";

/// Check which tests here correspond to those of the Go packages that the crates follow.
///
/// The lists in xtask/go-tests name for each test function of a Go module our tests, or the reason
/// for none. Fails if a list names a test that does not exist, if a function has no entry, or an
/// entry no function. Prints what is still missing. Needs Go, or UPSTREAM_DIR with the modules in
/// `modules/PATH@VERSION`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Check only the names of our tests, which needs no Go.
    #[arg(long)]
    offline: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let lists = read(&root)?;
    let sources = Sources::read(&root)?;
    let named = lists.iter().flat_map(List::tests);
    let packages = named.map(|(_, package, _)| package).collect();
    let tests = Tests::read(&sources, &packages)?;
    let mut errors = Vec::new();
    for list in &lists {
        errors.extend(list.check());
        for (place, package, path) in list.tests() {
            let found = tests.check(package, path);
            errors.extend(found.err().map(|error| format!("error: {place}: {error}")));
        }
    }
    if !arguments.offline {
        for (list, module) in lists.iter().zip(theirs::folders(&root, &lists)?) {
            let functions = theirs::functions(&module, list)?;
            errors.extend(list.compare(&functions));
        }
    }
    lists.iter().for_each(print);
    if errors.is_empty() {
        return Ok(());
    }
    Err(errors.join("\n").into())
}

/// Reads all lists, sorted by name.
fn read(root: &Path) -> Result<Vec<List>, Box<dyn Error>> {
    let folder = root.join(FOLDER);
    let report = |e| workspace::error("can't read", &folder, &e);
    let mut lists = Vec::new();
    for entry in fs::read_dir(&folder).map_err(report)? {
        let path = entry.map_err(report)?.path();
        if path.extension().is_some_and(|end| end == "toml") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            lists.push(List::parse(
                format!("{FOLDER}/{name}"),
                &workspace::read(&path)?,
            )?);
        }
    }
    if lists.is_empty() {
        return Err(format!("error: {FOLDER} has no lists").into());
    }
    lists.sort_by(|left, right| left.file.cmp(&right.file));
    Ok(lists)
}

/// Prints the numbers of a list, and all that is missing.
fn print(list: &List) {
    let (mut tested, mut left_out, mut missing) = (0, 0, Vec::new());
    for (file, function, entry) in list.functions() {
        match entry {
            Entry::Reason(_) | Entry::Group(_) => left_out += 1,
            Entry::Tests(_) => tested += 1,
            Entry::Rows(rows) => {
                tested += usize::from(!rows.tests.is_empty());
                let rows = rows.missing.iter();
                missing.extend(rows.map(|row| format!("  {file}: {function}: {row}")));
            }
        }
    }
    println!(
        "{}: {tested} test functions have tests here, {left_out} a reason for none; missing rows: {}",
        list.module.pin(&list.file),
        missing.len()
    );
    missing.iter().for_each(|row| println!("{row}"));
}
