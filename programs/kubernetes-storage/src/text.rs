//! Helpers for the texts of messages.

/// Returns the known name that `found` is probably a misspelling of.
pub(crate) fn nearest<'n>(found: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let lowered = found.to_lowercase();
    let distance = |name: &str| strsim::osa_distance(&lowered, &name.to_lowercase());
    let most = found.chars().count().div_ceil(4).max(1);
    known
        .map(|name| (distance(name), name))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, name)| name)
}

/// Returns the text, cut off with `…` after `max` characters.
pub(crate) fn truncate(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns what follows the marker that starts a document, if a line has it.
pub(crate) fn after_marker(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("---")?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '\r'])).then_some(rest)
}

/// Returns true if the beginning of a line of YAML ends in quotes that are open. A quote inside of
/// a word, as in `it's`, opens none.
pub(crate) fn is_in_quotes(line: &str) -> bool {
    let (mut open, mut before, mut is_escaped) = (None, ' ', false);
    for c in line.chars() {
        match open {
            Some(_) if is_escaped => is_escaped = false,
            Some('"') if c == '\\' => is_escaped = true,
            Some(quote) if c == quote => open = None,
            None if matches!(c, '"' | '\'') && " \t[{,(\"'".contains(before) => open = Some(c),
            _ => (),
        }
        before = c;
    }
    open.is_some()
}

/// A block scalar, whose lines are text.
#[derive(Default)]
pub(crate) struct BlockScalar {
    /// The indentation of the line that begins it, as long as it lasts.
    outer: Option<usize>,
}

impl BlockScalar {
    /// Takes the next line, and returns true if it is in a block scalar.
    pub(crate) fn has(&mut self, line: &str) -> bool {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if let Some(outer) = self.outer {
            if line.trim().is_empty() || indent > outer {
                return true;
            }
            self.outer = None;
        }
        let last = line.split_whitespace().next_back().unwrap_or_default();
        let signs = last.strip_prefix(['|', '>']);
        let is_begun = signs.is_some_and(|signs| signs.chars().all(|c| "+-123456789".contains(c)));
        self.outer = is_begun.then_some(indent);
        false
    }
}

/// Returns a number with its noun, as in `1 file` and `2 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
