//! The names of the API, under which rustdoc's search finds an item that has another name in Rust.

use super::item::quoted;

/// The attribute with the names that an item has in the API, if any of them isn't its own.
///
/// Only rustdoc sees it: in a build it would be kept in the metadata of the crate.
pub(super) fn attribute<'a>(
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let mut aliases: Vec<&str> = Vec::new();
    for alias in names {
        if alias != name && is_accepted(alias) && !aliases.contains(&alias) {
            aliases.push(alias);
        }
    }
    let aliases: Vec<_> = aliases.into_iter().map(quoted).collect();
    match aliases.as_slice() {
        [] => None,
        [alias] => Some(format!("cfg_attr(doc, doc(alias = {alias}))")),
        _ => Some(format!("cfg_attr(doc, doc(alias({})))", aliases.join(", "))),
    }
}

/// Returns true if rustdoc takes a name: it refuses quotes, and spaces but for those inside.
fn is_accepted(alias: &str) -> bool {
    let is_refused = |c: char| matches!(c, '"' | '\'') || (c.is_whitespace() && c != ' ');
    !alias.is_empty() && alias.trim_matches(' ') == alias && !alias.contains(is_refused)
}
