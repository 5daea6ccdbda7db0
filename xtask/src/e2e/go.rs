//! Building programs with Go.

use std::error::Error;
use std::io;
use std::path::Path;
use std::process::{Child, Stdio};

use super::ASSETS;
use super::recipe::Recipe;
use crate::go::command;

/// Flags of `go build` that hold for every program. No paths of this machine get into them, and
/// go.mod and go.sum have to be complete. Debug information, which the linker would drop, takes a
/// sixth of the compiler's time.
pub(super) const FLAGS: [&str; 4] = [
    "-trimpath",
    "-mod=readonly",
    "-buildvcs=false",
    "-gcflags=all=-dwarf=false",
];

/// Go's version and platform, as in `go1.26.8 linux amd64`. In a folder with a go.mod that asks
/// for a newer version, that one's.
pub(super) fn version(folder: &Path, recipe: &Recipe) -> Result<String, Box<dyn Error>> {
    let asked = command(folder)
        .args(["env", "GOVERSION", "GOOS", "GOARCH"])
        .output();
    let output = match asked {
        Ok(output) => output,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(missing(recipe)),
        Err(e) => return Err(format!("error: can't run go: {e}").into()),
    };
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "error: `go env` failed: {}\n  help: the control plane needs Go {} or newer",
            errors.trim(),
            recipe.go
        )
        .into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Starts to build one package, in a folder with go.mod and go.sum.
pub(super) fn build(
    folder: &Path,
    package: &str,
    program: &Path,
    linker_flags: &str,
) -> io::Result<Child> {
    let mut command = command(folder);
    command
        .arg("build")
        .args(FLAGS)
        .args(["-ldflags", linker_flags, "-o"]);
    // It prints progress, but the output of this command is its result.
    command
        .arg(program)
        .arg(package)
        .stdout(Stdio::null())
        // The compiler collects garbage less often than by default, in less time.
        .env("GOGC", "400")
        .spawn()
}

fn missing(recipe: &Recipe) -> Box<dyn Error> {
    format!(
        "error: there is no Kubernetes control plane to test against, and no Go to build one\n  \
         help: install Go {} or newer (https://go.dev/dl), or set {ASSETS} to a folder with \
         etcd and kube-apiserver, as `setup-envtest use --print path` downloads them",
        recipe.go
    )
    .into()
}
