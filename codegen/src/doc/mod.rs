//! Converts a description to the lines of a documentation comment.
//!
//! Descriptions are Markdown, of which paragraphs, lists, code spans, fenced and indented
//! code are kept. Everything else is text: what Markdown, HTML or rustdoc would take for
//! markup is escaped, so that a document can neither break the comment nor the page.

mod inline;

use std::borrow::Cow;

use crate::model::Lifecycle;
use crate::release::Release;

pub(crate) use inline::{Links, NoLinks};

/// Columns of text in a line: with the indentation of a field and `/// `, 90 in all.
const WIDTH: usize = 82;

/// The lines of the comment, without slashes.
pub(crate) fn lines(description: &str, links: &dyn Links) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for block in blocks(description) {
        // List items follow each other; everything else is set apart by an empty line.
        let tight = matches!(&block, Block::Text { mark, .. } if !mark.is_empty())
            && lines.last().is_some_and(|line| is_item(line));
        if !lines.is_empty() && !tight {
            lines.push(String::new());
        }
        match block {
            Block::Text { mark, text } => {
                wrap(inline::render(&text, links).iter(), &mark, &mut lines);
            }
            Block::Code(code) => {
                lines.push("```text".to_owned());
                lines.extend(code.into_iter().map(|line| line.replace("```", "'''")));
                lines.push("```".to_owned());
            }
        }
    }
    lines
}

/// The first sentence of a comment; nothing if it begins with code.
pub(crate) fn summary(lines: &[String]) -> String {
    if lines.first().is_some_and(|line| line.starts_with("```")) {
        return String::new();
    }
    let paragraph = lines
        .iter()
        .take_while(|line| !line.is_empty() && !is_item(line));
    let text = paragraph.map(String::as_str).collect::<Vec<_>>().join(" ");
    let mut is_code = false;
    let mut after = text.char_indices().peekable();
    while let Some((at, c)) = after.next() {
        is_code ^= c == '`';
        let ends = after.peek().is_none_or(|(_, next)| *next == ' ');
        if c == '.' && ends && !is_code {
            return text.get(..=at).unwrap_or_default().to_owned();
        }
    }
    text
}

/// A text of a comment without its links.
pub(crate) fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((name, after)) = link.split_once("`]") else {
            break;
        };
        plain += &format!("{before}`{name}`");
        let target = after
            .strip_prefix('(')
            .and_then(|after| after.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    plain + rest
}

/// Notes below a description, as a paragraph of their own.
pub(crate) fn append_notes(lines: &mut Vec<String>, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    wrap(notes.iter().flat_map(|note| note.split(' ')), "", lines);
}

/// A text for the inside of a code span.
pub(crate) fn as_code(text: &str) -> String {
    harmless(text).replace('`', "'")
}

/// A text from a document for the inside of our own sentences, in which nothing is markup but code.
pub(crate) fn prose(text: &str) -> String {
    let atoms = inline::render(&harmless(text), &NoLinks);
    atoms.iter().collect::<Vec<_>>().join(" ")
}

/// A name from a document for the inside of our own sentences: as it is, or as code where it
/// could mean something.
pub(crate) fn plain(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '/');
    if name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("`{}`", as_code(name))
    }
}

/// The introduction and the maturity of something, as of a release.
pub(crate) fn maturity(lifecycle: &Lifecycle, release: Release) -> String {
    let reached = |stage: Option<Release>| stage.filter(|at| *at <= release);
    let introduced = lifecycle.introduced;
    let stages = [
        ("stable", reached(lifecycle.stable)),
        ("beta", reached(lifecycle.beta)),
        ("alpha", reached(lifecycle.alpha)),
    ];
    let stage = stages
        .into_iter()
        .find_map(|(name, at)| at.map(|at| (name, at)));
    let mut note = match stage {
        None => format!("Since Kubernetes {introduced}"),
        Some((name, at)) if at == introduced => {
            format!("Since Kubernetes {introduced}, {name}")
        }
        Some((name, at)) => format!("Since Kubernetes {introduced}, {name} since {at}"),
    };
    if let (Some(gate), true) = (&lifecycle.gate, !matches!(stage, Some(("stable", _)))) {
        note += &format!("; feature gate `{}`", as_code(gate));
    }
    note + "."
}

