//! A text of YAML, and its errors.

use granit_parser::Marker;

use crate::error::{Reason, SchemeError};
use crate::input::tree::Position;

/// The size to which aliases may enlarge even a small text.
pub(crate) const HEADROOM: usize = 256 << 10;

/// A text of YAML, and how it is read.
#[derive(Clone, Copy)]
pub(crate) struct Yaml<'t> {
    pub(super) text: &'t str,
    /// True if the text is read as kubectl reads a file, which ends the last line like the others.
    /// A server doesn't change a body.
    pub(super) is_file: bool,
    /// True if duplicate keys are kept, including those of merge keys. Otherwise a duplicate key is
    /// an error.
    pub(super) keeps_duplicates: bool,
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
}

pub(super) fn syntax(message: String, position: Option<Position>) -> SchemeError {
    SchemeError::from(Reason::Syntax { message }).on(position)
}

pub(super) fn position(marker: &Marker) -> Position {
    (marker.line(), marker.col() + 1)
}

/// Returns what is wrong with the directives before a document, which may be the first.
pub(super) fn foreign_directive(
    before: &str,
    yaml: &Yaml<'_>,
    is_first: bool,
) -> Option<&'static str> {
    for line in before.lines() {
        if !line.starts_with('%') {
            continue;
        }
        // Without a document before them, it takes them for one.
        if yaml.is_file && is_first {
            return Some("kubectl reads no directives");
        }
        let name = line.split_whitespace().next().unwrap_or_default();
        if name != "%YAML" && name != "%TAG" {
            return Some("YAML has no directives but `%YAML` and `%TAG`");
        }
    }
    None
}

/// Returns what is wrong with an escape of a text in double quotes that YAML 1.1 doesn't have.
pub(super) fn foreign_escape(text: &str) -> Option<&'static str> {
    let mut rest = text;
    while let Some((_, escape)) = rest.split_once('\\') {
        let mut characters = escape.chars();
        match characters.next() {
            Some('/') => return Some("YAML 1.1 has no escape `\\/`; write `/`"),
            // A half of a pair, as JSON writes characters beyond 16 bits.
            Some('u')
                if matches!(
                    escape.as_bytes(),
                    [_, b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]
                ) =>
            {
                return Some("YAML has no pairs of escapes; write `\\U` and eight digits");
            }
            _ => rest = characters.as_str(),
        }
    }
    None
}
