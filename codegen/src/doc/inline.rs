//! The inside of a paragraph: code spans, links, addresses, and text that is escaped.

/// What the words of a description can lead to; nothing, if an implementation says no more.
pub(crate) trait Links {
    /// The path of the item that a code span names, if there is one to link to.
    fn link(&self, _word: &str) -> Option<String> {
        None
    }

    /// Whether a bare word is the name of a type or field and so set as code.
    fn is_name(&self, _word: &str) -> bool {
        false
    }
}

/// For text without links.
pub(crate) struct NoLinks;

impl Links for NoLinks {}

/// The text outside code, or nothing if a code span is not closed.
pub(super) fn outside_code(description: &str) -> Option<String> {
    let mut text = String::new();
    // Fences are code as a whole, whatever they hold.
    for (index, part) in description.split("```").enumerate() {
        if index % 2 == 0 {
            // A code span ends with its paragraph at the latest.
            for paragraph in part.split("\n\n") {
                let mut spans = paragraph.split('`');
                if !paragraph.matches('`').count().is_multiple_of(2) {
                    return None;
                }
                while let Some(outside) = spans.next() {
                    text.push_str(outside);
                    text.push('\n');
                    spans.next();
                }
            }
        }
    }
    description.matches("```").count().is_multiple_of(2).then_some(text)
}

/// The atoms of a paragraph: pieces between which a line may end.
pub(super) fn render(text: &str, links: &dyn Links) -> Vec<String> {
    let mut atoms = Vec::new();
    let mut atom = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            let code = part.split_whitespace().collect::<Vec<_>>().join(" ");
            atom.push_str(&span(&code, links));
            continue;
        }
        let mut words = part.split(char::is_whitespace).peekable();
        while let Some(word) = words.next() {
            atom.push_str(&bare(word, links));
            if words.peek().is_some() && !atom.is_empty() {
                atoms.push(std::mem::take(&mut atom));
            }
        }
    }
    if !atom.is_empty() {
        atoms.push(atom);
    }
    atoms
}

fn span(code: &str, links: &dyn Links) -> String {
    match links.link(code) {
        Some(path) if path == code => format!("[`{code}`]"),
        Some(path) => format!("[`{code}`]({path})"),
        None if code.is_empty() => String::new(),
        None => format!("`{code}`"),
    }
}

/// A word outside code: a name, an address, or text.
fn bare(word: &str, links: &dyn Links) -> String {
    let open = word.len() - word.trim_start_matches(['(', '"', '\'', '[']).len();
    let (before, rest) = word.split_at(open);
    let core =
        rest.trim_end_matches(['.', ',', ';', ':', ')', '"', '\'', '?', '!', ']']);
    let after = rest.get(core.len()..).unwrap_or_default();
    let is_address = (core.starts_with("https://") || core.starts_with("http://"))
        && core
            .chars()
            .all(|c| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '`' | '\\'));
    if is_address {
        return format!("{}<{core}>{}", escape(before), escape(after));
    }
    if links.is_name(core) {
        return format!("{}{}{}", escape(before), span(core, links), escape(after));
    }
    escape(word)
}

/// Escapes what Markdown would take for markup anywhere.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let inner = text.trim_matches('_');
    let outside = text.len() - text.trim_start_matches('_').len();
    for (at, c) in text.char_indices() {
        let always = matches!(c, '<' | '[' | ']' | '*' | '\\' | '|' | '~');
        // Inside a word an underscore is only a letter.
        let emphasis = c == '_' && (at < outside || at >= outside + inner.len());
        let rest = text.get(at + 1..).unwrap_or_default();
        let entity =
            c == '&' && rest.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic());
        if always || emphasis || entity {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Escapes what is markup only at the start of a line.
pub(super) fn line_start(atom: &str) -> String {
    let number = atom.strip_suffix(['.', ')']).filter(|number| is_digits(number));
    if let Some(number) = number {
        return format!("{number}\\{}", atom.get(number.len()..).unwrap_or_default());
    }
    let bullet = atom.chars().all(|c| matches!(c, '-' | '+' | '='));
    if atom.starts_with(['#', '>']) || bullet {
        format!("\\{atom}")
    } else {
        atom.to_owned()
    }
}

pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
