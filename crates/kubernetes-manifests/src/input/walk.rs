//! The path of a reader through a document, and the errors that it reports.

use std::collections::HashSet;

use k8s_openapi::serde_json::{Error, Map};

use super::position::{Source, position};
use super::step::{Step, path, segment};
use super::tree::{Field, in_order};
use crate::error::{Location, SchemeError};
use crate::strict::{FieldError, FieldErrorKind};

/// The memory that the locations of strict errors may take beyond [`HEADROOM`], as a multiple of
/// the text: names may be long and contain many errors.
const MAX_GROWTH: usize = 16;

/// The memory in bytes that the locations of strict errors may take even in a small text.
const HEADROOM: usize = 1 << 20;

/// The strict errors of a text.
pub(crate) struct Log {
    /// The memory in bytes that the locations of more errors may take.
    left: usize,
    errors: Vec<FieldError>,
    /// True if a custom resource has been read.
    pub(crate) has_custom: bool,
}

impl Log {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            left: text
                .len()
                .saturating_mul(MAX_GROWTH)
                .saturating_add(HEADROOM),
            errors: Vec::new(),
            has_custom: false,
        }
    }

    /// Returns the number of errors.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// Forgets all errors but so many.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.errors.truncate(len);
    }

    /// Sorts the errors after so many as a server does for custom resources: those of metadata come
    /// first.
    pub(crate) fn sort_after(&mut self, len: usize) {
        let errors = self.errors.split_off(len);
        let mut order = Map::new();
        for (index, error) in errors.iter().enumerate() {
            let rank = u8::from(!error.path.starts_with("metadata."));
            order.insert(format!("{rank}{}", error.path), index.into());
        }
        for index in in_order(order) {
            self.errors.extend(errors.get(index).cloned());
        }
    }

    /// Returns the errors; their memory still counts.
    pub(crate) fn take(&mut self) -> Vec<FieldError> {
        std::mem::take(&mut self.errors)
    }
}

/// The names of the fields that a type has.
pub(crate) type Names = &'static [&'static str];

/// A walk through one object of a document.
pub(crate) struct Walk<'t, 'l> {
    /// The steps from the document to the current value.
    steps: Vec<Step<'t>>,
    /// The number of steps to the object.
    base: usize,
    notices: Option<Notices<'l>>,
}

/// The receiver of strict errors.
struct Notices<'l> {
    location: &'l Location,
    log: &'l mut Log,
    reported: HashSet<(FieldErrorKind, String)>,
}

impl<'t, 'l> Walk<'t, 'l> {
    /// Begins at the object to which the steps lead.
    pub(crate) fn new(steps: &[Step<'t>]) -> Self {
        Self {
            steps: steps.to_vec(),
            base: steps.len(),
            notices: None,
        }
    }

    /// Reports unknown and duplicate fields of the object at that location.
    pub(crate) fn noticing(mut self, location: &'l Location, log: &'l mut Log) -> Self {
        self.notices = Some(Notices {
            location,
            log,
            reported: HashSet::new(),
        });
        self
    }

    pub(crate) fn is_noticing(&self) -> bool {
        self.notices.is_some()
    }

    /// Notes that a custom resource is read.
    pub(crate) fn is_custom(&mut self) {
        if let Some(notices) = &mut self.notices {
            notices.log.has_custom = true;
        }
    }

    pub(crate) fn depth(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn enter(&mut self, step: Step<'t>) {
        self.steps.push(step);
    }

    /// Leaves all values that are deeper.
    pub(crate) fn leave(&mut self, depth: usize) {
        self.steps.truncate(depth);
    }

    /// Returns the error of a type, with the path at which reading stopped, and with its position
    /// if the text is JSON.
    pub(crate) fn failed(&self, source: Option<Source<'_>>, error: &Error) -> SchemeError {
        let error = SchemeError::json(path(&self.steps), error);
        let Some(Source { text, before }) = source else {
            return error;
        };
        error.on(position(text, &self.steps)).after(before)
    }

    /// Reports a field, unless the same error is already reported for its path.
    pub(crate) fn once(&mut self, kind: FieldErrorKind, field: &Field<'_>, known: Names) {
        let path = self.server_path(&field.name);
        if let Some(notices) = &mut self.notices
            && notices.reported.insert((kind, path.clone()))
        {
            self.report(kind, path, field, known);
        }
    }

    /// Reports a field.
    #[cfg(feature = "yaml")]
    pub(crate) fn each(&mut self, kind: FieldErrorKind, field: &Field<'_>) {
        let path = self.server_path(&field.name);
        self.report(kind, path, field, &[]);
    }

    fn report(&mut self, kind: FieldErrorKind, path: String, field: &Field<'_>, known: Names) {
        let Some(Notices { location, log, .. }) = &mut self.notices else {
            return;
        };
        let object = location.object.as_ref().map_or(0, String::len);
        let prefix = self.steps.get(..self.base).unwrap_or_default();
        let prefix = self::path(prefix).to_string().len();
        let Some(left) = log.left.checked_sub(path.len() + prefix + object) else {
            return;
        };
        log.left = left;
        let steps = self.steps.iter().map(Step::segment);
        let (line, column) = field.position.unzip();
        let location = Location {
            path: steps.chain([segment(&field.name)]).collect(),
            line,
            column,
            ..location.clone()
        };
        log.errors.push(FieldError {
            kind,
            path,
            location,
            known,
        });
    }

    /// Returns the path in the object as a server writes it, with names as they are.
    fn server_path(&self, name: &str) -> String {
        let mut path = String::new();
        for step in self.steps.iter().skip(self.base) {
            match step {
                Step::Field(_, field) => {
                    path += &field.name;
                    path.push('.');
                }
                Step::Item(index) => {
                    if path.ends_with('.') {
                        path.pop();
                    }
                    path += &format!("[{index}].");
                }
            }
        }
        path + name
    }
}
