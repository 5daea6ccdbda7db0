//! Edits of a text that leave the rest of it unchanged.

use std::ops::Range;

use serde::de::IgnoredAny;

/// A range of a text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// Applies edits, which must not overlap.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let (mut changed, mut end) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        changed += text.get(end..edit.range.start).unwrap_or_default();
        changed += &edit.text;
        end = edit.range.end;
    }
    changed + text.get(end..).unwrap_or_default()
}

/// A text with the positions of its lines.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// The offset of each line, after a byte order mark, which is in no column and stays.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(index, _)| index + 1);
        let starts = std::iter::once(0).chain(ends).map(|start| {
            let line = text.get(start..).unwrap_or_default();
            let unmarked = line.strip_prefix('\u{feff}').unwrap_or(line);
            start + line.len() - unmarked.len()
        });
        Self {
            text,
            starts: starts.collect(),
        }
    }

    /// Returns a line, counted from 0, with its end.
    fn line(&self, index: usize) -> Option<&'t str> {
        let start = *self.starts.get(index)?;
        let end = self
            .starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.text.len());
        self.text.get(start..end)
    }

    /// Returns the byte offset of a line and a column in characters, both counted from 1.
    fn offset(&self, (line, column): (usize, usize)) -> Option<usize> {
        let index = line.checked_sub(1)?;
        let (inside, _) = self
            .line(index)?
            .char_indices()
            .nth(column.checked_sub(1)?)?;
        Some(self.starts.get(index)? + inside)
    }

    /// Returns the edit that replaces the value of the field at a position; quotes stay. Returns
    /// nothing if another field or value is there, or a value that is neither plain nor quoted.
    pub(super) fn set(
        &self,
        position: (usize, usize),
        (name, old, new): (&str, &str, &str),
    ) -> Option<Edit> {
        let rest = self.text.get(self.offset(position)?..)?;
        let after = after_name(rest, name)?;
        let value = after
            .trim_start_matches([' ', '\t'])
            .strip_prefix(':')?
            .trim_start();
        let is_open = value.starts_with(['"', '\'']);
        let value = value.get(usize::from(is_open)..)?;
        let follows = value.strip_prefix(old)?;
        let ends = if is_open {
            follows.starts_with(['"', '\''])
        } else {
            follows.is_empty() || follows.starts_with([' ', '\t', '\r', '\n', ',', '}', ']'])
        };
        let start = self.text.len() - value.len();
        ends.then(|| Edit {
            range: start..start + old.len(),
            text: new.to_owned(),
        })
    }

    /// Returns the edit that gives the field at a position another name; quotes stay. Returns
    /// nothing if another field is there.
    pub(super) fn rename(
        &self,
        position: (usize, usize),
        (old, new): (&str, &str),
    ) -> Option<Edit> {
        let start = self.offset(position)?;
        let rest = self.text.get(start..)?;
        after_name(rest, old)?;
        let start = start + usize::from(rest.starts_with(['"', '\'']));
        Some(Edit {
            range: start..start + old.len(),
            text: new.to_owned(),
        })
    }

    /// Returns the edit that replaces the document with a line, up to the next marker, but keeps
    /// the comments before it.
    pub(super) fn document(&self, line: usize, new: &str) -> Option<Edit> {
        let is_marker = |index: &usize| {
            let line = self.line(*index).unwrap_or_default();
            ["---", "..."].iter().any(|marker| line.starts_with(marker))
        };
        let is_content = |index: &usize| {
            let line = self.line(*index).unwrap_or_default().trim();
            !line.is_empty() && !line.starts_with('#')
        };
        let index = line.checked_sub(1)?;
        let before = (0..index).rev().find(is_marker);
        let start = (before.map_or(0, |marker| marker + 1)..=index).find(is_content)?;
        let end = (index..self.starts.len()).find(is_marker);
        let start = *self.starts.get(start)?;
        let end = end.and_then(|end| self.starts.get(end).copied());
        let range = start..end.unwrap_or(self.text.len());
        let old = self.text.get(range.clone())?;
        // All lines of a text end alike, as far as it has any.
        let first = [old, self.text]
            .iter()
            .find_map(|text| text.split_once('\n'));
        let text = match first.is_some_and(|(line, _)| line.ends_with('\r')) {
            true => new.replace('\n', "\r\n"),
            false => new.to_owned(),
        };
        Some(Edit { range, text })
    }

    /// Returns the edit that replaces the object whose first field is at a position, if it is
    /// written as JSON.
    pub(super) fn json(&self, first: (usize, usize), new: &str) -> Option<Edit> {
        let before = self.text.get(..self.offset(first)?)?;
        let start = before.trim_end().strip_suffix('{')?.len();
        let rest = self.text.get(start..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        Some(Edit {
            range: start..start + values.byte_offset(),
            text: new.to_owned(),
        })
    }
}

/// Returns what follows a name, which may be quoted, at the start of a text.
fn after_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let quoted = |quote: char| text.strip_prefix(&format!("{quote}{name}{quote}"));
    text.strip_prefix(name)
        .or_else(|| quoted('"'))
        .or_else(|| quoted('\''))
}
