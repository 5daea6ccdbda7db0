//! The Rust files of all packages of the workspace.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{cargo, workspace};

/// The packages and files of the workspace.
pub(crate) struct Sources {
    pub(crate) packages: Vec<Package>,
    /// All Rust files, sorted by path.
    pub(crate) files: Vec<File>,
}

/// A file with its path from the root.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A member of the workspace.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    manifest_path: PathBuf,
    pub(crate) targets: Vec<Target>,
}

/// A library, program, test or benchmark.
#[derive(Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
    pub(crate) src_path: PathBuf,
    /// Set if `cargo test` builds the unit tests.
    pub(crate) test: bool,
}

impl Target {
    /// Returns true for a library or program.
    pub(crate) fn is_code(&self) -> bool {
        let is_code = |kind: &String| kind == "lib" || kind == "bin" || kind == "proc-macro";
        self.kind.iter().any(is_code)
    }
}

impl Sources {
    /// Reads all files.
    pub(crate) fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        #[derive(Deserialize)]
        struct Metadata {
            packages: Vec<Package>,
        }
        let Metadata { mut packages } = cargo::metadata(root)?;
        let mut files = Vec::new();
        for package in &mut packages {
            for target in &mut package.targets {
                if let Ok(path) = target.src_path.strip_prefix(root) {
                    target.src_path = path.to_owned();
                }
            }
            let folder = package.manifest_path.parent().unwrap_or(root);
            collect(root, folder, &mut files)?;
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Self { packages, files })
    }

    /// Returns the file with a path from the root.
    pub(crate) fn file(&self, path: &Path) -> Option<&File> {
        let path = shown(path);
        let at = self.files.binary_search_by(|file| file.path.cmp(&path));
        at.ok().and_then(|at| self.files.get(at))
    }
}

/// Reads the Rust files below a folder that belong to its package.
fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) -> Result<(), Box<dyn Error>> {
    let report = |e| workspace::error("can't read", folder, &e);
    for entry in fs::read_dir(folder).map_err(report)? {
        let path = entry.map_err(report)?.path();
        let is_rust = path.extension().is_some_and(|end| end == "rs");
        let is_other = path.join("Cargo.toml").is_file() || path.ends_with("target");
        if path.is_dir() && !is_other {
            collect(root, &path, files)?;
        } else if is_rust {
            files.push(File {
                text: workspace::read(&path)?,
                path: shown(path.strip_prefix(root).unwrap_or(&path)),
            });
        }
    }
    Ok(())
}

/// Writes a path with `/` on every system.
fn shown(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}
