//! The packages that are published, and their metadata.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::Problems;
use super::requirements::{K8S_OPENAPI, is_release};
use crate::{cargo, workspace};

/// The members of the workspace.
#[derive(Deserialize)]
pub(super) struct Workspace {
    packages: Vec<Package>,
    workspace_root: PathBuf,
    /// The folder for what is built.
    pub(super) target_directory: PathBuf,
    /// The values of `workspace.package`.
    #[serde(skip)]
    shared: Shared,
}

#[derive(Default, Deserialize)]
struct Shared {
    repository: String,
    version: String,
}

/// A package, as `cargo metadata` prints it.
#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    manifest_path: PathBuf,
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
    #[serde(default)]
    metadata: Value,
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    kind: Option<String>,
    #[serde(default)]
    optional: bool,
    features: Vec<String>,
}

/// The fields of a manifest that a published package needs, each with an example.
const FIELDS: [(&str, &str); 7] = [
    ("description", "`description = \"…\"`"),
    ("license", "`license.workspace = true`"),
    ("repository", "`repository.workspace = true`"),
    ("readme", "a README.md beside the manifest"),
    ("keywords", "`keywords.workspace = true`"),
    ("categories", "`categories.workspace = true`"),
    ("rust_version", "`rust-version.workspace = true`"),
];

impl Workspace {
    /// Reads the members with cargo.
    pub(super) fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        #[derive(Deserialize)]
        struct Manifest {
            workspace: Table,
        }
        #[derive(Deserialize)]
        struct Table {
            package: Shared,
        }
        let path = root.join("Cargo.toml");
        let manifest: Manifest = toml::from_str(&workspace::read(&path)?)
            .map_err(|e| format!("error: {}: {e}", path.display()))?;
        let mut all: Self = cargo::metadata(root)?;
        all.shared = manifest.workspace.package;
        Ok(all)
    }

    /// Returns the packages that are published.
    pub(super) fn published(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| package.is_published())
    }

    /// Returns the packages whose programs are packed, so that people install them without a
    /// compiler.
    pub(super) fn installed(&self) -> impl Iterator<Item = &Package> {
        let has = |package: &&Package| package.metadata.pointer("/binstall").is_some();
        self.packages.iter().filter(has)
    }

    /// Returns the repository of the workspace.
    pub(super) fn repository(&self) -> &str {
        &self.shared.repository
    }

    /// Returns true if a program that uses a package must choose a release of Kubernetes, because
    /// the package always needs `k8s-openapi` and chooses none.
    pub(super) fn leaves_release(&self, package: &Package) -> bool {
        let is_kept = |dependency: &&Dependency| dependency.kind.is_none() && !dependency.optional;
        let mut kept = package.dependencies.iter().filter(is_kept);
        kept.any(|dependency| {
            let other = self
                .packages
                .iter()
                .find(|other| other.name == dependency.name);
            other.map_or(dependency.name == K8S_OPENAPI, |other| {
                self.leaves_release(other)
            })
        })
    }

    /// Checks versions and metadata of all published packages.
    pub(super) fn check(&self, problems: &mut Problems) {
        for package in self.published() {
            let place = package.manifest(self);
            package.check_fields(&place, problems);
            package.check_documentation(&place, problems);
            if package.version != self.shared.version {
                let problem = format!(
                    "`{}` has version {}, but the workspace has {}",
                    package.name, package.version, self.shared.version
                );
                problems.add(&place, &problem, "write `version.workspace = true`");
            }
            self.check_dependencies(package, &place, problems);
        }
    }

    fn check_dependencies(&self, package: &Package, place: &str, problems: &mut Problems) {
        let is_kept = |dependency: &&Dependency| dependency.kind.as_deref() != Some("dev");
        for dependency in package.dependencies.iter().filter(is_kept) {
            let is_it = |other: &&Package| other.name == dependency.name;
            let Some(other) = self.packages.iter().find(is_it) else {
                continue;
            };
            if !other.is_published() {
                let problem = format!("depends on `{}`, which is not published", other.name);
                let help = "publish it, or make this package `publish = false`";
                problems.add(place, &problem, help);
            } else if dependency.req.trim_start_matches('^') != other.version {
                let problem = format!(
                    "depends on `{}` {}, whose version is {}",
                    other.name, dependency.req, other.version
                );
                let help = "set the version in [workspace.dependencies] of Cargo.toml";
                problems.add(place, &problem, help);
            }
        }
    }
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    }

    /// Returns the path of the manifest relative to the root.
    pub(super) fn manifest(&self, workspace: &Workspace) -> String {
        let path = self.manifest_path.strip_prefix(&workspace.workspace_root);
        path.unwrap_or(&self.manifest_path).display().to_string()
    }

    /// Returns the folder of the package.
    pub(super) fn folder_in(&self, workspace: &Workspace) -> PathBuf {
        let folder = self.manifest_path.parent();
        folder.map_or_else(|| workspace.workspace_root.clone(), Path::to_owned)
    }

    /// Returns the names of the programs.
    pub(super) fn programs(&self) -> impl Iterator<Item = &str> {
        let targets = self.fields.get("targets").and_then(Value::as_array);
        let of_kind = |target: &&Value| target.pointer("/kind/0").is_some_and(|kind| kind == "bin");
        let programs = targets.into_iter().flatten().filter(of_kind);
        programs.filter_map(|target| target.get("name")?.as_str())
    }

    /// Returns the path of the README relative to the package.
    pub(super) fn readme(&self) -> Option<&str> {
        self.fields.get("readme").and_then(Value::as_str)
    }

    /// Returns true if a package always depends on another, and not for tests or building only.
    pub(super) fn depends_on(&self, name: &str) -> bool {
        let mut dependencies = self.dependencies.iter();
        dependencies.any(|dependency| dependency.kind.is_none() && dependency.name == name)
    }

    /// Returns the features that the documentation on docs.rs is built with.
    pub(super) fn documented_features(&self) -> impl Iterator<Item = &str> {
        let features = self.metadata.pointer("/docs/rs/features");
        features
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    fn check_fields(&self, place: &str, problems: &mut Problems) {
        for (field, example) in FIELDS {
            let is_empty = match self.fields.get(field) {
                None | Some(Value::Null) => true,
                Some(Value::String(text)) => text.is_empty(),
                Some(Value::Array(items)) => items.is_empty(),
                Some(_) => false,
            };
            if is_empty {
                let field = field.replace('_', "-");
                let problem = format!("`{}` has no `{field}`", self.name);
                problems.add(place, &problem, &format!("add {example}"));
            }
        }
    }

    /// Without a release of Kubernetes, docs.rs can't build k8s-openapi.
    fn check_documentation(&self, place: &str, problems: &mut Problems) {
        let is_it =
            |dependency: &&Dependency| dependency.name == K8S_OPENAPI && dependency.kind.is_none();
        let Some(dependency) = self.dependencies.iter().find(is_it) else {
            return;
        };
        let chosen = dependency.features.iter().map(String::as_str);
        let documented = self.documented_features();
        let documented = documented.filter_map(|feature| feature.strip_prefix("k8s-openapi/"));
        if !chosen.chain(documented).any(is_release) {
            let problem = format!("the documentation of `{}` can't be built", self.name);
            let help = "add `k8s-openapi/latest` to `package.metadata.docs.rs.features`";
            problems.add(place, &problem, help);
        }
    }
}
