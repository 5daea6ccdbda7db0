//! Tabs where Kubernetes' reader takes spaces only.
//!
//! It skips a tab between the tokens of a line, but neither before the first one nor after a sign
//! that can have a key behind it: `-`, `?`, and `:` at the beginning of a line. The parser does, as
//! YAML 1.2 has it.

use std::ops::Range;

use super::text::syntax;
use crate::error::SchemeError;

/// The parts of a text in which tabs have other rules.
#[derive(Default)]
pub(super) struct Tabs {
    /// Quoted and block scalars, and what is in brackets, with the first column of tabs.
    free: Vec<(Range<usize>, usize)>,
    /// Plain scalars outside of brackets, with the first column at which one goes on.
    plain: Vec<(Range<usize>, usize)>,
}

impl Tabs {
    /// Adds a part in which tabs are allowed.
    pub(super) fn add_free(&mut self, part: Range<usize>) {
        self.free.push((part, 0));
    }

    /// Adds a block scalar, whose indentation is of spaces.
    pub(super) fn add_block(&mut self, part: Range<usize>, text: &str) {
        let before = text.get(..part.start).unwrap_or_default();
        let begin = before.rfind('\n').map_or(0, |end| end + 1);
        // The parser's place is that of the sign before the text, or of its first character.
        let is_sign = text
            .get(part.start..)
            .is_some_and(|text| text.starts_with(['|', '>']));
        let mut lines = text.get(begin..part.end).unwrap_or_default().lines();
        if is_sign {
            lines.next();
        }
        let mut first = 0;
        for line in lines {
            let rest = line.trim_start_matches(' ');
            if !rest.is_empty() && !rest.starts_with('\t') {
                first = line.len() - rest.len();
                break;
            }
        }
        self.free.push((part, first));
    }

    /// Adds a plain scalar that goes on at a column, counted from 0.
    pub(super) fn add_plain(&mut self, part: Range<usize>, column: usize) {
        // A value that is left out has no place of its own.
        if !part.is_empty() {
            self.plain.push((part, column));
        }
    }

    /// Checks that Kubernetes' reader takes all tabs.
    ///
    /// # Errors
    ///
    /// At the first that it refuses.
    pub(super) fn check(&self, text: &str) -> Result<(), SchemeError> {
        // The beginning of the line, and the end of what stands before it, without white space.
        let (mut begin, mut written) = (0, 0);
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if let Some(column) = self.misplaced(line, begin, written) {
                let message =
                    "Kubernetes takes no tab here; write spaces, or nothing in an empty line";
                // All before it is of one byte each.
                return Err(syntax(message.to_owned(), Some((number + 1, column + 1))));
            }
            let length = line.trim_end().len();
            written = if length > 0 { begin + length } else { written };
            begin += line.len();
        }
        Ok(())
    }

    /// Returns the column of a tab in a line that Kubernetes' reader refuses.
    fn misplaced(&self, line: &str, begin: usize, written: usize) -> Option<usize> {
        if !line.contains('\t') {
            return None;
        }
        let byte = |column: usize| line.as_bytes().get(column).copied();
        let after_spaces = |from: usize| (from..).find(|column| byte(*column) != Some(b' '));
        let mut column = after_spaces(0)?;
        if let Some(first) = part_of(&self.free, begin) {
            return (byte(column) == Some(b'\t') && column < first).then_some(column);
        }
        if byte(column) == Some(b'\t') {
            let first = self.continued_from(begin, written);
            return first.is_none_or(|first| column < first).then_some(column);
        }
        if part_of(&self.plain, begin + column).is_some() {
            return None;
        }
        while matches!(byte(column), Some(b'-' | b'?' | b':'))
            && matches!(byte(column + 1), Some(b' ' | b'\t'))
        {
            column = after_spaces(column + 1)?;
            if byte(column) == Some(b'\t') {
                return Some(column);
            }
        }
        None
    }

    /// Returns the first column of a plain scalar that a line goes on, or could.
    fn continued_from(&self, begin: usize, written: usize) -> Option<usize> {
        let before = self.plain.partition_point(|(part, _)| part.start < begin);
        let (part, first) = self.plain.get(before.checked_sub(1)?)?;
        (part.end >= written).then_some(*first)
    }
}

/// Returns the column of the part that a place is in and that begins before it. The parts are in
/// order.
fn part_of(parts: &[(Range<usize>, usize)], place: usize) -> Option<usize> {
    let before = parts.partition_point(|(part, _)| part.start < place);
    let (part, column) = parts.get(before.checked_sub(1)?)?;
    (place < part.end).then_some(*column)
}
