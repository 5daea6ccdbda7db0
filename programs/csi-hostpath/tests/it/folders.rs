//! The program `folders`, the example of the kit.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds the program, and returns its path.
pub(crate) fn program() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "kubernetes-csi-driver"])
        .args(["--example", "folders"])
        .stdin(Stdio::null())
        .status();
    assert!(built.unwrap().success());
    Path::new(env!("CARGO_BIN_EXE_csi-hostpath")).with_file_name("examples/folders")
}
