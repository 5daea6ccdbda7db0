//! The command `cargo`.

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde::de::DeserializeOwned;

/// Returns the `cargo` that runs this program, or else that of the PATH.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Returns the `cargo` of one of rustup's toolchains.
pub(crate) fn of_toolchain(toolchain: &str, folder: &Path) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", toolchain, "cargo"]);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Reads the packages of the workspace without their dependencies.
pub(crate) fn metadata<T: DeserializeOwned>(root: &Path) -> Result<T, Box<dyn Error>> {
    let mut command = command(root);
    let output = run(command.args(["metadata", "--no-deps", "--format-version", "1"]))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("error: `cargo metadata` failed: {}", errors.trim()).into());
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("error: can't read cargo's metadata: {e}").into())
}

/// Runs a command and captures its output.
pub(crate) fn run(command: &mut Command) -> Result<Output, Box<dyn Error>> {
    let program = command.get_program().display().to_string();
    let output = command.output();
    output.map_err(|e| format!("error: can't run {program}: {e}").into())
}
