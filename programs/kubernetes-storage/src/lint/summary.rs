//! The numbers of a run.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::finding::{Finding, Severity};
use super::note::Note;
use super::report::FileReport;
use crate::search::NotRead;
use crate::text::counted;

/// The numbers of a run, shown as `2 files, 3 objects, 2 errors, 1 warning`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    /// Files that were read.
    pub(super) files: usize,
    /// Checked objects.
    pub(super) objects: usize,
    /// Errors.
    pub(super) errors: usize,
    /// Warnings.
    pub(super) warnings: usize,
    /// Templates, which are not checked, and files with placeholders.
    pub(super) templates: usize,
    /// Files of tests with parts of objects.
    pub(super) assertions: usize,
    /// Patches of kustomizations.
    pub(super) patches: usize,
    /// Files with a text that is no manifest.
    pub(super) no_manifests: usize,
    /// Documents and items of lists of other kinds.
    pub(super) left_alone: usize,
    /// Files that don't differ from a revision, whose findings don't count.
    pub(super) unchanged: usize,
    /// Files and folders that aren't read.
    #[serde(flatten)]
    pub(super) not_read: NotRead,
}

impl Summary {
    /// Counts the findings and objects of all files.
    pub(super) fn of(files: &[FileReport], unchanged: usize, not_read: NotRead) -> Self {
        let count = |severity| {
            findings(files)
                .filter(|finding| finding.message.severity == severity)
                .count()
        };
        let noted = |note| files.iter().filter(|file| file.note == Some(note)).count();
        Self {
            files: files.len(),
            objects: files.iter().map(|file| file.objects).sum(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            templates: noted(Note::Template),
            assertions: noted(Note::Assertion),
            patches: noted(Note::Patch),
            no_manifests: noted(Note::NoManifest),
            left_alone: files.iter().map(|file| file.left_alone.len()).sum(),
            unchanged,
            not_read,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {}, {}",
            counted(self.files, "file"),
            counted(self.objects, "object"),
            counted(self.errors, "error"),
            counted(self.warnings, "warning")
        )?;
        let noted = [
            (Note::Template, self.templates),
            (Note::Assertion, self.assertions),
            (Note::Patch, self.patches),
            (Note::NoManifest, self.no_manifests),
        ];
        for (note, count) in noted.into_iter().filter(|(_, count)| *count > 0) {
            write!(f, ", {}", note.counted(count))?;
        }
        if self.left_alone > 0 {
            write!(f, ", {} left alone", counted(self.left_alone, "document"))?;
        }
        if self.unchanged > 0 {
            write!(f, ", {} unchanged", counted(self.unchanged, "file"))?;
        }
        write!(f, "{}", self.not_read)
    }
}

/// Returns all findings, in the order of the files.
pub(super) fn findings(files: &[FileReport]) -> impl Iterator<Item = &Finding> {
    files.iter().flat_map(|file| &file.findings)
}
