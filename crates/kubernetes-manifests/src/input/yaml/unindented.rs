//! Quoted scalars with a line that isn't indented more than the surrounding object.
//!
//! Kubernetes accepts them, the parser doesn't. White space at the beginning of such a line has no
//! meaning, so this module inserts it.

use super::compose::ScalarProblem;
use super::text::Yaml;
use crate::error::SchemeError;
use crate::input::tree::Node;

/// The most such scalars in a text, which is read three times for each: some in any text, more in
/// one of which no more than so many bytes are read again.
const MAX_REPAIRS: usize = 16;
const MAX_READ: usize = 256 << 20;

/// The most white space to insert before a line.
const MAX_INDENT: usize = 64;

/// Reads the documents of a text in which a quoted scalar continues in such a line. Returns nothing
/// if white space doesn't help.
pub(super) fn documents(
    yaml: &mut Yaml<'_>,
    mut line: usize,
) -> Option<Result<Vec<Node<'static>>, SchemeError>> {
    // All ends of lines are the same in YAML, and counted by the parser.
    let mut text = yaml.text.replace("\r\n", "\n").replace('\r', "\n");
    let repairs = MAX_READ / text.len().saturating_mul(3).max(1);
    for _ in 0..repairs.max(MAX_REPAIRS) {
        text = indent(yaml, &text, line)?;
        let (read, problem) = yaml.compose(&text);
        match problem {
            Some(ScalarProblem::Unindented { line: next }) if next > line => line = next,
            Some(ScalarProblem::Unindented { .. }) => return None,
            _ => {
                let owned = |read: Vec<Node<'_>>| read.into_iter().map(Node::into_owned).collect();
                return Some(read.map(owned));
            }
        }
    }
    None
}

/// Indents the lines of the quoted scalar that continues in a line.
fn indent(yaml: &Yaml<'_>, text: &str, line: usize) -> Option<String> {
    let lines = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let (before, rest) = text.split_at_checked(lines.map(str::len).sum())?;
    // Closed with the quote that it began with, the scalar is complete.
    let closes = |quote: &char| {
        let closed = format!("{before}{quote}");
        let mut tried = *yaml;
        let (_, problem) = tried.compose(&closed);
        problem.is_none()
    };
    let quote = ['"', '\''].into_iter().find(closes)?;
    let (inside, after) = rest.split_at_checked(end(rest, quote)?)?;
    // The object is in one of the lines before it.
    let signs = [' ', '-', '?', ':'];
    let leading = |line: &str| line.len() - line.trim_start_matches(signs).len();
    let deepest = before.lines().map(leading).max().unwrap_or_default();
    let indent = " ".repeat((deepest + 1).min(MAX_INDENT));
    let mut indented = before.to_owned();
    for line in inside.split_inclusive('\n') {
        if !line.trim().is_empty() {
            indented += &indent;
        }
        indented += line;
    }
    Some(indented + after)
}

/// Returns the offset of the quote that ends a scalar.
fn end(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        match character {
            '\\' if quote == '"' => drop(characters.next()),
            '\'' if quote == '\'' && characters.next_if(|next| next.1 == '\'').is_some() => {}
            character if character == quote => return Some(offset),
            _ => {}
        }
    }
    None
}
