//! Compiles packages from their archives, as users get them.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use toml::Table;

use super::packages::{Package, Workspace};
use super::requirements::{self, K8S_OPENAPI};
use super::{Problems, examples};
use crate::{cargo, workspace};

/// The start of the names of the packages that have the examples of a README.
const EXAMPLES: &str = "examples-of-";

/// The unpacked archives, as members of a workspace in which they depend on one another.
struct Unpacked<'a> {
    folder: PathBuf,
    /// The folder for what is built. That of the workspace has the dependencies already.
    target: PathBuf,
    workspace: &'a Workspace,
    /// The toolchain of rustup that compiles them, if not the one that runs.
    toolchain: Option<&'a str>,
}

/// Checks the archives of all packages and the examples of their READMEs, and returns the number of
/// examples of each package.
pub(super) fn check(
    root: &Path,
    workspace: &Workspace,
    toolchain: Option<&str>,
    problems: &mut Problems,
) -> Result<Vec<usize>, Box<dyn Error>> {
    let temporary = tempfile::tempdir().map_err(|e| format!("error: no temporary folder: {e}"))?;
    let unpacked = Unpacked {
        folder: temporary.path().join("packages"),
        target: workspace.target_directory.clone(),
        workspace,
        toolchain,
    };
    pack(root, workspace, temporary.path())?;
    unpacked.unpack(&temporary.path().join("package"))?;
    let counts = unpacked.write(root, problems)?;
    for (package, count) in workspace.published().zip(&counts) {
        unpacked.compile(root, package, *count, problems)?;
    }
    Ok(counts)
}

/// Packs all packages.
fn pack(root: &Path, workspace: &Workspace, target: &Path) -> Result<(), Box<dyn Error>> {
    let mut command = cargo::command(root);
    // Cargo would compile each with all it needs.
    command.args(["package", "--no-verify", "--allow-dirty", "--quiet"]);
    for package in workspace.published() {
        command.args(["--package", &package.name]);
    }
    let output = cargo::run(command.arg("--target-dir").arg(target))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("error: `cargo package` failed: {}", errors.trim()).into());
    }
    Ok(())
}

