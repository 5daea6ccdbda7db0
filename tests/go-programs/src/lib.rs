//! Builds programs in Go that tests and benchmarks compare with.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a package of Go with the settings of the control plane, so that Go compiles only what it
/// has not compiled for that, and returns the program.
///
/// `folder` has the module, below the root of the workspace; `target` is where the program is put,
/// such as the `CARGO_TARGET_TMPDIR` of a test.
///
/// # Panics
///
/// When Go isn't installed, or can't build it.
pub fn build(folder: &str, package: &str, target: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let name = match package {
        "." => last(folder),
        _ => last(package),
    };
    let program = target.join(format!("go-{name}"));
    let built = Command::new("go")
        .args(["build", "-trimpath", "-mod=readonly", "-buildvcs=false"])
        .args(["-gcflags=all=-dwarf=false", "-o"])
        .arg(&program)
        .arg(package)
        .current_dir(root.join(folder))
        .envs([("CGO_ENABLED", "0"), ("GOWORK", "off"), ("GOFLAGS", "")])
        .status();
    let built = built.expect("Go builds programs that tests compare with: https://go.dev/dl");
    assert!(built.success(), "go build {package} in {folder}: {built}");
    program
}
