//! Collects the findings of an object, with their positions.

use std::sync::Arc;

use kubernetes_kinds::FieldPath;
use kubernetes_manifests::scheme::{Location, Positions};

use super::claims::ClaimTemplate;
use super::finding::{Finding, Message, Subject};
use super::messages;
use super::note::Note;
use super::report::FileReport;
use crate::template;

/// The positions of the fields of an object, or of one inside it.
pub(super) struct Places<'t> {
    positions: Positions<'t>,
    /// The path of the object.
    inside: FieldPath,
    /// The number of segments of a path in the object that the text doesn't have.
    added: usize,
    /// True if what is read isn't the text, but made of it.
    is_anew: bool,
}

impl<'t> Places<'t> {
    pub(super) fn new(positions: Positions<'t>) -> Self {
        Self {
            positions,
            inside: FieldPath::default(),
            added: 0,
            is_anew: false,
        }
    }

    /// Turns to a claim.
    pub(super) fn turn_to(&mut self, claim: &ClaimTemplate) {
        self.inside = claim.path.clone();
        self.added = usize::from(claim.is_spec);
        self.read_anew();
    }

    /// Says that what is read from now on isn't the text, but made of it.
    pub(super) fn read_anew(&mut self) {
        self.is_anew = true;
    }

    /// Returns the line and column of a place that reading found. What stands inside another object
    /// has been read anew.
    pub(super) fn of(&mut self, location: &Location) -> Option<(usize, usize)> {
        match self.is_anew {
            false => location.line.zip(location.column),
            true => self.find(&location.path),
        }
    }

    /// Returns the line and column of the field at a path, or of the nearest around it.
    pub(super) fn find(&mut self, path: &FieldPath) -> Option<(usize, usize)> {
        let (outer, inner) = (self.inside.segments(), path.segments());
        let inner = inner.iter().skip(self.added);
        let whole = outer.iter().chain(inner).cloned().collect();
        self.positions.find(&whole)
    }
}

/// Collects the findings of one object.
pub(super) struct Collector<'a> {
    pub(super) file: Arc<str>,
    pub(super) subject: Arc<Subject>,
    /// The line of the object.
    pub(super) line: usize,
    pub(super) report: &'a mut FileReport,
    /// True if the object can lack fields that it must have.
    pub(super) is_partial: bool,
    /// The fields that the object lacks because their values aren't there yet.
    pub(super) placeholders: Vec<FieldPath>,
    /// The claim in the object that is checked, if one is.
    pub(super) claim: Option<ClaimTemplate>,
}

impl Collector<'_> {
    /// Adds a finding at a line and column.
    pub(super) fn add(&mut self, position: Option<(usize, usize)>, mut message: Message) {
        if let Some(claim) = &self.claim {
            if !claim.is_checked(&message) {
                return;
            }
            message.path = claim.outside(&message.path);
            message.field = message.field.map(|field| claim.outside(&field));
        }
        let finding = self.finding(position, message);
        self.report.findings.push(finding);
    }

    /// Adds a finding, unless it is about a value that isn't there yet.
    pub(super) fn add_unless_placeholder(
        &mut self,
        position: Option<(usize, usize)>,
        message: Message,
    ) {
        match template::is_placeholder(&message.text) || template::is_placeholder(&message.path) {
            true => self.add_placeholder(position, &message.path),
            false => self.add(position, message),
        }
    }

    /// Adds a note on a value that isn't there yet.
    pub(super) fn add_placeholder(&mut self, position: Option<(usize, usize)>, path: &str) {
        self.report.note.get_or_insert(Note::Template);
        self.add(position, messages::placeholder(path));
    }

    /// Adds a note on what isn't checked.
    pub(super) fn add_note(&mut self, position: Option<(usize, usize)>, note: Note) {
        self.report.note.get_or_insert(note);
        self.add(position, messages::note(note, ""));
    }

    pub(super) fn finding(&self, position: Option<(usize, usize)>, message: Message) -> Finding {
        let (line, column) = position.unzip();
        Finding {
            file: Arc::clone(&self.file),
            source: None,
            line: line.unwrap_or(self.line),
            column,
            subject: Arc::clone(&self.subject),
            message,
        }
    }
}
