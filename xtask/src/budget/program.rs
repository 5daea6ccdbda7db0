//! The programs that are built, and the folders in which that is done.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::cargo::Workspace;
use super::limits::{Dependencies, FILE, Limit};
use crate::workspace;

/// The start of the names of dependencies that only choose features.
const RAISED: &str = "raised-";

/// The start of each program's manifest.
const START: &str =
    "[package]\nname = \"program\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n";

/// A program that depends on a base, and on a crate of this workspace or none.
#[derive(Clone)]
pub(super) struct Program {
    /// Describes its dependencies in messages.
    pub(super) label: String,
    /// The package that is most of its base.
    pub(super) base: String,
    /// The dependencies, each with its version and features as a table of TOML.
    dependencies: BTreeMap<String, String>,
}

impl Program {
    /// The program with which those of a base are compared.
    pub(super) fn alone(
        workspace: &Workspace,
        base: &str,
        dependencies: &Dependencies,
    ) -> Result<Self, Box<dyn Error>> {
        let version = &workspace.package(base)?.version;
        let mut lines = BTreeMap::new();
        for (name, features) in dependencies {
            let version = &workspace.package(name)?.version;
            let line = format!("{{ version = \"={version}\", features = {features:?} }}");
            lines.insert(name.clone(), line);
        }
        Ok(Self {
            label: format!("{base} {version} alone"),
            base: base.to_owned(),
            dependencies: lines,
        })
    }

    /// The same with other features of the base and of what that depends on, from lines of
    /// `cargo tree`: name, version and features.
    pub(super) fn raised<'l>(&self, lines: impl Iterator<Item = &'l str>) -> Self {
        let mut raised = self.clone();
        raised.label = format!("{} with other features", self.label);
        for (number, line) in lines.enumerate() {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let version = words.next().unwrap_or_default().trim_start_matches('v');
            let features = words.next().unwrap_or_default().split(',');
            let features: Vec<_> = features.filter(|name| !name.is_empty()).collect();
            let dependency = format!(
                "{{ package = {name:?}, version = \"={version}\", default-features = false, \
                 features = {features:?} }}"
            );
            let key = match self.dependencies.contains_key(name) {
                true => name.to_owned(),
                false => format!("{RAISED}{number}"),
            };
            raised.dependencies.insert(key, dependency);
        }
        raised
    }

    /// The same with a crate of this workspace.
    pub(super) fn with(
        &self,
        workspace: &Workspace,
        limit: &Limit,
    ) -> Result<Self, Box<dyn Error>> {
        let package = workspace.package(&limit.name)?;
        let features = limit.features.names();
        if let Some(unknown) = features
            .iter()
            .find(|name| !package.features.contains_key(*name))
        {
            return Err(
                format!("error: {FILE}: `{}` has no feature `{unknown}`", limit.name).into(),
            );
        }
        let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
        let mut with = self.clone();
        with.label = limit.label();
        // Debug writes strings of TOML: quoted, and escaped in the same way.
        let dependency = format!("{{ path = {folder:?}, features = {features:?} }}");
        with.dependencies.insert(limit.name.clone(), dependency);
        Ok(with)
    }

    fn manifest(&self) -> String {
        let lines = self.dependencies.iter();
        let lines = lines.map(|(name, dependency)| format!("{name} = {dependency}\n"));
        START.to_owned() + &lines.collect::<String>()
    }

    /// Only what a program names is linked.
    fn source(&self) -> String {
        let names = self.dependencies.keys();
        let names = names.filter(|name| !name.starts_with(RAISED));
        let uses = names.map(|name| format!("use {} as _;\n", name.replace('-', "_")));
        uses.collect::<String>() + "\nfn main() {}\n"
    }
}

/// A folder for building, removed with all that is in it when this is dropped.
pub(super) struct Folder {
    folder: TempDir,
}

impl Folder {
    /// An empty folder.
    pub(super) fn new(parent: &Path) -> Result<Self, Box<dyn Error>> {
        let report = |e| workspace::error("can't write in", parent, &e);
        fs::create_dir_all(parent).map_err(report)?;
        let folder = tempfile::Builder::new()
            .prefix("budget-")
            .tempdir_in(parent);
        folder.map(|folder| Self { folder }).map_err(report)
    }

    /// Returns the target folder of cargo.
    pub(super) fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// Writes a program into a folder that is new each time, so that cargo never confuses two, and
    /// returns the path of its manifest.
    pub(super) fn write(&self, program: &Program, root: &Path) -> Result<PathBuf, Box<dyn Error>> {
        let parent = self.folder.path();
        let report = |e| workspace::error("can't write in", parent, &e);
        let folder = tempfile::Builder::new()
            .prefix("program-")
            .tempdir_in(parent);
        let folder = folder.map_err(report)?.keep();
        let manifest = folder.join("Cargo.toml");
        // The versions are those of the workspace.
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
            .and_then(|_| fs::write(&manifest, program.manifest()))
            .and_then(|()| fs::create_dir(folder.join("src")))
            .and_then(|()| fs::write(folder.join("src/main.rs"), program.source()))
            .map_err(report)?;
        Ok(manifest)
    }

    /// All that has been built.
    pub(super) fn built(&self) -> Result<BTreeSet<PathBuf>, Box<dyn Error>> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.target()];
        while let Some(folder) = open.pop() {
            let report = |e| workspace::error("can't read", &folder, &e);
            for entry in fs::read_dir(&folder).map_err(report)? {
                let entry = entry.map_err(report)?;
                if entry.file_type().map_err(report)?.is_dir() {
                    open.push(entry.path());
                }
                found.insert(entry.path());
            }
        }
        Ok(found)
    }

    /// Removes what has been built since.
    pub(super) fn keep_only(&self, before: &BTreeSet<PathBuf>) -> Result<(), Box<dyn Error>> {
        // The files of a folder come after it: from the back, folders are empty.
        for path in self
            .built()?
            .difference(before)
            .collect::<Vec<_>>()
            .iter()
            .rev()
        {
            let removed = match path.is_dir() {
                true => fs::remove_dir(path),
                false => fs::remove_file(path),
            };
            removed.map_err(|e| workspace::error("can't remove", path, &e))?;
        }
        Ok(())
    }
}
