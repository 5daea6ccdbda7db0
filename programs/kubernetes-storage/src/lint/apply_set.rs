//! Sets of files that are applied together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;

use super::duplicates::Definitions;
use super::report::FileReport;

/// The files that are applied together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ApplySet {
    /// Each file by itself
    File,
    /// The files of each folder
    Folder,
    /// All files
    All,
}

/// Adds a finding for each object that an earlier file of the same set defines.
pub(super) fn add_duplicates<'f>(set: ApplySet, files: impl Iterator<Item = &'f mut FileReport>) {
    let mut sets: BTreeMap<PathBuf, Definitions> = BTreeMap::new();
    for report in files {
        let folder = Path::new(&report.file).parent().unwrap_or(Path::new(""));
        let set = match set {
            ApplySet::File => continue,
            ApplySet::Folder => folder.to_owned(),
            ApplySet::All => PathBuf::new(),
        };
        let definitions = sets.entry(set).or_default();
        let found = report
            .named
            .iter()
            .filter_map(|object| definitions.add(object));
        report.findings.extend(found);
        report.findings.sort_by_key(|finding| finding.line);
    }
}
