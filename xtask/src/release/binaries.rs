//! Builds the programs that people install, and packs them.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::packages::{Package, Workspace};
use crate::{cargo, checksum, workspace};

/// The profile of Cargo.toml that makes them small.
const PROFILE: &str = "dist";

/// The ending of the names of archives.
const ENDING: &str = ".tar.gz";

/// The plugin of kubectl.
const KUBECTL: &str = "kubectl-storage";

/// The starts of a program of which the median is told.
const STARTS: usize = 21;

/// The archive of a package's programs for a target.
struct Archive<'a> {
    package: &'a Package,
    target: &'a str,
    /// The name of the archive.
    name: String,
    /// Its SHA-256 checksum.
    checksum: String,
    /// The bytes of the program that has the name of the package.
    size: u64,
    /// The median time of `--version`, if this machine runs the program.
    start: Option<Duration>,
}

/// Builds the programs for targets, and packs those of each package into an archive in
/// `target/programs`, with the checksums of all and a manifest for krew.
pub(super) fn make(
    root: &Path,
    packages: &Workspace,
    targets: &[String],
) -> Result<(), Box<dyn Error>> {
    let out = packages.target_directory.join("programs");
    fs::create_dir_all(&out).map_err(|e| workspace::error("can't create", &out, &e))?;
    let installed: Vec<_> = packages.installed().collect();
    let mut archives = Vec::new();
    for target in targets {
        build(root, packages, &installed, target)?;
        for package in &installed {
            archives.push(pack(root, packages, package, target, &out)?);
        }
    }
    let sums = archives
        .iter()
        .map(|archive| format!("{}  {}\n", archive.checksum, archive.name));
    write(&out.join("SHA256SUMS"), &sums.collect::<String>())?;
    let of_kubectl = archives
        .iter()
        .filter(|archive| archive.package.programs().any(|name| name == KUBECTL));
    let manifest = krew(packages, &of_kubectl.collect::<Vec<_>>());
    write(&out.join("storage.yaml"), &manifest)?;

    let folder = out.display();
    println!("archive in {folder}, size of the program, median time of `--version`");
    for archive in &archives {
        let size = archive.size as f64 / 1e6;
        let start = archive.start.map_or_else(
            || "not run here".to_owned(),
            |time| format!("{:.1} ms", time.as_secs_f64() * 1e3),
        );
        println!("{}  {size:.1} MB  {start}", archive.name);
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    fs::write(path, text).map_err(|e| workspace::error("can't write", path, &e))?;
    Ok(())
}

/// Returns the manifest by which krew installs the plugin of kubectl.
fn krew(packages: &Workspace, archives: &[&Archive<'_>]) -> String {
    let repository = packages.repository();
    let version = archives
        .first()
        .map_or("", |archive| archive.package.version.as_str());
    let mut text = format!(
        "apiVersion: krew.googlecontainertools.github.com/v1alpha2\nkind: Plugin\n\
         metadata:\n  name: storage\nspec:\n  version: v{version}\n  homepage: {repository}\n  \
         shortDescription: Checks and converts manifests of storage\n  description: |\n    \
         Checks, converts and defaults manifests of the storage API, without an API server.\n  \
         platforms:\n"
    );
    for archive in archives {
        let target = archive.target;
        let folder = archive.name.trim_end_matches(ENDING);
        let suffix = suffix(target);
        text.push_str(&format!(
            "  - selector:\n      matchLabels: {{os: {}, arch: {}}}\n    \
             uri: {repository}/releases/download/v{version}/{}\n    sha256: {}\n    \
             files:\n      - {{from: {folder}/{KUBECTL}{suffix}, to: .}}\n      \
             - {{from: {folder}/LICENSE, to: .}}\n    bin: {KUBECTL}{suffix}\n",
            system(target),
            processor(target),
            archive.name,
            archive.checksum,
        ));
    }
    text
}

/// The operating system of a target, as Go names it.
fn system(target: &str) -> &'static str {
    match target {
        _ if target.contains("windows") => "windows",
        _ if target.contains("darwin") => "darwin",
        _ => "linux",
    }
}

/// The processor of a target, as Go names it.
fn processor(target: &str) -> &str {
    match target.split('-').next().unwrap_or_default() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// The ending of the names of programs of a target.
fn suffix(target: &str) -> &'static str {
    match target.contains("windows") {
        true => ".exe",
        false => "",
    }
}

fn build(
    root: &Path,
    workspace: &Workspace,
    packages: &[&Package],
    target: &str,
) -> Result<(), Box<dyn Error>> {
    let mut command = cargo::command(root);
    command.args([
        "build",
        "--locked",
        "--profile",
        PROFILE,
        "--target",
        target,
    ]);
    command.arg("--target-dir").arg(&workspace.target_directory);
    for package in packages {
        command.args(["--package", &package.name]);
        for program in package.programs() {
            command.args(["--bin", program]);
        }
    }
    // Nobody's path is part of a program, so that it is the same wherever it is built.
    let home = std::env::var("CARGO_HOME").or_else(|_| {
        let home = std::env::var("HOME");
        home.map(|home| format!("{home}/.cargo"))
    });
    let mut flags = format!("--remap-path-prefix={}=/source", root.display());
    for home in home.iter() {
        flags.push_str(&format!("\u{1f}--remap-path-prefix={home}=/cargo"));
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags);
    let status = command
        .status()
        .map_err(|e| format!("error: can't run cargo: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!(
            "error: cargo can't build for {target}\n  help: rustup target add {target}"
        )
        .into()),
    }
}

