//! YAML documents as trees, read as Kubernetes reads them.
//!
//! Kubernetes reads YAML 1.1 with `go.yaml.in/yaml/v2` and converts it to JSON. The parser provides
//! the structure of YAML; this module decides the values of [scalars](scalar) and merge keys, and
//! which texts are errors. `tests/e2e/tests/yaml` compares the two, and lists the differences.

mod compose;
mod scalar;
mod tabs;
mod text;
mod timestamp;
mod unindented;

use self::compose::Composer;
use self::text::syntax;
pub(crate) use self::text::{HEADROOM, Yaml};
use super::tree::Node;
use crate::error::{Reason, SchemeError};

/// The factor by which aliases may enlarge a text, beyond [`HEADROOM`].
const MAX_GROWTH: usize = 10;

/// The byte order mark, which may begin a text.
const MARK: char = '\u{feff}';

impl<'t> Yaml<'t> {
    /// Reads the documents, except empty ones.
    ///
    /// # Errors
    ///
    /// When the text is not YAML, Kubernetes doesn't read it, or it is too large.
    pub(crate) fn documents(&mut self) -> Result<Vec<Node<'t>>, SchemeError> {
        let before = *self;
        let (read, is_unindented) = self.compose(self.text);
        if let Err(strange) = self.check_characters() {
            // An earlier error of the parser takes precedence.
            let line = |error: &SchemeError| error.location().line;
            let is_first = |error: &SchemeError| line(error) < line(&strange);
            let damaged = read.err().filter(|error| !is_unindented && is_first(error));
            return Err(damaged.unwrap_or(strange));
        }
        if is_unindented {
            // What has been read doesn't count twice.
            *self = before;
            return unindented::documents(self).unwrap_or(read);
        }
        read
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

    /// Reads another text in the same way. Returns true, too, if a quoted scalar goes on in a line
    /// that isn't indented enough for the parser.
    fn compose<'o>(&mut self, text: &'o str) -> (Result<Vec<Node<'o>>, SchemeError>, bool) {
        let grown = text.len().saturating_mul(MAX_GROWTH);
        let left = self.headroom.saturating_add(grown);
        let mut composer = Composer::new(Yaml { text, ..*self }, left);
        let documents = composer.documents();
        // A document with a syntax error counts as far as it has been read.
        self.headroom = composer.left.min(self.headroom);
        (documents, composer.is_unindented)
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
