//! Files that aren't manifests yet: Helm charts and other templates.

use kubernetes_manifests::scheme::{Reason, SchemeError};

/// What begins and ends what a template engine replaces, in forms that don't occur in manifests
/// outside of quotes: those of Go and Helm, Jinja, and ERB.
const MARKS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>")];

/// What Go's functions for formatting replace, which no name may have.
const VERBS: [&str; 3] = ["%s", "%d", "%v"];

/// Where a text has placeholders.
pub struct Placeholders<'t> {
    lines: Vec<&'t str>,
    /// The line of the first mark.
    marked: Option<usize>,
}

impl<'t> Placeholders<'t> {
    /// Looks for placeholders.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let lines: Vec<_> = text.lines().map(without_comment).collect();
        let marked = lines.iter().position(|line| has_mark(line));
        Self {
            lines,
            marked: marked.map(|index| index + 1),
        }
    }

    /// Returns the line of the placeholder that explains why the text can't be read. Returns nothing if
    /// the text is damaged otherwise, or it is an object that can't be read.
    #[must_use]
    pub fn explains(&self, error: &SchemeError) -> Option<usize> {
        let Reason::Syntax { .. } = error.reason() else {
            return None;
        };
        let damaged = error.location().line.unwrap_or(1);
        // A parser may give up a line after what it stumbles on.
        let near = || {
            let mut lines = [damaged.saturating_sub(1), damaged].into_iter();
            lines.find(|line| {
                let text = line.checked_sub(1).and_then(|index| self.lines.get(index));
                text.is_some_and(|text| has_word(text))
            })
        };
        self.marked.or_else(near)
    }
}

/// Whether a value is what a template engine replaces, or has that in it.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let is_marked = MARKS.iter().any(|(open, close)| {
        value
            .split_once(open)
            .is_some_and(|(_, rest)| rest.contains(close))
    });
    is_marked || VERBS.iter().any(|verb| value.contains(verb))
}

fn without_comment(line: &str) -> &str {
    match line.trim_start().starts_with('#') {
        true => "",
        false => line,
    }
}

/// Whether a mark stands outside of quotes, where it can be no text.
fn has_mark(line: &str) -> bool {
    MARKS.iter().any(|(open, _)| {
        line.match_indices(open).any(|(at, _)| {
            let before = line.get(..at).unwrap_or_default();
            let is_open = |quote| !before.matches(quote).count().is_multiple_of(2);
            !is_open('"') && !is_open('\'')
        })
    })
}

/// Whether a word of the line is a placeholder that no value of YAML can be: `%s`, `%NAME%`,
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
