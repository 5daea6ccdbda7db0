//! The tokens of a `.proto` file.

/// A token and its line, counted from 1.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) line: usize,
    pub(super) kind: Kind<'a>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind<'a> {
    /// A name, a number or a path of names with dots.
    Word(&'a str),
    /// A text, without its quotes.
    Text(&'a str),
    Symbol(char),
}

impl Kind<'_> {
    /// The token as messages name it.
    pub(super) fn shown(self) -> String {
        match self {
            Self::Word(word) => format!("`{word}`"),
            Self::Text(text) => format!("the text \"{}\"", text.escape_debug()),
            Self::Symbol(symbol) => format!("`{}`", symbol.escape_debug()),
        }
    }
}

/// An error of a file.
pub(super) struct Problem {
    pub(super) line: usize,
    pub(super) message: String,
    pub(super) help: String,
}

impl Problem {
    pub(super) fn new(line: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
            help: help.into(),
        }
    }
}

/// Splits a text into tokens, without its comments.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Problem> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let taken = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").ok_or_else(|| {
                Problem::new(line, "the comment is never closed", "close it with `*/`")
            })?;
            end + "/**/".len()
        } else {
            let (kind, taken) = token(rest, first, line)?;
            tokens.push(Token { line, kind });
            taken
        };
        let (passed, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        line += passed.bytes().filter(|byte| *byte == b'\n').count();
        rest = after;
    }
    Ok(tokens)
}

/// The token that a text starts with, and its length in bytes.
fn token(text: &str, first: char, line: usize) -> Result<(Kind<'_>, usize), Problem> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if is_of_word(first) {
        let end = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
        return Ok((Kind::Word(text.get(..end).unwrap_or_default()), end));
    }
    if first != '"' && first != '\'' {
        return Ok((Kind::Symbol(first), first.len_utf8()));
    }
    let inside = text.get(1..).unwrap_or_default();
    let end = inside.find([first, '\n', '\\']);
    match end.and_then(|end| inside.split_at_checked(end)) {
        Some((text, after)) if after.starts_with(first) => Ok((Kind::Text(text), text.len() + 2)),
        _ => Err(Problem::new(
            line,
            "the text has no end",
            "close it with the quote that it starts with, on the same line and without `\\`",
        )),
    }
}
