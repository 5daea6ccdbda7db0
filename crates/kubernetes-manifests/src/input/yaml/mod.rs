//! YAML documents as trees, read as Kubernetes reads them.
//!
//! Kubernetes reads YAML 1.1 with `go.yaml.in/yaml/v2` and converts it to JSON. The parser provides
//! the structure of YAML; this module decides the values of [scalars](scalar) and merge keys, and
//! which texts are errors. `tests/e2e/tests/yaml` compares the two, and lists the differences.

mod compose;
mod scalar;
mod unindented;

use granit_parser::Marker;

use self::compose::{Composer, Problem};
use super::tree::{Node, Position};
use crate::error::{Reason, SchemeError};

/// The factor by which aliases may enlarge a text, beyond [`HEADROOM`].
const MAX_GROWTH: usize = 10;

/// The size to which aliases may enlarge even a small text.
pub(crate) const HEADROOM: usize = 256 << 10;

/// The byte order mark, which may begin a text.
const MARK: char = '\u{feff}';

/// A text of YAML, and how it is read.
#[derive(Clone, Copy)]
pub(crate) struct Yaml<'t> {
    text: &'t str,
    /// True if the text is read as kubectl reads a file, which ends the last line like the others.
    /// A server doesn't change a body.
    is_file: bool,
    /// True if duplicate keys are kept, including those of merge keys. Otherwise a duplicate key is
    /// an error.
    keeps_duplicates: bool,
    /// True if the text before it ended with `...`.
    pub(crate) is_after_end: bool,
    /// The weight that aliases may still add beyond a multiple of the text.
    pub(crate) headroom: usize,
}

impl<'t> Yaml<'t> {
    /// The body of a request.
    pub(crate) fn body(text: &'t str) -> Self {
        Self {
            text,
            is_file: false,
            keeps_duplicates: false,
            is_after_end: false,
            headroom: HEADROOM,
        }
    }

    /// A file, or a part of one.
    pub(crate) fn file(text: &'t str) -> Self {
        Self {
            is_file: true,
            ..Self::body(text)
        }
    }

    pub(crate) fn keeping_duplicates(self) -> Self {
        Self {
            keeps_duplicates: true,
            ..self
        }
    }

    /// Reads the documents, except empty ones.
    ///
    /// # Errors
    ///
    /// When the text is not YAML, Kubernetes doesn't read it, or it is too large.
    pub(crate) fn documents(&mut self) -> Result<Vec<Node<'t>>, SchemeError> {
        let (read, problem) = self.compose(self.text);
        let is_unindented = matches!(problem, Some(Problem::Unindented { .. }));
        if let Err(strange) = self.check_characters() {
            // An earlier error of the parser takes precedence.
            let line = |error: &SchemeError| error.location().line;
            let is_first = |error: &SchemeError| line(error) < line(&strange);
            let damaged = read.err().filter(|error| !is_unindented && is_first(error));
            return Err(damaged.unwrap_or(strange));
        }
        match problem {
            Some(Problem::Unindented { line }) => unindented::documents(self, line).unwrap_or(read),
            _ => read,
        }
    }

    /// Returns the only document.
    ///
    /// # Errors
    ///
    /// As [`documents`](Self::documents), and when there is none or several.
    pub(crate) fn document(mut self) -> Result<Node<'t>, SchemeError> {
        let documents = self.documents()?;
        let found = documents.len();
        match <[_; 1]>::try_from(documents) {
            Ok([document]) => Ok(document),
            Err(_) => Err(Reason::Documents { found }.into()),
        }
    }

    /// Reads another text in the same way, and returns the error of the parser, too.
    fn compose<'o>(
        &mut self,
        text: &'o str,
    ) -> (Result<Vec<Node<'o>>, SchemeError>, Option<Problem>) {
        let grown = text.len().saturating_mul(MAX_GROWTH);
        let left = self.headroom.saturating_add(grown);
        let mut composer = Composer::new(Yaml { text, ..*self }, left);
        let documents = composer.documents();
        // A document with a syntax error counts as far as it has been read.
        self.headroom = composer.left.min(self.headroom);
        (documents, composer.problem)
    }

    /// Rejects characters that YAML 1.1 allows only as escapes, and those that end a line only in
    /// YAML 1.1.
    fn check_characters(&self) -> Result<(), SchemeError> {
        let plain = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
        if self.text.bytes().all(plain) {
            return Ok(());
        }
        let allowed = |character: char| {
            matches!(
                character,
                '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{2027}'
                    | '\u{202a}'..='\u{fffd}' | '\u{10000}'..
            ) && character != MARK
        };
        let body = self.text.strip_prefix(MARK).unwrap_or(self.text);
        let Some((offset, found)) = body.char_indices().find(|(_, c)| !allowed(*c)) else {
            return Ok(());
        };
        let before = body.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        let message = format!(
            "YAML doesn't allow the character {}; write it as an escape in double quotes",
            found.escape_unicode()
        );
        Err(syntax(message, Some((line, column))))
    }
}

fn syntax(message: String, position: Option<Position>) -> SchemeError {
    SchemeError::from(Reason::Syntax { message }).on(position)
}

fn position(marker: &Marker) -> Position {
    (marker.line(), marker.col() + 1)
}