/// Describes the end of something as of a release, and its replacement.
pub(crate) fn retirement(lifecycle: &Lifecycle, release: Release) -> Option<String> {
    let reached = |at: Option<Release>| at.filter(|at| *at <= release);
    let mut note = match (reached(lifecycle.deprecated), lifecycle.removed) {
        (Some(deprecated), None) => format!("Deprecated since Kubernetes {deprecated}"),
        (Some(deprecated), Some(removed)) => {
            format!("Deprecated since Kubernetes {deprecated}, removed in {removed}")
        }
        (None, removed) => format!("Removed in Kubernetes {}", reached(removed)?),
    };
    if let Some(replacement) = &lifecycle.replacement {
        note += &format!("; use `{}`", as_code(replacement));
    }
    Some(note + ".")
}

enum Block {
    /// A paragraph, or after its mark, `- ` or `1. `, an item of a list.
    Text {
        mark: String,
        text: String,
    },
    Code(Vec<String>),
}

fn is_item(line: &str) -> bool {
    line.starts_with("  ") || item(line).is_some()
}

/// Takes a description apart into paragraphs, list items and code.
fn blocks(description: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    let mut fenced = false;
    for line in description.split('\n') {
        let line = harmless(line.strip_suffix('\r').unwrap_or(line));
        let trimmed = line.trim();
        let code = fenced || (!open && (line.starts_with("    ") || line.starts_with('\t')));
        if trimmed.starts_with("```") {
            if !fenced {
                blocks.push(Block::Code(Vec::new()));
            }
            fenced = !fenced;
            open = false;
        } else if code && (fenced || !trimmed.is_empty()) {
            let line = line.trim_end().to_owned();
            match blocks.last_mut() {
                Some(Block::Code(code)) => code.push(line),
                _ => blocks.push(Block::Code(vec![line])),
            }
        } else if trimmed.is_empty() {
            open = false;
        } else {
            match (item(trimmed), blocks.last_mut()) {
                (None, Some(Block::Text { text, .. })) if open => {
                    text.push(' ');
                    text.push_str(trimmed);
                }
                (item, _) => {
                    let (mark, text) = item.unwrap_or((String::new(), trimmed));
                    let text = text.to_owned();
                    blocks.push(Block::Text { mark, text });
                }
            }
            open = true;
        }
    }
    for block in &mut blocks {
        if let Block::Code(code) = block {
            while code.last().is_some_and(String::is_empty) {
                code.pop();
            }
            unindent(code);
        }
    }
    blocks.retain(|block| !matches!(block, Block::Code(code) if code.is_empty()));
    blocks
}

/// The mark and the text of a line that starts an item of a list.
fn item(line: &str) -> Option<(String, &str)> {
    if let Some(text) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some(("- ".to_owned(), text.trim_start()));
    }
    let (number, text) = line.split_once(". ")?;
    let is_number = (1..=3).contains(&number.len()) && inline::is_digits(number);
    is_number.then(|| (format!("{number}. "), text.trim_start()))
}

/// Takes away the indentation that made the lines code.
fn unindent(code: &mut [String]) {
    let indented = |line: &String| line.starts_with("    ");
    if code.iter().all(|line| line.is_empty() || indented(line)) {
        for line in code {
            line.drain(..line.len().min(4));
        }
    }
}

/// Makes a text fit for a comment: without control characters, and with escapes in place of
/// invisible characters, above all those that change the direction of the text and so disguise it.
pub(crate) fn harmless(line: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    if line.bytes().all(is_plain) {
        return line.into();
    }
    let mut text = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => text.push_str("    "),
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => text.push(' '),
            c if c.is_control() => {}
            c if is_invisible(c) => text.extend(c.escape_unicode()),
            c => text.push(c),
        }
    }
    text.into()
}

