//! Templates of manifests, such as those of Helm charts.

use kubernetes_manifests::scheme::{Reason, SchemeError};
use kubernetes_validation::{Error, FieldPath};
use serde_json::Value;

use crate::text::{BlockScalar, after_marker, is_in_quotes};

/// The delimiters of placeholders, which don't occur in manifests outside of quotes: those of Go
/// and Helm, Jinja, and ERB.
const DELIMITERS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>")];

/// The verbs of Go's `fmt` package that stand for a text; no valid name contains one.
const VERBS: [&str; 3] = ["%s", "%d", "%v"];

/// The placeholders of a text.
pub(crate) struct Placeholders<'t> {
    lines: Vec<&'t str>,
    documents: Vec<Document>,
}

/// The lines of a document of a text.
#[derive(Default)]
struct Document {
    /// The first line.
    start: usize,
    /// The first line with a delimiter that can't be text.
    delimited: Option<usize>,
    /// True if it is in JSON or like it; nothing if it is empty.
    is_flow: Option<bool>,
}

impl<'t> Placeholders<'t> {
    /// Finds the placeholders of a text.
    pub(crate) fn of(text: &'t str) -> Self {
        let lines: Vec<_> = text.lines().map(without_comment).collect();
        let mut documents = Vec::new();
        let (mut last, mut block) = (Document::default(), BlockScalar::default());
        for (number, line) in (1..).zip(&lines) {
            let is_text = block.has(line);
            if after_marker(line).is_some() {
                let next = Document {
                    start: number,
                    ..Document::default()
                };
                documents.push(std::mem::replace(&mut last, next));
            }
            if last.delimited.is_none() && !is_text && has_delimiter(line) {
                last.delimited = Some(number);
            }
            let content = after_marker(line).unwrap_or(line).trim_start();
            if last.is_flow.is_none() && !content.is_empty() {
                last.is_flow = Some(content.starts_with(['{', '[']));
            }
        }
        documents.push(last);
        Self { lines, documents }
    }

    /// Returns the line of the placeholder that causes a syntax error. Returns nothing if the
    /// syntax error has another cause, or for errors of other kinds.
    pub(crate) fn cause(&self, error: &SchemeError) -> Option<usize> {
        let Reason::Syntax { .. } = error.reason() else {
            return None;
        };
        let damaged = error.location().line.unwrap_or(1);
        let after = self
            .documents
            .partition_point(|document| document.start <= damaged);
        let document = self.documents.get(after.checked_sub(1)?)?;
        if document.delimited.is_some() {
            return document.delimited;
        }
        let is_flow = document.is_flow.unwrap_or(false);
        // A parser may report the line after the cause.
        let mut near = [damaged.saturating_sub(1), damaged].into_iter();
        near.find(|line| {
            let text = line.checked_sub(1).and_then(|index| self.lines.get(index));
            text.is_some_and(|text| has_word(text, is_flow))
        })
    }
}

/// Returns true if a text contains a placeholder.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let is_delimited = DELIMITERS.iter().any(|(open, close)| {
        text.split_once(open)
            .is_some_and(|(_, rest)| rest.contains(close))
    });
    is_delimited
        || VERBS.iter().any(|verb| text.contains(verb))
        || has_variable(text)
        || is_enclosed(text, '@')
        || text.split(['.', '"']).any(is_expression)
}

/// Returns true if an error is about one of the fields that are left out, or something in one.
pub(crate) fn is_inside(error: &Error, left_out: &[FieldPath]) -> bool {
    let path = error.path.segments();
    let mut left_out = left_out.iter();
    left_out.any(|left_out| path.starts_with(left_out.segments()))
}

/// Returns true if an error is about a value, or a key, with a placeholder.
pub(crate) fn is_about(error: &Error) -> bool {
    error.value.as_ref().is_some_and(has_placeholder)
        || is_placeholder(&error.path.to_string())
        || is_placeholder(&error.detail)
}

/// Returns true if a text in a value contains a placeholder.
pub(crate) fn has_placeholder(value: &Value) -> bool {
    match value {
        Value::String(text) => is_placeholder(text),
        Value::Array(list) => list.iter().any(has_placeholder),
        Value::Object(map) => map
            .iter()
            .any(|(key, value)| is_placeholder(key) || has_placeholder(value)),
        _ => false,
    }
}

