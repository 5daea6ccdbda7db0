//! The test functions of Go modules.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::list::List;
use crate::upstream::{Pin, VARIABLE, modules};
use crate::workspace;

/// Returns the folders of the modules of lists, and fetches them if necessary.
pub(super) fn folders(root: &Path, lists: &[List]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let pins: Vec<Pin<'_>> = lists
        .iter()
        .map(|list| list.module.pin(&list.file))
        .collect();
    if let Some(given) = env::var_os(VARIABLE) {
        let given = root.join(given).join("modules");
        if given.is_dir() {
            return Ok(pins.iter().map(|pin| given.join(pin.to_string())).collect());
        }
    }
    modules::download(&pins, root)
}

/// Returns the test functions of a list's module, each with its file.
pub(super) fn functions(
    module: &Path,
    list: &List,
) -> Result<BTreeSet<(String, String)>, Box<dyn Error>> {
    let mut found = BTreeSet::new();
    collect(&module.join(&list.module.folder), module, &mut found)?;
    Ok(found)
}

fn collect(
    folder: &Path,
    module: &Path,
    found: &mut BTreeSet<(String, String)>,
) -> Result<(), Box<dyn Error>> {
    let report = |e| workspace::error("can't read", folder, &e);
    for entry in fs::read_dir(folder).map_err(report)? {
        let path = entry.map_err(report)?.path();
        let name = path.strip_prefix(module).unwrap_or(&path);
        let name = name.display().to_string().replace('\\', "/");
        if path.is_dir() {
            collect(&path, module, found)?;
        } else if name.ends_with("_test.go") {
            let text = workspace::read(&path)?;
            let functions = text.lines().filter_map(function);
            found.extend(functions.map(|function| (name.clone(), function.to_owned())));
        }
    }
    Ok(())
}

/// Returns the name of the test function that a line declares. `TestMain` is none: it is given the
/// tests to run.
fn function(line: &str) -> Option<&str> {
    let (name, parameters) = line.strip_prefix("func ")?.split_once('(')?;
    let after = name.strip_prefix("Test")?.chars().next();
    let is_test = !after.is_some_and(char::is_lowercase) && parameters.contains("*testing.T)");
    is_test.then_some(name)
}
