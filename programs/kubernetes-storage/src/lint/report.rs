//! The report of one file.

use std::path::PathBuf;
use std::sync::Arc;

use super::comments::{Comments, Request};
use super::duplicates::NamedObject;
use super::finding::{Finding, Message, Severity, Subject};
use super::levels::{self, Levels};
use super::messages;
use super::note::Note;
use super::sources::Sources;
use crate::rules;

/// The findings in one file, and what it contains.
#[derive(Default)]
pub struct FileReport {
    /// The file, as it was named.
    pub file: String,
    /// Its path, if it is a file.
    pub path: Option<PathBuf>,
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
    /// The comments that hide findings.
    pub(super) comments: Comments,
}

impl FileReport {
    /// Drops the findings that comments hide, adds those about the comments, and gives all the
    /// levels of their rules.
    pub fn settle(&mut self, levels: &Levels) {
        let Self {
            file,
            findings,
            comments,
            ..
        } = self;
        findings.retain(|finding| !comments.hide(finding.message.rule, finding.line));
        for comment in comments.iter() {
            let about = about(&comment.request).into_iter();
            findings.extend(about.map(|message| Finding {
                line: comment.line,
                ..Self::of_document(file, comment.document, message)
            }));
        }
        findings.retain_mut(|finding| levels::keep(levels, &mut finding.message));
        findings.sort_by_key(|finding| finding.line);
    }

    /// Returns the report of a file that isn't checked.
    pub(super) fn left_alone(file: &str, note: Note) -> Self {
        Self::of_file(file, 1, messages::note(note, ""), Some(note))
    }

    /// Adds the files from which the documents come.
    pub(super) fn add_sources(&mut self, sources: &Sources) {
        for finding in &mut self.findings {
            finding.source = sources.at(finding.line);
        }
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
        Self {
            file: file.to_owned(),
            findings: vec![Finding {
                line,
                ..Self::of_document(file, 1, message)
            }],
            note,
            ..Self::default()
        }
    }

    /// Returns a finding about a document whose object isn't known.
    fn of_document(file: &str, document: usize, message: Message) -> Finding {
        let subject = Subject {
            document,
            ..Subject::default()
        };
        Finding {
            file: file.into(),
            source: None,
            line: 1,
            column: None,
            subject: Arc::new(subject),
            message,
        }
    }
}

/// Returns what is to be said about a comment.
fn about(request: &Request) -> Vec<Message> {
    match request {
        Request::Unknown(text) => vec![messages::unknown_rule(text)],
        Request::Ignore(rules) => {
            let messages = rules
                .iter()
                .filter_map(|(id, is_used)| match rules::named(id) {
                    Err(text) => Some(messages::unknown_rule(&text)),
                    Ok(_) => (!is_used).then(|| messages::unused_ignore(id)),
                });
            messages.collect()
        }
    }
}
