//! Workspaces of generated crates, which tests compile in the folder of this workspace's own build,
//! where most of their dependencies are compiled already.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::dependencies::{self, share};

/// The package that [`share_dependencies`] adds.
pub const SHARED: &str = dependencies::SHARED;

/// Cargo in a folder of generated crates. `temporary` is the test's `CARGO_TARGET_TMPDIR`.
pub fn cargo(folder: &Path, temporary: &Path, command: &str) -> Command {
    let mut cargo = dependencies::cargo(folder, temporary);
    cargo.args([command, "--offline", "--quiet"]);
    cargo
}

/// Runs cargo with warnings as errors. RUSTFLAGS could deny warnings too, but if they differ from
/// those of this workspace, all dependencies are compiled again.
pub fn strict(cargo: &mut Command) -> Outcome {
    let outcome = Outcome::of(cargo).succeeds();
    let is_warning = |line: &str| line.starts_with("warning");
    assert!(
        !outcome.stderr.lines().any(is_warning),
        "{}",
        outcome.stderr
    );
    outcome
}

/// Lets a workspace or a program use the dependencies that are compiled already: with the features
/// and the profile that they have in the real workspace.
pub fn share_dependencies(root: &Path, folder: &Path) {
    let read = |folder: &Path| -> toml::Table {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        manifest.parse().unwrap()
    };
    let mut profile = read(root)["profile"].clone();
    // Naming a package that isn't there causes a warning.
    profile["dev"].as_table_mut().unwrap().remove("package");
    let mut manifest = read(folder);
    manifest.insert("profile".to_owned(), profile);
    share(root, &["k8s-openapi"], folder);
    if let Some(members) = manifest["workspace"].get_mut("members") {
        members.as_array_mut().unwrap().push(SHARED.into());
    }
    if let Some(dependencies) = manifest.get_mut("dependencies") {
        let path = toml::Table::from_iter([("path".to_owned(), SHARED.into())]);
        let dependencies = dependencies.as_table_mut().unwrap();
        dependencies.insert(SHARED.to_owned(), path.into());
    }
    fs::write(folder.join("Cargo.toml"), manifest.to_string()).unwrap();
    // Without it, cargo would look for newer versions than have been fetched.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
}
