//! The members of the workspace, as their manifests describe them.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use codegen::Generated;
use toml::{Table, Value};

use crate::workspace;

const MANIFEST: &str = "Cargo.toml";

/// The members of the workspace.
pub(crate) struct Members(pub(super) Vec<Member>);

pub(super) struct Member {
    pub(super) name: String,
    pub(super) folder: String,
    /// The packages that it depends on, but for tests.
    pub(super) uses: BTreeSet<String>,
}

impl Members {
    /// Reads the manifests. Those of generated crates are taken as they are going to be.
    pub(super) fn read(root: &Path, generated: &[Generated]) -> Result<Self, Box<dyn Error>> {
        let parse = |folder: &str| -> Result<Table, Box<dyn Error>> {
            let path = root.join(folder).join(MANIFEST);
            let krate = generated.iter().find(|krate| krate.name == folder);
            let files = krate.into_iter().flat_map(|krate| &krate.files);
            let mut manifests = files.filter(|file| file.path == MANIFEST);
            let text = match manifests.next() {
                Some(file) => file.text.clone(),
                None => workspace::read(&path)?,
            };
            let table = text.parse();
            table.map_err(|e| format!("error: {}: {e}", path.display()).into())
        };
        let manifest = parse("")?;
        let workspace = manifest.get("workspace").and_then(Value::as_table);
        let of = |key: &str| workspace.and_then(|workspace| workspace.get(key));
        let shared = of("dependencies").and_then(Value::as_table);
        let folders = of("members")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let members = folders.filter_map(Value::as_str).map(|folder| {
            let manifest = parse(folder)?;
            let name = manifest
                .get("package")
                .and_then(|package| package.get("name"));
            Ok(Member {
                name: name.and_then(Value::as_str).unwrap_or(folder).to_owned(),
                folder: folder.to_owned(),
                uses: dependencies(&manifest, shared),
            })
        });
        members.collect::<Result<_, Box<dyn Error>>>().map(Self)
    }

    /// The member in a folder.
    pub(super) fn in_folder(&self, folder: &str) -> Option<&Member> {
        self.0.iter().find(|member| member.folder == folder)
    }

    /// The members in folders below this one.
    pub(super) fn under<'a>(&'a self, folder: &str) -> impl Iterator<Item = &'a Member> {
        let prefix = format!("{folder}/");
        let members = self.0.iter();
        members.filter(move |member| member.folder.starts_with(&prefix))
    }

    /// The names of the libraries that generated crates depend on.
    pub(super) fn runtime(&self, generated: &[&str]) -> Vec<&str> {
        let is_generated = |member: &&Member| generated.contains(&member.name.as_str());
        let generated: Vec<_> = self.0.iter().filter(is_generated).collect();
        let is_needed = |name: &String| generated.iter().any(|own| own.uses.contains(name));
        let needed = self
            .under("crates")
            .filter(|member| is_needed(&member.name));
        needed.map(|member| member.name.as_str()).collect()
    }
}

/// Returns the packages on which a manifest depends, also on some platforms only.
fn dependencies(manifest: &Table, shared: Option<&Table>) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values);
    let tables = targets.filter_map(|target| target.get("dependencies"));
    let tables = tables.chain(manifest.get("dependencies"));
    let entries = tables.filter_map(Value::as_table).flatten();
    let package = |of: Option<&Value>| of?.get("package")?.as_str().map(str::to_owned);
    let names = entries.map(|(name, of)| {
        let of_all = shared.and_then(|shared| shared.get(name));
        package(Some(of))
            .or_else(|| package(of_all))
            .unwrap_or_else(|| name.clone())
    });
    names.collect()
}
