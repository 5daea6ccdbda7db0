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

/// Returns a number with its noun, as in `1 file` and `2 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
