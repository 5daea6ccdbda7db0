//! Cargo as it is called here.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::work::Work;
use crate::workspace;

/// The answer of `cargo metadata`: the workspace and its dependencies.
#[derive(Deserialize)]
pub(super) struct Workspace {
    pub(super) packages: Vec<Package>,
    pub(super) target_directory: PathBuf,
}

/// One package.
#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) manifest_path: PathBuf,
    pub(super) features: BTreeMap<String, Vec<String>>,
}

impl Workspace {
    /// The package of a name.
    pub(super) fn package(&self, name: &str) -> Result<&Package, Box<dyn Error>> {
        let mut packages = self.packages.iter();
        packages
            .find(|package| package.name == name)
            .ok_or_else(|| format!("error: the workspace has no package `{name}`").into())
    }
}

/// Bytes of rlibs, by the name of the package.
pub(super) type Sizes = BTreeMap<String, u64>;

/// One build of a program.
pub(super) struct Build {
    /// The work of cargo and all processes that it started.
    pub(super) work: Work,
    /// Bytes of the rlibs that the program is linked from, by package.
    pub(super) sizes: Sizes,
    artifacts: Vec<Artifact>,
}

/// A message of cargo about what it has made or found made.
#[derive(Deserialize)]
struct Artifact {
    package_id: String,
    filenames: Vec<PathBuf>,
    fresh: bool,
}

impl Build {
    /// The packages of another build that this one had to compile again.
    pub(super) fn compiled_again(&self, other: &Self) -> Vec<&str> {
        let known: BTreeSet<_> = other.artifacts.iter().map(|a| &a.package_id).collect();
        let again = self.artifacts.iter().filter(|a| !a.fresh);
        let again = again.filter(|a| known.contains(&a.package_id));
        let names: BTreeSet<_> = again.map(|a| name(&a.package_id)).collect();
        names.into_iter().collect()
    }
}

/// The name in a package id, as in `registry+https://…#serde@1.0.0` and
/// `path+file:///…/storage-v1#0.1.0`.
fn name(package_id: &str) -> &str {
    let (location, fragment) = package_id.rsplit_once('#').unwrap_or(("", package_id));
    match fragment.split_once('@') {
        Some((name, _)) => name,
        None => location.rsplit('/').next().unwrap_or(location),
    }
}

/// The command `cargo`.
pub(super) struct Cargo {
    program: OsString,
}

impl Cargo {
    pub(super) fn new() -> Self {
        let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self { program }
    }

