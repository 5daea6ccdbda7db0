//! The command `go`.

use std::path::Path;
use std::process::{Command, Stdio};

/// Returns a `go` command that ignores the user's settings for builds.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new("go");
    command.current_dir(folder).stdin(Stdio::null());
    command
        .env("CGO_ENABLED", "0")
        .env("GOWORK", "off")
        .env("GOFLAGS", "");
    command
}
