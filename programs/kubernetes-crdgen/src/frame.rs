//! The workspace around generated crates.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

use codegen::{Generated, GeneratedFile};

use crate::definitions::newest;
use crate::files;

/// Returns the files that make a workspace of generated crates and of others in the folder, unless
/// it has a manifest of another origin.
pub(crate) fn of(out: &Path, crates: &[Generated]) -> Result<Vec<GeneratedFile>, Box<dyn Error>> {
    let manifest = out.join("Cargo.toml");
    let there = files::read_if_there(&manifest)?;
    let is_ours = |text: Vec<u8>| String::from_utf8(text).is_ok_and(|t| codegen::is_generated(&t));
    if !there.is_none_or(is_ours) {
        eprintln!(
            "note: {} is left as it is; each crate has to be among its members",
            manifest.display()
        );
        return Ok(Vec::new());
    }
    let header = format!(
        "# {}CustomResourceDefinitions.\n\n",
        codegen::STANDALONE_MARK
    );
    let release = newest()?;
    let mut members = packages(out);
    members.extend(crates.iter().map(|krate| krate.name.clone()));
    let members = Vec::from_iter(members);
    Ok(vec![
        GeneratedFile {
            path: "Cargo.toml".to_owned(),
            text: format!("{header}[workspace]\nmembers = {members:#?}\nresolver = \"3\"\n"),
            ..GeneratedFile::default()
        },
        GeneratedFile {
            path: ".cargo/config.toml".to_owned(),
            text: format!(
                "{header}# The crates leave it to programs which release of k8s-openapi's types \
                 they have. This one\n# is for building the crates themselves.\n[env]\n\
                 K8S_OPENAPI_ENABLED_VERSION = \"{release}\"\n"
            ),
            ..GeneratedFile::default()
        },
    ])
}

/// The packages in a folder, which need not exist.
fn packages(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let packages = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
    packages
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}