impl Unpacked<'_> {
    fn unpack(&self, archives: &Path) -> Result<(), Box<dyn Error>> {
        make(&self.folder)?;
        for package in self.workspace.published() {
            let archive = archives.join(format!("{}.crate", package.folder()));
            let mut command = Command::new("tar");
            // All files of an archive have one time, long ago: cargo would take what it compiled of
            // another archive for fresh.
            command.arg("--extract").arg("--touch");
            command.arg("--file").arg(&archive);
            let output = cargo::run(command.arg("--directory").arg(&self.folder))?;
            if !output.status.success() {
                let errors = String::from_utf8_lossy(&output.stderr);
                let archive = archive.display();
                return Err(format!("error: can't unpack {archive}: {}", errors.trim()).into());
            }
        }
        Ok(())
    }

    /// Writes the manifest of the workspace and the packages of examples, and returns their number
    /// by package.
    fn write(&self, root: &Path, problems: &mut Problems) -> Result<Vec<usize>, Box<dyn Error>> {
        let mut manifest =
            "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n".to_owned();
        let mut counts = Vec::new();
        for package in self.workspace.published() {
            writeln!(
                manifest,
                "{} = {{ path = {:?} }}",
                package.name,
                package.folder()
            )?;
            counts.push(self.write_examples(package, problems)?);
        }
        write(&self.folder.join("Cargo.toml"), &manifest)?;
        let lock = root.join("Cargo.lock");
        let copied = fs::copy(&lock, self.folder.join("Cargo.lock"));
        copied.map_err(|e| workspace::error("can't copy", &lock, &e))?;
        Ok(counts)
    }

    /// Writes a package with the examples of a README, if it has any.
    fn write_examples(
        &self,
        package: &Package,
        problems: &mut Problems,
    ) -> Result<usize, Box<dyn Error>> {
        let source = self.folder.join(package.folder());
        let readme = workspace::read(&source.join(package.readme().unwrap_or("README.md")))?;
        let mut found = examples::of(&readme);
        found.extend(named_examples(&source.join("examples"), &readme)?);
        if found.is_empty() {
            return Ok(0);
        }
        let added = requirements::of(&readme);
        self.check_added(package, &added, problems);
        let folder = self.folder.join(format!("{EXAMPLES}{}", package.name));
        let text = workspace::read(&source.join("Cargo.toml"))?;
        write(
            &folder.join("Cargo.toml"),
            &self.manifest(package, &text, added)?,
        )?;
        write(&folder.join("src/lib.rs"), "")?;
        for (number, example) in found.iter().enumerate() {
            let path = format!("examples/readme_{}.rs", number + 1);
            write(&folder.join(path), example)?;
        }
        Ok(found.len())
    }

    /// Checks that a README has its reader add the package, and choose a release of Kubernetes.
    fn check_added(&self, package: &Package, added: &Table, problems: &mut Problems) {
        let place = package.manifest(self.workspace);
        let name = &package.name;
        if !added.contains_key(name) {
            let problem = format!("the README of `{name}` has an example, but no `cargo add`");
            let help = format!("add the line `cargo add {name}`");
            problems.add(&place, &problem, &help);
        }
        if self.workspace.leaves_release(package) && !requirements::choose_release(added) {
            let problem = format!("the README of `{name}` chooses no release of Kubernetes");
            let help = format!("add the line `cargo add {K8S_OPENAPI} --features latest`");
            problems.add(&place, &problem, &help);
        }
    }

    /// Returns the manifest of the examples, with the dependencies that the README adds. Those of
    /// the registry have the versions of the archive, if it depends on them.
    fn manifest(
        &self,
        package: &Package,
        archived: &str,
        mut dependencies: Table,
    ) -> Result<String, Box<dyn Error>> {
        let place = format!("Cargo.toml of the archive of {}", package.name);
        let archived: Table = archived
            .parse()
            .map_err(|e| format!("error: {place}: {e}"))?;
        for (name, dependency) in &mut dependencies {
            let mut published = self.workspace.published();
            let version = match published.find(|other| other.name == *name) {
                Some(member) => member.version.clone(),
                None => archived_version(&archived, name).unwrap_or("*").to_owned(),
            };
            if let Some(table) = dependency.as_table_mut() {
                table.insert("version".to_owned(), version.into());
            }
        }
        let name = format!("{EXAMPLES}{}", package.name);
        let header = [
            ("name", name.as_str()),
            ("version", "0.0.0"),
            ("edition", "2024"),
        ];
        let header = header.map(|(key, value)| (key.to_owned(), value.into()));
        let mut table = Table::new();
        table.insert("package".to_owned(), Table::from_iter(header).into());
        table.insert("dependencies".to_owned(), dependencies.into());
        Ok(table.to_string())
    }

    /// Compiles a package with its own features, and the examples of its README.
    fn compile(
        &self,
        root: &Path,
        package: &Package,
        examples: usize,
        problems: &mut Problems,
    ) -> Result<(), Box<dyn Error>> {
        let name = &package.name;
        let place = package.manifest(self.workspace);
        // Code that only some feature uses may be dead without it.
        let is_bad = |output: &Output| !output.status.success() || has_warning(output);
        // As in the READMEs, so that the examples find it compiled.
        let release = ["--features", "k8s-openapi/default,k8s-openapi/latest"];
        let arguments: &[&str] = match package.depends_on(K8S_OPENAPI) {
            true => &release,
            false => &[],
        };
        if let Some(errors) = self.cargo("check", root, name, arguments, is_bad)? {
            let problem = format!(
                "the archive of `{name}` does not compile without errors and warnings:\n{errors}"
            );
            let help = "add the features that it uses to its own dependencies";
            problems.add(&place, &problem, help);
            return Ok(());
        }
        self.document(root, package, arguments, problems)?;
        if examples > 0 {
            let examples = format!("{EXAMPLES}{name}");
            let is_bad = |output: &Output| !output.status.success();
            if let Some(errors) = self.cargo("check", root, &examples, &["--examples"], is_bad)? {
                let problem =
                    format!("an example in the README of `{name}` does not compile:\n{errors}");
                let help =
                    "correct the README, or add what the example uses to its lines of `cargo add`";
                problems.add(&place, &problem, help);
            }
        }
        Ok(())
    }

    /// Makes the documentation of a package with no features but its own: those that others bring
    /// would hide links to what only a feature adds.
    fn document(
        &self,
        root: &Path,
        package: &Package,
        arguments: &[&str],
        problems: &mut Problems,
    ) -> Result<(), Box<dyn Error>> {
        // An older rustdoc knows fewer attributes and other lints.
        if self.toolchain.is_some() {
            return Ok(());
        }
        let name = &package.name;
        let is_bad = |output: &Output| !output.status.success() || has_warning(output);
        let arguments = [&["--no-deps"], arguments].concat();
        if let Some(errors) = self.cargo("doc", root, name, &arguments, is_bad)? {
            let problem = format!("the documentation of `{name}` has warnings:\n{errors}");
            let help =
                "link only to what is there without features, and name the rest in backquotes";
            problems.add(&package.manifest(self.workspace), &problem, help);
        }
        Ok(())
    }

    /// Runs a task of cargo on a package, and returns what it says if its output is bad.
    fn cargo(
        &self,
        task: &str,
        root: &Path,
        package: &str,
        arguments: &[&str],
        is_bad: impl Fn(&Output) -> bool,
    ) -> Result<Option<String>, Box<dyn Error>> {
        eprintln!("  {task} {package}");
        let mut command = match self.toolchain {
            Some(toolchain) => cargo::of_toolchain(toolchain, root),
            None => cargo::command(root),
        };
        command.args([task, "--quiet", "--package", package]);
        // As in this workspace, whose procedural macros are compiled already.
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        command.env("CARGO_PROFILE_DEV_BUILD_OVERRIDE_DEBUG", "0");
        command.args(arguments).arg("--manifest-path");
        command.arg(self.folder.join("Cargo.toml"));
        let output = cargo::run(command.arg("--target-dir").arg(&self.target))?;
        Ok(is_bad(&output).then(|| String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}

impl Package {
    /// Returns the name of the folder in the archive.
    fn folder(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// Returns the programs in a folder of examples, if there is one, that a README names: its reader
/// copies them.
fn named_examples(folder: &Path, readme: &str) -> Result<Vec<String>, Box<dyn Error>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |e| workspace::error("can't read", folder, &e);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = format!("examples/{}", entry.file_name().display());
        if path.ends_with(".rs") && readme.contains(&path) {
            found.push(workspace::read(&entry.path())?);
        }
    }
    Ok(found)
}

/// Returns the version of a dependency in the manifest of an archive.
fn archived_version<'a>(archived: &'a Table, name: &str) -> Option<&'a str> {
    let dependency = ["dependencies", "dev-dependencies"]
        .iter()
        .find_map(|section| archived.get(*section)?.get(name))?;
    dependency
        .as_str()
        .or_else(|| dependency.get("version")?.as_str())
}

/// Returns true if cargo has warned of a package here; it doesn't of others.
fn has_warning(output: &Output) -> bool {
    let told = String::from_utf8_lossy(&output.stderr);
    told.lines().any(|line| line.starts_with("warning"))
}

fn make(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder).map_err(|e| workspace::error("can't make", folder, &e))
}

fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    make(path.parent().unwrap_or(path))?;
    fs::write(path, text).map_err(|e| workspace::error("can't write", path, &e))
}
