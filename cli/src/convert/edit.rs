//! Changes of a text that leave the rest of it as it is.

use std::ops::Range;

/// A part of a text, and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// Makes all changes. They must not overlap.
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

/// Gives a field another value: its name is at a position, and its value is a plain or quoted text,
/// whose quotes stay. Returns nothing if there is another field or value.
pub(super) fn set(
    text: &str,
    position: (usize, usize),
    (name, old, new): (&str, &str, &str),
) -> Option<Edit> {
    let start = offset(text, position)?;
    let rest = text.get(start..)?;
    let quoted = |quote: char| rest.strip_prefix(&format!("{quote}{name}{quote}"));
    let after =
        rest.strip_prefix(name).or_else(|| quoted('"')).or_else(|| quoted('\''))?;
    let value = after.trim_start_matches([' ', '\t']).strip_prefix(':')?.trim_start();
    let is_open = value.starts_with(['"', '\'']);
    let value = value.get(usize::from(is_open)..)?;
    let follows = value.strip_prefix(old)?;
    let ends = if is_open {
        follows.starts_with(['"', '\''])
    } else {
        follows.is_empty() || follows.starts_with([' ', '\t', '\r', '\n', ',', '}', ']'])
    };
    let start = text.len() - value.len();
    ends.then(|| Edit {
        range: start..start + old.len(),
        text: new.to_owned(),
    })
}

/// Replaces the document that has a line, up to the next marker, but for comments before it.
pub(super) fn document(text: &str, line: usize, new: &str) -> Option<Edit> {
    let mut lines = Vec::new();
    let mut start = 0;
    for part in text.split_inclusive('\n') {
        lines.push((start, part));
        start += part.len();
    }
    let is_marker =
        |line: &str| ["---", "..."].iter().any(|marker| line.starts_with(marker));
    let index = line.checked_sub(1)?;
    let before = lines.get(..index)?.iter().rposition(|(_, line)| is_marker(line));
    let is_content = |line: &str| {
        let line = line.trim_start();
        !line.trim_end().is_empty() && !line.starts_with('#')
    };
    let mut rest = lines.iter().skip(before.map_or(0, |marker| marker + 1));
    let (start, _) = rest.find(|(_, line)| is_content(line))?;
    let end = lines.get(index..)?.iter().find(|(_, line)| is_marker(line));
    let end = end.map_or(text.len(), |(end, _)| *end);
    (*start < end).then(|| Edit {
        range: *start..end,
        text: new.to_owned(),
    })
}

/// The byte at a line and a column, which are counted from 1 and, the column, in characters.
fn offset(text: &str, (line, column): (usize, usize)) -> Option<usize> {
    let mut start = 0;
    for part in text.split_inclusive('\n').take(line.checked_sub(1)?) {
        start += part.len();
    }
    let mut places = text.get(start..)?.char_indices();
    let (inside, _) = places.nth(column.checked_sub(1)?)?;
    Some(start + inside)
}
