//! Splits a stream into documents without reading them.

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The text between two document markers of YAML, with the marker before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk<'t> {
    pub(super) text: &'t str,
    /// The number of lines before the chunk.
    pub(super) lines: usize,
    /// True if the chunk follows a `...`.
    pub(super) is_after_end: bool,
}

/// The chunks of a stream.
///
/// A YAML document has no line that begins with `---` or `...`, and a JSON string has no line
/// breaks, so the end of a document is found without reading it.
pub(super) struct Chunks<'t> {
    rest: &'t str,
    lines: usize,
    is_after_end: bool,
    /// True if the next marker follows a text, and so separates documents.
    is_after_text: bool,
}

impl<'t> Chunks<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text.strip_prefix(MARK).unwrap_or(text),
            lines: 0,
            is_after_end: false,
            is_after_text: false,
        }
    }

    /// Returns the end of the next chunk.
    fn end(&self) -> usize {
        // Directives and comments belong to the marker that follows them.
        let mut begun = false;
        let mut at = 0;
        for line in self.rest.split_inclusive('\n') {
            if is_marker(line, "...") {
                return at + line.len();
            }
            let start = is_marker(line, "---");
            if start && begun {
                return at;
            }
            let text = line.trim_start();
            begun |= start || !(text.is_empty() || text.starts_with(['#', '%']));
            at += line.len();
        }
        at
    }
}

impl<'t> Iterator for Chunks<'t> {
    type Item = Chunk<'t>;

    fn next(&mut self) -> Option<Chunk<'t>> {
        if self.rest.is_empty() {
            return None;
        }
        let (text, rest) = self.rest.split_at(self.end());
        let chunk = Chunk {
            text,
            lines: self.lines,
            is_after_end: self.is_after_end,
        };
        // kubectl takes a marker after nothing, not even a comment, for a part of the document.
        let is_separator = self.is_after_text;
        self.is_after_text = match chunk.after_marker() {
            Some(rest) => !is_separator || !rest.is_empty(),
            None => true,
        };
        let chunk = match chunk.without_mark() {
            Some(unmarked) if is_separator => unmarked,
            _ => chunk,
        };
        self.is_after_end = text
            .lines()
            .next_back()
            .is_some_and(|line| is_marker(line, "..."));
        self.lines += text.matches('\n').count();
        self.rest = rest;
        Some(chunk)
    }
}

impl<'t> Chunk<'t> {
    /// Returns the text after the line of the marker, if there is one.
    fn after_marker(self) -> Option<&'t str> {
        let (first, rest) = self.text.split_once('\n').unwrap_or((self.text, ""));
        is_marker(first, "---").then_some(rest)
    }

    /// Returns the text after the marker and a byte order mark that follows it: files with such a
    /// mark can stand one after the other, and kubectl reads each document by itself.
    fn without_mark(self) -> Option<Self> {
        let (first, rest) = self.text.split_once('\n')?;
        let after = first.strip_prefix("---")?;
        let is_comment = after.starts_with([' ', '\t']) && after.trim_start().starts_with('#');
        let is_bare = after.trim_end().is_empty() || is_comment;
        let rest = rest.strip_prefix(MARK).filter(|_| is_bare)?;
        Some(Self {
            // A second mark is damage.
            text: Some(rest).filter(|rest| !rest.starts_with(MARK))?,
            lines: self.lines + 1,
            ..self
        })
    }

    /// Returns the text after the marker, if it begins an object of JSON.
    pub(super) fn json(self) -> Option<Self> {
        let after_marker = match self.text.split_once('\n') {
            Some((first, rest)) if first.trim_end() == "---" => Self {
                text: rest,
                lines: self.lines + 1,
                ..self
            },
            _ => self,
        };
        let text = after_marker
            .text
            .trim_start_matches([' ', '\t', '\r', '\n']);
        text.starts_with('{').then_some(after_marker)
    }

    /// Returns the rest after a number of lines, from the next line that begins a JSON object.
    pub(super) fn next_json(self, lines: usize) -> Option<Self> {
        let mut at = 0;
        for (number, line) in self.text.split_inclusive('\n').enumerate() {
            if number >= lines && line.starts_with('{') {
                return Some(Self {
                    text: self.text.get(at..)?,
                    lines: self.lines + number,
                    ..self
                });
            }
            at += line.len();
        }
        None
    }

    /// Returns the number of the first line after the marker and comments.
    pub(super) fn first_line(self) -> usize {
        let is_text = |line: &str| {
            let text = line.trim_start();
            let is_bare = is_marker(line, "---") && line.trim_end().len() == 3;
            !(text.is_empty() || text.starts_with(['#', '%']) || is_bare)
        };
        let skipped = self.text.lines().position(is_text).unwrap_or_default();
        self.lines + skipped + 1
    }
}

fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t', '\r', '\n']))
}