/// Returns true for variables of a shell, of Flux or of Make: `$NAME`, `${NAME}`, `${NAME:=value}`
/// or `$(NAME)`.
fn has_variable(text: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.match_indices('$').any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        let inside = rest.strip_prefix('{').or_else(|| rest.strip_prefix('('));
        inside.unwrap_or(rest).starts_with(is_start)
    })
}

/// Returns true if a name between two marks is in a text, as in `@NAME@`.
fn is_enclosed(text: &str, mark: char) -> bool {
    let parts: Vec<_> = text.split(mark).collect();
    // What is before the first mark and after the last one is in none.
    let inside = parts.get(1..parts.len() - 1).unwrap_or_default();
    inside.iter().any(|name| is_name(name))
}

/// Returns true for an expression of chainsaw: `($name)` or `(join('-', ['a', 'b']))`.
fn is_expression(text: &str) -> bool {
    let inside = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|inside| !inside.is_empty())
}

/// Returns true if a document of a text, which can be damaged, says that it is an object of
/// Kubernetes, with `apiVersion` and `kind`.
pub(crate) fn has_object(text: &str) -> bool {
    let mut found = [false; 2];
    text.lines().any(|line| {
        if line.starts_with("---") {
            found = [false; 2];
        }
        for (found, key) in found.iter_mut().zip(["apiVersion", "kind"]) {
            *found |= has_key(line, key);
        }
        found == [true; 2]
    })
}

/// Returns true if a line has a key, perhaps in quotes.
fn has_key(line: &str, key: &str) -> bool {
    line.match_indices(key).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + key.len()..).unwrap_or_default();
        let after = after.trim_start_matches(['"', '\'']).trim_start();
        !before.ends_with(|c: char| c.is_alphanumeric()) && after.starts_with(':')
    })
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    !text.is_empty() && text.chars().all(is_part)
}

fn without_comment(line: &str) -> &str {
    match line.trim_start().starts_with('#') {
        true => "",
        false => line,
    }
}

/// Returns true if a line has a delimiter outside of quotes, where it can't be text.
fn has_delimiter(line: &str) -> bool {
    DELIMITERS.iter().any(|(open, _)| {
        line.match_indices(open)
            .any(|(at, _)| !is_in_quotes(line.get(..at).unwrap_or_default()))
    })
}

/// Returns true if a word of the line is a placeholder that isn't a YAML value: `%s`, `%NAME%`,
/// `@NAME@`, or `${NAME}` instead of a field, in JSON or in braces.
fn has_word(line: &str, is_flow: bool) -> bool {
    let enclosed = |word: &str, mark: char| {
        let inside = word
            .strip_prefix(mark)
            .and_then(|rest| rest.split_once(mark));
        inside.is_some_and(|(name, _)| is_name(name))
    };
    let printed = |word: &str| {
        let verb = word.strip_prefix('%').map(|rest| {
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || "[]+#.".contains(c))
        });
        verb.is_some_and(|verb| verb.starts_with(['s', 'd', 'v', 'q', 't', '(', '{']))
    };
    let words = line.split([' ', '\t', ',', '}']);
    let mut words = words.map(|word| word.trim_start_matches(['[', '{']));
    let instead = line.trim();
    let is_variable = |word: &str| word.starts_with("${") && (is_flow || !is_block_value(line));
    words.any(|word| {
        is_variable(word) || printed(word) || enclosed(word, '%') || enclosed(word, '@')
    }) || (instead.starts_with("${") && instead.ends_with('}'))
}

/// Returns true for `name: ${NAME}` and `- ${NAME}`, whose value is a text.
fn is_block_value(line: &str) -> bool {
    let line = line.trim();
    let value = line.rsplit_once(": ").or_else(|| line.rsplit_once("- "));
    value.is_some_and(|(before, value)| {
        let value = value.trim();
        value.starts_with("${") && !value.ends_with(',') && !before.contains(['{', '['])
    })
}