/// Packs the programs of a package.
fn pack<'a>(
    root: &Path,
    packages: &Workspace,
    package: &'a Package,
    target: &'a str,
    out: &Path,
) -> Result<Archive<'a>, Box<dyn Error>> {
    let suffix = suffix(target);
    let built = packages.target_directory.join(target).join(PROFILE);
    let program = built.join(format!("{}{suffix}", package.name));
    let name = format!("{}-v{}-{target}", package.name, package.version);
    let folder = out.join(&name);
    fs::create_dir_all(&folder).map_err(|e| workspace::error("can't create", &folder, &e))?;
    let readme = package.folder_in(packages).join("README.md");
    let programs = package.programs();
    let programs = programs.map(|program| built.join(format!("{program}{suffix}")));
    for from in programs.chain([root.join("LICENSE"), readme]) {
        let to = folder.join(from.file_name().unwrap_or_default());
        fs::copy(&from, to).map_err(|e| workspace::error("can't copy", &from, &e))?;
    }
    let archive = format!("{name}{ENDING}");
    let path = out.join(&archive);
    let mut tar = Command::new("tar");
    // Whoever packs the same gets the same archive.
    tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0"]);
    tar.args([
        "--numeric-owner",
        "--use-compress-program=gzip -n",
        "--create",
    ]);
    tar.arg("--file").arg(&path).arg("--directory").arg(out);
    let output = cargo::run(tar.arg(&name))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("error: can't pack {name}: {}", errors.trim()).into());
    }
    let bytes = fs::read(&path).map_err(|e| workspace::error("can't read", &path, &e))?;
    let size = fs::metadata(&program)
        .map_err(|e| workspace::error("can't read", &program, &e))?
        .len();
    Ok(Archive {
        package,
        target,
        name: archive,
        checksum: checksum::sha256(&bytes),
        size,
        start: start(&program),
    })
}

/// Returns the median time of a program that prints its version, or nothing if this machine doesn't
/// run it.
fn start(program: &Path) -> Option<Duration> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null());
        let begin = Instant::now();
        let status = command.stderr(Stdio::null()).status().ok()?;
        times.push(begin.elapsed());
        if !status.success() {
            return None;
        }
    }
    times.sort_unstable();
    times.get(STARTS / 2).copied()
}
