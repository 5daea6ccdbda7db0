//! `cargo xtask e2e`: the tests that need a running Kubernetes control plane.

mod build;
mod cache;
mod go;
mod recipe;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::workspace;

/// The variable by which envtest, and all that follow it, find the programs.
const ASSETS: &str = "KUBEBUILDER_ASSETS";

/// What no control plane can do without.
const REQUIRED: [&str; 2] = ["etcd", "kube-apiserver"];

/// Run the tests against a real Kubernetes API server.
///
/// Its programs are taken from the folder that KUBEBUILDER_ASSETS names. If it is not set, they
/// are built with Go from e2e/control-plane, once: they are kept in the user's cache folder,
/// under the name of what they were built from. The first time takes minutes and 4 GB.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Make sure that the programs are there, print their folder, and run no tests.
    #[arg(long)]
    build_only: bool,

    /// Arguments of `cargo test`, as in `-- --test server -- --nocapture`.
    #[arg(last = true, value_name = "ARGS", conflicts_with = "build_only")]
    arguments: Vec<OsString>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let assets = match env::var_os(ASSETS).filter(|folder| !folder.is_empty()) {
        Some(folder) => given(Path::new(&folder))?,
        None => build::assets(&root.join("e2e").join("control-plane"))?,
    };
    if arguments.build_only {
        println!("{}", assets.display());
        return Ok(());
    }
    test(&root, &assets, &arguments.arguments)
}

/// The folder that the user names, which must have what is needed.
fn given(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let missing: Vec<_> =
        REQUIRED.into_iter().filter(|name| !folder.join(name).is_file()).collect();
    if !missing.is_empty() {
        return Err(format!(
            "error: {ASSETS} names {}, which has no {}\n  help: name a folder that has it, as \
             `setup-envtest use --print path` does, or unset {ASSETS} to have the programs \
             built with Go",
            folder.display(),
            missing.join(" and no ")
        )
        .into());
    }
    // Tests run in the folder of their crate.
    let report = |e| workspace::error("can't find", folder, &e);
    std::path::absolute(folder).map_err(report)
}

/// Runs the tests with all that are ignored otherwise.
fn test(
    root: &Path,
    assets: &Path,
    arguments: &[OsString],
) -> Result<(), Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut own = arguments.splitn(2, |argument| argument == "--");
    let mut command = Command::new(cargo);
    command.args(["test", "--package", "e2e"]).args(own.next().unwrap_or_default());
    command.args(["--", "--include-ignored"]).args(own.next().unwrap_or_default());
    command.current_dir(root).env(ASSETS, assets);
    let status = command.status().map_err(|e| format!("error: can't run cargo: {e}"))?;
    if !status.success() {
        return Err(format!("error: the tests failed ({status})").into());
    }
    Ok(())
}
