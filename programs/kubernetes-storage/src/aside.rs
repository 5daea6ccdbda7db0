//! The parts of texts that are left aside, because they are no manifests, or not yet.

use std::cell::OnceCell;

use kubernetes_manifests::scheme::Part;

use crate::kinds;
use crate::lint::Note;
use crate::template::{self, Placeholders};

/// Finds the damaged parts of a text that are left aside.
pub(crate) struct Aside<'t> {
    text: &'t str,
    placeholders: OnceCell<Placeholders<'t>>,
    has_object: OnceCell<bool>,
}

/// A part, or a whole text, that is left aside.
pub(crate) enum Left {
    /// The whole text: it is a template, with a placeholder in this line.
    Template(usize),
    /// The part.
    Part,
}

impl<'t> Aside<'t> {
    pub(crate) const fn of(text: &'t str) -> Self {
        Self {
            text,
            placeholders: OnceCell::new(),
            has_object: OnceCell::new(),
        }
    }

    /// Returns what is left aside because of a part, if anything is.
    pub(crate) fn left(&self, part: &Part<'_>) -> Option<Left> {
        let error = part.object.as_ref().err()?;
        let placeholders = || Placeholders::of(self.text);
        if let Some(line) = self.placeholders.get_or_init(placeholders).cause(error) {
            return Some(Left::Template(line));
        }
        // Beside a manifest, what is damaged is one, too: kubectl refuses the whole file.
        let has_object = || template::has_object(self.text);
        let is_none = kinds::is_damaged(part) && !self.has_object.get_or_init(has_object);
        is_none.then_some(Left::Part)
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
