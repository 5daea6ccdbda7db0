//! `cargo xtask e2e`: the tests that need a running Kubernetes control plane.

mod build;
mod go;
mod recipe;

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use codegen::Release;

use crate::inputs::releases_in;
use crate::workspace;

/// The variable by which envtest, and all that follow it, find the programs.
const ASSETS: &str = "KUBEBUILDER_ASSETS";

/// The program of the controllers, which older releases are built without.
const CONTROLLERS: &str = "kube-controller-manager";

/// The programs that every control plane needs.
const REQUIRED: [&str; 2] = ["etcd", "kube-apiserver"];

/// Run the tests against a real Kubernetes API server.
///
/// Its programs are taken from the folder that KUBEBUILDER_ASSETS names. If it is not set, they
/// are built with Go from tests/e2e/control-plane, once: they are kept in the user's cache folder,
/// under the name of what they were built from. The first time takes minutes and 4 GB.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The release of Kubernetes whose server is built; by default, the newest in
    /// tests/e2e/control-plane. Older ones have no controllers: without arguments, only tests that
    /// need none run.
    #[arg(long, value_name = "RELEASE")]
    release: Option<Release>,

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
    let own = env::var_os(ASSETS).filter(|folder| !folder.is_empty());
    let (assets, has_controllers) = match (own, arguments.release) {
        (Some(folder), None) => (given(Path::new(&folder))?, true),
        (Some(_), Some(release)) => {
            return Err(format!(
                "error: {ASSETS} is set, so no server of {release} is built\n  \
                 help: unset it, or leave --release out"
            )
            .into());
        }
        (None, release) => {
            let (folder, recipe) = build::assets(&modules(&root, release)?)?;
            (folder, recipe.programs().contains(&CONTROLLERS))
        }
    };
    if arguments.build_only {
        println!("{}", assets.display());
        return Ok(());
    }
    if arguments.arguments.is_empty() && !has_controllers {
        eprintln!("note: without {CONTROLLERS}, only the tests `differential` and `server` run");
        let tests = ["--test", "it", "--", "differential::", "server::"];
        return test(&root, &assets, &tests.map(OsString::from));
    }
    test(&root, &assets, &arguments.arguments)
}

/// The folder with the modules of a release, or of the newest.
pub(crate) fn modules(root: &Path, release: Option<Release>) -> Result<PathBuf, Box<dyn Error>> {
    let all = root.join("tests/e2e").join("control-plane");
    let found = releases_in(&all)?
        .into_iter()
        .map(|(path, release)| (release, path));
    let found: BTreeMap<_, _> = found.collect();
    let wanted = match release {
        Some(release) => found.get(&release),
        None => found.values().next_back(),
    };
    wanted.cloned().ok_or_else(|| {
        let known: Vec<_> = found.keys().map(ToString::to_string).collect();
        let release = release
            .map(|release| format!(" of {release}"))
            .unwrap_or_default();
        format!(
            "error: {} has no modules{release}\n  help: it has {}; for another release copy a \
             folder, change each version and run `go mod tidy`",
            all.display(),
            known.join(", ")
        )
        .into()
    })
}

/// The folder that the user names, which must have what is needed.
fn given(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let missing: Vec<_> = REQUIRED
        .into_iter()
        .filter(|name| !folder.join(name).is_file())
        .collect();
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

/// The packages whose tests need a control plane.
const PACKAGES: [&str; 5] = [
    "csi-hostpath",
    "e2e",
    "examples",
    "hostpath-provisioner",
    "pod-volumes",
];

/// Runs the tests with all that are ignored otherwise.
fn test(root: &Path, assets: &Path, arguments: &[OsString]) -> Result<(), Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut own = arguments.splitn(2, |argument| argument == "--");
    let mut command = Command::new(cargo);
    command.arg("test");
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    command.args(own.next().unwrap_or_default());
    command
        .args(["--", "--include-ignored"])
        .args(own.next().unwrap_or_default());
    command.current_dir(root).env(ASSETS, assets);
    let status = command
        .status()
        .map_err(|e| format!("error: can't run cargo: {e}"))?;
    if !status.success() {
        return Err(format!("error: the tests failed ({status})").into());
    }
    Ok(())
}