    /// Returns a command without the variables that change what is built.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in env::vars_os() {
            let known = name.to_string_lossy();
            let prefixes = ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_UNSTABLE_"];
            let names = [
                "CARGO_ENCODED_RUSTFLAGS",
                "CARGO_TARGET_DIR",
                "RUSTC_WORKSPACE_WRAPPER",
                "RUSTC_WRAPPER",
                "RUSTFLAGS",
            ];
            if names.contains(&&*known) || prefixes.iter().any(|p| known.starts_with(p)) {
                command.env_remove(&name);
            }
        }
        command.stdin(Stdio::null()).env("CARGO_INCREMENTAL", "0");
        // The workspace's own choice; a program chooses by a feature of k8s-openapi.
        command.env("K8S_OPENAPI_ENABLED_VERSION", "");
        command
    }

    /// Reads the packages of the workspace and of all that it depends on here.
    pub(super) fn metadata(&self, root: &Path) -> Result<Workspace, Box<dyn Error>> {
        let host = self.about(root, "host: ")?;
        let mut command = Command::new(&self.program);
        command.args(["metadata", "--format-version", "1", "--locked", "--offline"]);
        command.args(["--filter-platform", &host]);
        let text = output(command.current_dir(root))?;
        serde_json::from_str(&text)
            .map_err(|e| format!("error: can't read cargo's metadata: {e}").into())
    }

    /// Returns the rest of the line of `cargo -Vv` that starts with a prefix, such as `host: `.
    pub(super) fn about(&self, root: &Path, prefix: &str) -> Result<String, Box<dyn Error>> {
        let mut command = Command::new(&self.program);
        let text = output(command.arg("-Vv").current_dir(root))?;
        let mut lines = text.lines();
        let found = lines.find_map(|line| line.strip_prefix(prefix));
        found
            .map(str::to_owned)
            .ok_or_else(|| format!("error: `cargo -Vv` has no line with {prefix:?}").into())
    }

    /// The packages that a program is built from, each with its features, but not the program
    /// itself.
    pub(super) fn features(&self, manifest: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
        self.tree(manifest, "normal,build")
    }

    /// The packages that a program is linked from, as [`features`](Self::features) returns them.
    /// Cargo can't be asked to build those that only procedural macros need.
    pub(super) fn linked(&self, manifest: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
        self.tree(manifest, "normal,no-proc-macro")
    }

    fn tree(&self, manifest: &Path, edges: &str) -> Result<BTreeSet<String>, Box<dyn Error>> {
        let mut command = self.command();
        command.args(["tree", "--quiet", "--offline", "--edges", edges]);
        command.args(["--prefix", "none", "--format", "{p} {f}"]);
        let text = output(command.arg("--manifest-path").arg(manifest))?;
        let lines = text
            .lines()
            .skip(1)
            .map(|line| line.trim_end_matches(" (*)"));
        Ok(lines.map(str::to_owned).collect())
    }

    /// Builds a program, and measures that.
    pub(super) fn build(&self, manifest: &Path, target: &Path) -> Result<Build, Box<dyn Error>> {
        let mut command = self.building(manifest, target);
        command.args(["--message-format", "json-render-diagnostics"]);
        let (text, work) = Work::measure(|| output(&mut command))?;
        let artifacts =
            artifacts(&text).map_err(|e| format!("error: can't read cargo's messages: {e}"))?;
        let sizes = sizes(&artifacts)?;
        Ok(Build {
            work,
            sizes,
            artifacts,
        })
    }

    /// Builds packages that a program needs, of these names and versions, and measures that.
    pub(super) fn build_packages(
        &self,
        manifest: &Path,
        target: &Path,
        packages: &[(&str, &str)],
    ) -> Result<Work, Box<dyn Error>> {
        let mut command = self.building(manifest, target);
        for (name, version) in packages {
            command.arg("--package").arg(format!("{name}@{version}"));
        }
        Ok(Work::measure(|| output(&mut command))?.1)
    }

    fn building(&self, manifest: &Path, target: &Path) -> Command {
        let mut command = self.command();
        // Two threads of a core take more CPU time than one after the other, and k8s-openapi, with
        // which all is compared, is mostly compiled by one.
        command.args(["build", "--quiet", "--offline", "--jobs", "1"]);
        command.arg("--manifest-path").arg(manifest);
        command.arg("--target-dir").arg(target);
        command
    }
}

fn sizes(artifacts: &[Artifact]) -> Result<Sizes, Box<dyn Error>> {
    let mut sizes = Sizes::new();
    for artifact in artifacts {
        let files = artifact.filenames.iter();
        for rlib in files.filter(|file| file.extension().is_some_and(|e| e == "rlib")) {
            let metadata = fs::metadata(rlib);
            let size = metadata
                .map_err(|e| workspace::error("can't find", rlib, &e))?
                .len();
            *sizes
                .entry(name(&artifact.package_id).to_owned())
                .or_default() += size;
        }
    }
    Ok(sizes)
}

fn artifacts(messages: &str) -> serde_json::Result<Vec<Artifact>> {
    #[derive(Deserialize)]
    struct Message {
        reason: String,
    }
    let mut artifacts = Vec::new();
    for line in messages.lines() {
        let message: Message = serde_json::from_str(line)?;
        if message.reason == "compiler-artifact" {
            artifacts.push(serde_json::from_str(line)?);
        }
    }
    Ok(artifacts)
}

/// Runs a command to its end and returns what it prints.
fn output(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("error: can't run cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "error: cargo failed ({})\n  help: this works offline; `cargo fetch` downloads the \
             dependencies",
            output.status
        )
        .into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
