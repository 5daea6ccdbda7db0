//! The command `cargo`.

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns the `cargo` that runs this program, or else that of the PATH.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs a command and captures its output.
pub(crate) fn run(command: &mut Command) -> Result<Output, Box<dyn Error>> {
    let program = command.get_program().display().to_string();
    let output = command.output();
    output.map_err(|e| format!("error: can't run {program}: {e}").into())
}
