//! The report of one file.

use std::sync::Arc;

use super::duplicates::NamedObject;
use super::finding::{Finding, Message, Severity, Subject};
use super::messages;
use super::note::Note;

/// The findings in one file, and what it contains.
#[derive(Default)]
pub struct FileReport {
    /// The file, as it was named.
    pub file: String,
    /// The bytes of its name, if it isn't UTF-8.
    pub raw_name: Option<Vec<u8>>,
    /// The findings, by line and in the order of the text.
    pub findings: Vec<Finding>,
    /// The number of checked objects, including those that can't be decoded.
    pub objects: usize,
    /// The checked objects that have a name, each once.
    pub(super) named: Vec<NamedObject>,
    /// The documents and items of lists of other kinds, for messages.
    pub left_alone: Vec<String>,
    /// The reason why the file, or a part of it, is not checked, if it isn't.
    pub note: Option<Note>,
}

impl FileReport {
    /// Returns the report of a file that isn't checked.
    pub(super) fn left_alone(file: &str, note: Note) -> Self {
        Self::of_file(file, 1, messages::note(note, ""), Some(note))
    }

    /// Drops the notes among the findings.
    pub(super) fn drop_notes(&mut self) {
        self.findings
            .retain(|finding| finding.message.severity != Severity::Note);
    }

    /// Returns the report of a file that isn't UTF-8 from a line on.
    pub(super) fn not_utf8(file: &str, line: usize) -> Self {
        Self::of_file(file, line, messages::not_utf8(), None)
    }

    fn of_file(file: &str, line: usize, message: Message, note: Option<Note>) -> Self {
        let subject = Subject {
            document: 1,
            ..Subject::default()
        };
        Self {
            file: file.to_owned(),
            findings: vec![Finding {
                file: file.into(),
                line,
                column: None,
                subject: Arc::new(subject),
                message,
            }],
            note,
            ..Self::default()
        }
    }
}
