//! Quoted scalars with a line that isn't indented more than the surrounding object.
//!
//! Kubernetes accepts them, the parser doesn't. White space at the beginning of such a line has no
//! meaning, so this module inserts it.

use std::ops::Range;

use granit_parser::{ErrorKind, Scanner, StrInput};

use super::MAX_GROWTH;
use super::compose::MOST;
use super::text::{HEADROOM, Yaml};
use crate::error::SchemeError;
use crate::input::tree::Node;

/// Reads the documents of a text in which a quoted scalar continues in such a line. Returns nothing
/// if white space doesn't help.
pub(super) fn documents(yaml: &mut Yaml<'_>) -> Option<Result<Vec<Node<'static>>, SchemeError>> {
    let indents = indents(yaml.text)?;
    let text = indented(yaml.text, &indents);
    let (read, is_unindented) = yaml.compose(&text);
    if is_unindented {
        return None;
    }
    let read = read.map(|read| read.into_iter().map(Node::into_owned).collect());
    Some(read.map_err(|error| unmoved(error, yaml.text, &indents)))
}

/// White space to insert at the beginning of a line.
#[derive(Debug, PartialEq, Eq)]
struct Indent {
    /// The byte offset of the line.
    line: usize,
    spaces: usize,
}

/// Returns the white space to insert, in order. Returns nothing if it would be many times larger
/// than the text.
fn indents(text: &str) -> Option<Vec<Indent>> {
    let (mut indents, mut left) = (
        Vec::new(),
        text.len()
            .saturating_mul(MAX_GROWTH)
            .saturating_add(HEADROOM),
    );
    for scalar in (Scalars { text, from: 0 }) {
        let before = text.get(..scalar.start)?;
        let line = before.rsplit(['\n', '\r']).next()?;
        // The surrounding object begins at or before the column of the scalar.
        let column = line.chars().count() + 1;
        let mut place = scalar.start;
        for line in text.get(scalar)?.split_inclusive(['\n', '\r']) {
            let written = line.trim_start_matches(' ');
            let spaces = column.saturating_sub(line.len() - written.len());
            let is_first = place == before.len();
            if !is_first && !written.trim_end_matches(['\n', '\r']).is_empty() && spaces > 0 {
                left = left.checked_sub(spaces)?;
                indents.push(Indent {
                    line: place,
                    spaces,
                });
            }
            place += line.len();
        }
    }
    Some(indents)
}

/// Inserts white space.
fn indented(text: &str, indents: &[Indent]) -> String {
    let added: usize = indents.iter().map(|indent| indent.spaces).sum();
    let (mut new, mut end) = (String::with_capacity(text.len() + added), 0);
    for Indent { line, spaces } in indents {
        new += text.get(end..*line).unwrap_or_default();
        new.extend(std::iter::repeat_n(' ', *spaces));
        end = *line;
    }
    new + text.get(end..).unwrap_or_default()
}

/// Returns an error with the column that it has without the inserted white space.
fn unmoved(error: SchemeError, text: &str, indents: &[Indent]) -> SchemeError {
    let place = error.location().line.zip(error.location().column);
    let Some((line, column)) = place else {
        return error;
    };
    let mut begin = 0;
    for _ in 1..line {
        let rest = text.get(begin..).unwrap_or_default();
        let Some(end) = rest.find(['\n', '\r']) else {
            break;
        };
        let is_pair = rest.get(end..).is_some_and(|end| end.starts_with("\r\n"));
        begin += end + 1 + usize::from(is_pair);
    }
    let found = indents.binary_search_by_key(&begin, |indent| indent.line);
    let inserted = found.ok().and_then(|index| indents.get(index));
    let spaces = inserted.map_or(0, |indent| indent.spaces);
    error.on(Some((line, column.saturating_sub(spaces).max(1))))
}

/// The quoted scalars that the parser doesn't accept, each from its first quote to its last.
///
/// Nothing but a comment can follow one in its line, and what the next line begins has a place of
/// its own, so that the text is read from there, without what stands before.
struct Scalars<'t> {
    text: &'t str,
    from: usize,
}

impl Iterator for Scalars<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.from..)?;
        let options = granit_parser::options! {
            emit_comments: false,
            flow_nesting_limit: MOST,
            block_nesting_limit: MOST,
        };
        let mut read = 0;
        let problem = Scanner::with_options(StrInput::new(rest), options).find_map(|token| {
            let token = token.map_err(|error| error.kind().clone());
            let end = token.map(|token| token.span().end.byte_offset());
            end.map(|end| read = end.unwrap_or(read).max(read)).err()
        })?;
        if problem != ErrorKind::InvalidQuotedScalarIndent {
            return None;
        }
        let scalar = rest.get(read..).and_then(without_properties)?;
        let start = self.text.len() - scalar.len();
        let end = start + length(scalar)?;
        let after = self.text.get(end..)?;
        let line = after.find(['\n', '\r']).map_or(after.len(), |end| end + 1);
        self.from = end + line;
        Some(start..end)
    }
}

/// Returns what follows white space, comments, signs, tags and anchors: a quoted scalar.
fn without_properties(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    while !rest.starts_with(['"', '\'']) {
        let end = match rest.chars().next()? {
            '-' | '?' | ':' => 1,
            '#' => rest.find(['\n', '\r'])?,
            '!' | '&' => rest.find(char::is_whitespace)?,
            _ => return None,
        };
        rest = rest.get(end..)?.trim_start();
    }
    Some(rest)
}

/// Returns the length of the quoted scalar that a text begins with.
fn length(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().peekable();
    let (_, quote) = characters.next()?;
    while let Some((offset, character)) = characters.next() {
        match character {
            '\\' if quote == '"' => drop(characters.next()),
            '\'' if quote == '\'' && characters.next_if(|next| next.1 == '\'').is_some() => {}
            character if character == quote => return Some(offset + 1),
            _ => {}
        }
    }
    None
}
