//! The programs that are built, and the folders in which that is done.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::cargo::Workspace;
use super::limits::{FILE, Limit};
use crate::workspace;

/// The start of each program's manifest.
const START: &str =
    "[package]\nname = \"program\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n";

/// A program that depends on k8s-openapi, and on a generated crate or none.
pub(super) struct Program {
    /// Describes its dependencies in messages.
    pub(super) label: String,
    manifest: String,
    source: String,
}

impl Program {
    /// The program with which the others are compared.
    pub(super) fn alone(workspace: &Workspace) -> Result<Self, Box<dyn Error>> {
        let version = &workspace.package("k8s-openapi")?.version;
        Ok(Self {
            label: format!("k8s-openapi {version} alone"),
            manifest: format!(
                "{START}k8s-openapi = {{ version = \"={version}\", features = [\"latest\"] }}\n"
            ),
            source: "use k8s_openapi as _;\n\nfn main() {}\n".to_owned(),
        })
    }

    /// The same with other features of k8s-openapi and of what that depends on, from lines of
    /// `cargo tree`: name, version and features.
    pub(super) fn raised<'l>(&self, lines: impl Iterator<Item = &'l str>) -> Self {
        let mut k8s_openapi = self.manifest.clone();
        let mut others = String::new();
        for (number, line) in lines.enumerate() {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let version = words.next().unwrap_or_default().trim_start_matches('v');
            let features = words.next().unwrap_or_default().split(',');
            let features: Vec<_> = features.filter(|name| !name.is_empty()).collect();
            let dependency = format!(
                "{{ package = {name:?}, version = \"={version}\", default-features = false, \
                 features = {features:?} }}\n"
            );
            match name {
                "k8s-openapi" => k8s_openapi = format!("{START}{name} = {dependency}"),
                _ => others += &format!("raised-{number} = {dependency}"),
            }
        }
        Self {
            label: format!("{} with other features", self.label),
            manifest: k8s_openapi + &others,
            source: self.source.clone(),
        }
    }

    /// The same with a generated crate.
    pub(super) fn with(workspace: &Workspace, limit: &Limit) -> Result<Self, Box<dyn Error>> {
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
        let alone = Self::alone(workspace)?;
        let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
        // Debug writes strings of TOML: quoted, and escaped in the same way.
        Ok(Self {
            label: limit.label(),
            manifest: format!(
                "{}{} = {{ path = {folder:?}, features = {features:?} }}\n",
                alone.manifest, limit.name
            ),
            source: format!(
                "use {} as _;\n{}",
                limit.name.replace('-', "_"),
                alone.source
            ),
        })
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
            .and_then(|_| fs::write(&manifest, &program.manifest))
            .and_then(|()| fs::create_dir(folder.join("src")))
            .and_then(|()| fs::write(folder.join("src/main.rs"), &program.source))
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
