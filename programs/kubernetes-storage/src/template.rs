//! Templates of manifests, such as those of Helm charts.

use kubernetes_manifests::scheme::{Reason, SchemeError};

/// The delimiters of placeholders, which don't occur in manifests outside of quotes: those of Go
/// and Helm, Jinja, and ERB.
const DELIMITERS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>")];

/// The verbs of Go's `fmt` package that stand for a text; no valid name contains one.
const VERBS: [&str; 3] = ["%s", "%d", "%v"];

/// The placeholders of a text.
pub(crate) struct Placeholders<'t> {
    lines: Vec<&'t str>,
    /// The line of the first delimiter.
    first: Option<usize>,
}

impl<'t> Placeholders<'t> {
    /// Finds the placeholders of a text.
    pub(crate) fn of(text: &'t str) -> Self {
        let lines: Vec<_> = text.lines().map(without_comment).collect();
        let first = lines.iter().position(|line| has_delimiter(line));
        Self {
            lines,
            first: first.map(|index| index + 1),
        }
    }

    /// Returns the line of the placeholder that causes a syntax error. Returns nothing if the
    /// syntax error has another cause, or for errors of other kinds.
    pub(crate) fn cause(&self, error: &SchemeError) -> Option<usize> {
        let Reason::Syntax { .. } = error.reason() else {
            return None;
        };
        let damaged = error.location().line.unwrap_or(1);
        // A parser may report the line after the cause.
        let near = || {
            let mut lines = [damaged.saturating_sub(1), damaged].into_iter();
            lines.find(|line| {
                let text = line.checked_sub(1).and_then(|index| self.lines.get(index));
                text.is_some_and(|text| has_word(text))
            })
        };
        self.first.or_else(near)
    }
}

/// Returns true if a value contains a placeholder.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let is_delimited = DELIMITERS.iter().any(|(open, close)| {
        value
            .split_once(open)
            .is_some_and(|(_, rest)| rest.contains(close))
    });
    is_delimited || VERBS.iter().any(|verb| value.contains(verb))
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
        line.match_indices(open).any(|(at, _)| {
            let before = line.get(..at).unwrap_or_default();
            let is_open = |quote| !before.matches(quote).count().is_multiple_of(2);
            !is_open('"') && !is_open('\'')
        })
    })
}

/// Returns true if a word of the line is a placeholder that isn't a YAML value: `%s`, `%NAME%`,
/// `@NAME@`, or `${NAME}` instead of a field.
fn has_word(line: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
    };
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
    words.any(|word| printed(word) || enclosed(word, '%') || enclosed(word, '@'))
        || (instead.starts_with("${") && instead.ends_with('}'))
}
