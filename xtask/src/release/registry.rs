//! The owners of names in the registry.

use std::error::Error;

use super::packages::{Package, Workspace};
use crate::cargo;

/// The state of a name in the registry.
pub(super) enum Name {
    /// No package has it.
    Free,
    /// A version of this package is published.
    Ours,
    /// Another package has it.
    Taken { repository: String },
}

/// Asks the registry for the owner of a package's name.
pub(super) fn ask(package: &Package, workspace: &Workspace) -> Result<Name, Box<dyn Error>> {
    // The registry takes both spellings for the same name.
    let spellings = [package.name.clone(), package.name.replace('-', "_")];
    let mut spellings: &[String] = &spellings;
    if spellings[0] == spellings[1] {
        spellings = &spellings[..1];
    }
    for spelling in spellings {
        let Some(repository) = repository(spelling)? else {
            continue;
        };
        if is_same(&repository, workspace.repository()) {
            return Ok(Name::Ours);
        }
        return Ok(Name::Taken { repository });
    }
    Ok(Name::Free)
}

/// Returns the repository of the package that has a name.
fn repository(name: &str) -> Result<Option<String>, Box<dyn Error>> {
    // In the workspace, cargo would show the package here.
    let mut command = cargo::command(&std::env::temp_dir());
    command.args(["info", name, "--registry", "crates-io", "--color", "never"]);
    let output = cargo::run(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        let mut lines = text.lines();
        let repository = lines.find_map(|line| line.strip_prefix("repository: "));
        return Ok(Some(repository.unwrap_or("somebody else").to_owned()));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("could not find `") {
        return Ok(None);
    }
    Err(format!(
        "error: can't ask the registry for `{name}`: {}\n  help: check the network and run this again",
        errors.trim()
    )
    .into())
}

/// Returns true if two URLs are those of one repository.
fn is_same(left: &str, right: &str) -> bool {
    let plain = |url: &str| {
        let url = url.trim_end_matches('/');
        url.strip_suffix(".git").unwrap_or(url).to_lowercase()
    };
    plain(left) == plain(right)
}