/// Returns true if it is a format character (Unicode's category Cf) that shows nothing.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e007f}'
    )
}

/// A sentence of our own as lines of a comment.
pub(crate) fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines = Vec::new();
    wrap(sentence.split(' '), "", &mut lines);
    lines
}

/// A text from a document as lines that aren't Markdown, for a place where they become one text
/// again.
pub(crate) fn filled(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in harmless(text).split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Fills lines with atoms, between which a line may end, after a mark or below it.
pub(crate) fn wrap<T: AsRef<str>>(
    atoms: impl IntoIterator<Item = T>,
    mark: &str,
    lines: &mut Vec<String>,
) {
    let mut line = mark.to_owned();
    let mut empty = true;
    let mut width = 0;
    for atom in atoms {
        let atom = atom.as_ref();
        width += 1 + atom.chars().count();
        if !empty && width > WIDTH {
            lines.push(std::mem::replace(&mut line, " ".repeat(mark.len())));
            empty = true;
        }
        if empty {
            line.push_str(&inline::line_start(atom));
            width = line.chars().count();
        } else {
            line.push(' ');
            line.push_str(atom);
        }
        empty = false;
    }
    if !empty {
        lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Links for Known {
        fn link(&self, word: &str) -> Option<String> {
            (word == "CSINode").then(|| "crate::CSINode".to_owned())
        }

        fn is_name(&self, word: &str) -> bool {
            matches!(word, "CSINode" | "nodeName")
        }
    }

    fn rendered(description: &str) -> String {
        lines(description, &Known).join("\n")
    }

    #[test]
    fn names_become_code_and_links() {
        assert_eq!(
            rendered("The CSINode of `nodeName`, by nodeName. See `CSINode`."),
            "The [`CSINode`](crate::CSINode) of `nodeName`, by `nodeName`. See \
             [`CSINode`](crate::CSINode)."
                .replace("See [", "See\n[")
        );
    }

    #[test]
    fn markup_that_is_not_ours_is_text() {
        assert_eq!(
            rendered("a <b> [c](d) *e* \\"),
            "a \\<b> \\[c\\](d) \\*e\\* \\\\"
        );
        assert_eq!(
            rendered("see https://k8s.io/docs."),
            "see <https://k8s.io/docs>."
        );
        assert_eq!(rendered("# no heading"), "\\# no heading");
        assert_eq!(rendered("`<a>` stays"), "`<a>` stays");
    }

    #[test]
    fn blocks_are_kept_apart() {
        assert_eq!(
            rendered("One.\n\n- a\n- b\n  more\n\nTwo:\n\n    code <x>\n    `more`\n\nThree."),
            "One.\n\n- a\n- b more\n\nTwo:\n\n```text\ncode <x>\n`more`\n```\n\nThree."
        );
    }

    #[test]
    fn control_characters_are_blanked() {
        assert_eq!(rendered("a\u{0}b\rc"), "ab c");
    }

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(rendered("a\u{202e}b"), r"a\\u{202e}b");
        assert_eq!(rendered("`\u{200b}\u{feff}`"), r"`\u{200b}\u{feff}`");
    }

    #[test]
    fn lines_stay_narrow() {
        let long = "word ".repeat(100);
        assert!(lines(&long, &Known).iter().all(|line| line.len() <= WIDTH));
    }

    #[test]
    fn what_means_something_elsewhere_is_text() {
        let table = [
            ("a */ b \"# c", "a \\*/ b \"# c"),
            ("a ` b", r"a \` b"),
            ("`a` and ` b", r"`a` and \` b"),
            ("a ``` b", r"a \` b"),
            ("<script>x</script>", r"\<script>x\</script>"),
            (
                "[a](https://example.com/b).",
                r"\[a\](<https://example.com/b>).",
            ),
            ("https://example.com/<b>", r"`https://example.com/<b>`"),
        ];
        for (description, expected) in table {
            assert_eq!(rendered(description), expected);
        }
    }
}
