//! The parts of texts that are left aside, because they are no manifests, or not yet.

use std::cell::LazyCell;

use kubernetes_manifests::scheme::Part;

use crate::kinds;
use crate::lint::Note;
use crate::template::{self, Placeholders};

/// Finds the damaged parts of a text that are left aside.
pub(crate) struct Aside<'t> {
    placeholders: LazyCell<Placeholders<'t>, Make<'t, Placeholders<'t>>>,
    has_object: LazyCell<bool, Make<'t, bool>>,
}

type Make<'t, T> = Box<dyn FnOnce() -> T + 't>;

/// A part, or a whole text, that is left aside.
pub(crate) enum Left {
    /// The whole text: it is a template, with a placeholder in this line.
    Template(usize),
    /// The part.
    Part,
}

impl<'t> Aside<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self {
            placeholders: LazyCell::new(Box::new(|| Placeholders::of(text))),
            has_object: LazyCell::new(Box::new(|| template::has_object(text))),
        }
    }

    /// Returns what is left aside because of a part, if anything is.
    pub(crate) fn left(&self, part: &Part<'_>) -> Option<Left> {
        let error = part.object.as_ref().err()?;
        if let Some(line) = self.placeholders.cause(error) {
            return Some(Left::Template(line));
        }
        // Beside a manifest, what is damaged is one, too: kubectl refuses the whole file.
        (kinds::is_damaged(part) && !*self.has_object).then_some(Left::Part)
    }
}

impl Left {
    /// Returns the reason.
    pub(crate) const fn note(&self) -> Note {
        match self {
            Self::Template(_) => Note::Template,
            Self::Part => Note::NoManifest,
        }
    }
}
