//! A workspace of all documents of a release, and outcomes of commands, for tests and benchmarks of
//! `xtask`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../../codegen/tests/it/common/dependencies.rs"]
mod dependencies;
pub mod every;
pub mod nested;
pub mod objects;
#[cfg(unix)]
pub mod processes;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the real workspace, unless the crate is somewhere else, as when packaged.
pub fn real_root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let there =
        ["codegen.toml", "spec", "crates/kubernetes-kinds"].map(|name| root.join(name).exists());
    there.iter().all(|there| *there).then(|| root.to_owned())
}

/// Returns the folder of Kubernetes' documents and fixtures that UPSTREAM_DIR names. Tests run in
/// the folder of their package; a relative path is relative to the root.
pub fn upstream(root: &Path) -> PathBuf {
    let folder = std::env::var_os("UPSTREAM_DIR");
    root.join(folder.expect("UPSTREAM_DIR names a folder that `cargo xtask upstream` prints"))
}

/// Returns a part of the upstream files that no Go module has. If it is missing, reports on
/// standard error that its tests are left out.
pub fn upstream_part(root: &Path, part: &str) -> Option<PathBuf> {
    let folder = upstream(root).join(part);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("left out: UPSTREAM_DIR has no {part}, which no Go module has");
    None
}

/// The outcome of a command.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code, if no signal ended it.
    pub code: Option<i32>,
    /// The text on standard output.
    pub out: String,
    /// The text on standard error.
    pub stderr: String,
}

impl Outcome {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> Self {
        command.output().map(Self::from).unwrap()
    }

    /// Panics unless the command exited with 0.
    pub fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.stderr);
        self
    }

    /// Fails as documented: with 1, an error that has all the parts, and nothing else.
    pub fn fails_with(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(1), "{}{}", self.out, self.stderr);
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "no `{part}` in:\n{}",
                self.stderr
            );
        }
        assert!(self.stderr.contains("error: "), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
