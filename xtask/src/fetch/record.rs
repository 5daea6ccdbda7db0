//! The record that `spec fetch` writes beside documents: their release and checksums.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use codegen::Release;
use codegen::diff::Complete;
use serde::{Deserialize, Serialize};

use crate::{checksum, workspace};

/// The name of the file.
pub(crate) const FILE: &str = "fetched.toml";

/// The record of a folder.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// The release of the documents.
    pub(crate) release: Release,
    /// The version of the server that published them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<String>,
    /// True if they are all documents of the server, or of the groups.
    pub(crate) complete: bool,
    /// The groups, if not all were fetched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) groups: Vec<String>,
    /// The checksums of the documents.
    pub(crate) sha256: BTreeMap<String, String>,
}

impl Record {
    /// The text of the file.
    pub(super) fn text(&self) -> Result<String, Box<dyn Error>> {
        let header = "# Written by `cargo xtask spec fetch`, which replaces it and the files that it lists.\n\n";
        Ok(header.to_owned() + &toml::to_string(self)?)
    }

    /// Reads the record of a folder, if it has one.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Box<dyn Error>> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let record = toml::from_str(&workspace::read(&path)?)
            .map_err(|e| format!("error: {}: {e}", path.display()))?;
        Ok(Some(record))
    }

    /// Reads the record of a folder, if it has one, and checks that the documents are those of the
    /// record.
    pub(crate) fn checked(folder: &Path) -> Result<Option<Self>, Box<dyn Error>> {
        let Some(record) = Self::read(folder)? else {
            return Ok(None);
        };
        let wrong = |name: &str, what: &str| -> Box<dyn Error> {
            let path = folder.join(name);
            format!(
                "error: {} {what} {FILE} beside it\n  help: fetch the documents again with `cargo \
                 xtask spec fetch`, or remove {FILE} if the change is yours",
                path.display()
            )
            .into()
        };
        for (name, wanted) in &record.sha256 {
            match workspace::read_if_there(&folder.join(name))? {
                None => return Err(wrong(name, "is missing, but listed in")),
                Some(text) if checksum::sha256(&text) != *wanted => {
                    return Err(wrong(name, "hasn't the checksum of"));
                }
                Some(_) => {}
            }
        }
        let entries =
            fs::read_dir(folder).map_err(|e| workspace::error("can't read", folder, &e))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".json") && !record.sha256.contains_key(&name) {
                return Err(wrong(&name, "isn't listed in"));
            }
        }
        Ok(Some(record))
    }

    /// Returns the groups whose documents are all there.
    pub(crate) fn completeness(&self) -> Complete {
        match (self.complete, self.groups.as_slice()) {
            (false, _) => Complete::Unknown,
            (true, []) => Complete::All,
            (true, groups) => {
                let names = groups
                    .iter()
                    .map(|group| super::group::group(group).to_owned());
                Complete::Groups(names.collect::<BTreeSet<_>>())
            }
        }
    }
}
