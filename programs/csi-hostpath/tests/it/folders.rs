//! The program `folders`, the example of the kit, made as its README says: in a package outside of
//! the workspace that has the dependencies which the README adds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// The package of the kit, which is not published yet.
const KIT: &str = "kubernetes-csi-driver";

/// The program, which is built once for all tests of a run.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(build);

/// Returns the path of the program.
pub(crate) fn program() -> &'static Path {
    &PROGRAM
}

fn build() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let kit = root.join("crates").join(KIT).canonicalize().unwrap();
    // That of the workspace, which has most dependencies already.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let package = TempDir::new().unwrap();
    let cargo = |line: &str| {
        let status = Command::new(env!("CARGO"))
            .args(line.split_whitespace())
            .current_dir(&package)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TARGET_DIR", target)
            .stdin(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "cargo {line}");
    };
    cargo("init --quiet --vcs none --name folders");
    fs::copy(root.join("Cargo.lock"), package.path().join("Cargo.lock")).unwrap();
    let readme = fs::read_to_string(kit.join("README.md")).unwrap();
    let path = format!("--path {}", kit.display());
    for line in readme.lines() {
        if let Some(added) = line.strip_prefix("cargo add ") {
            cargo(&format!("add --quiet {}", added.replace(KIT, &path)));
        }
    }
    let example = kit.join("examples/folders.rs");
    fs::copy(example, package.path().join("src/main.rs")).unwrap();
    cargo("build --quiet");
    target.join("debug/folders")
}
