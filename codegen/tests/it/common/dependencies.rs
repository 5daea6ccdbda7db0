//! The dependencies of this workspace for workspaces that tests make and compile. Cargo compiles a
//! crate again for other features of it or of anything that it needs, and k8s-openapi takes longer
//! than all that is generated.
//!
//! The helpers of xtask's tests include this file: a published package can't depend on them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The name of the package that [`share`] writes.
pub(crate) const SHARED: &str = "shared";

/// Cargo in a workspace that tests have made. `temporary` is the test's `CARGO_TARGET_TMPDIR`.
///
/// Compiled files go to this workspace's own folder, and documentation to the other's: for each
/// crate, rustdoc reads and writes the index of all that it finds documented.
pub(crate) fn cargo(workspace: &Path, temporary: &Path) -> Command {
    let mut cargo = program();
    cargo
        .current_dir(workspace)
        .env("CARGO_BUILD_BUILD_DIR", temporary.parent().unwrap())
        .env("CARGO_TARGET_DIR", workspace.join("target"))
        .env("RUSTDOCFLAGS", "-Dwarnings");
    cargo
}

fn program() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Writes a package into a workspace that needs some dependencies of this workspace, and all that
/// they need, with the features that they have here. Whatever is built together with it shares
/// them.
pub(crate) fn share(root: &Path, packages: &[&str], workspace: &Path) {
    let used = tree(root, packages, "normal,no-proc-macro");
    let all = tree(root, packages, "normal");
    let package = format!("[package]\nname = \"{SHARED}\"\nedition = \"2024\"\n");
    let mut manifest: toml::Table = package.parse().unwrap();
    let by_macros = all.difference(&used).cloned().collect();
    for (section, packages) in [("dependencies", used), ("build-dependencies", by_macros)] {
        let section = section.to_owned();
        manifest.insert(section, dependencies(&packages).into());
    }
    let folder = workspace.join(SHARED);
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest.to_string()).unwrap();
    fs::write(folder.join("src/lib.rs"), "//! Chooses features.\n").unwrap();
    // Without a build script, the features of what procedural macros need are not chosen.
    fs::write(folder.join("build.rs"), "fn main() {}\n").unwrap();
}

/// The packages that some need, as `name vVERSION|FEATURES`.
fn tree(root: &Path, packages: &[&str], edges: &str) -> BTreeSet<String> {
    let mut command = program();
    command.args(["tree", "--offline", "--quiet", "--edges", edges]);
    command.args(["--prefix", "none", "--format", "{p}|{f}"]);
    for package in packages {
        command.args(["--package", package]);
    }
    let output = command.current_dir(root).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command:?}");
    // An empty line is between the trees of two packages.
    let lines = lines.lines().filter(|line| !line.is_empty());
    let lines = lines.map(|line| line.trim_end_matches(" (*)"));
    lines.map(str::to_owned).collect()
}

fn dependencies(packages: &BTreeSet<String>) -> toml::Table {
    let one = |(number, package): (usize, &String)| {
        let (package, features) = package.split_once('|').unwrap();
        let mut words = package.split(' ');
        let (name, version) = (words.next().unwrap(), words.next().unwrap());
        let features = features.split(',').filter(|feature| !feature.is_empty());
        let mut dependency = toml::Table::new();
        dependency.insert("package".to_owned(), name.into());
        dependency.insert("version".to_owned(), version.replace('v', "=").into());
        dependency.insert("default-features".to_owned(), false.into());
        dependency.insert("features".to_owned(), features.collect::<Vec<_>>().into());
        // Some packages have two versions.
        (format!("d{number}"), dependency.into())
    };
    packages.iter().enumerate().map(one).collect()
}
