//! The inside of a paragraph: code spans, links, addresses, and text that is escaped.

use std::borrow::Cow;

/// Link targets of the words of a description; by default there are none.
pub(crate) trait Links {
    /// The path of the item that a code span names, if there is one to link to.
    fn link(&self, _word: &str) -> Option<String> {
        None
    }

    /// Returns true if a bare word is the name of a type or field and so set as code.
    fn is_name(&self, _word: &str) -> bool {
        false
    }
}

/// No links.
pub(crate) struct NoLinks;

impl Links for NoLinks {}

/// The atoms of a paragraph, the pieces between which a line may end. They are in one text, because
/// most are a word, and a text for each would take most of the time.
#[derive(Default)]
pub(super) struct Atoms {
    text: String,
    ends: Vec<usize>,
}

impl Atoms {
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().filter_map(move |end| {
            let atom = self.text.get(start..*end);
            start = *end;
            atom
        })
    }

    /// Ends the last atom, if there is anything in it.
    fn end(&mut self) {
        if self.text.len() > self.ends.last().copied().unwrap_or_default() {
            self.ends.push(self.text.len());
        }
    }
}

/// The atoms of a paragraph.
pub(super) fn render(text: &str, links: &dyn Links) -> Atoms {
    let mut atoms = Atoms::default();
    atoms.text.reserve(text.len());
    let ticks = text.matches('`').count();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 && index == ticks {
            // It opens a code span that nothing closes.
            atoms.text.push_str("\\`");
        } else if index % 2 == 1 {
            let code = part.split_whitespace().collect::<Vec<_>>().join(" ");
            atoms.text.push_str(&span(&code, links));
            continue;
        }
        let mut words = part.split(char::is_whitespace).peekable();
        while let Some(word) = words.next() {
            bare(word, links, &mut atoms.text);
            if words.peek().is_some() {
                atoms.end();
            }
        }
    }
    atoms.end();
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

/// Adds a word outside code: a name, text, or text with an address.
fn bare(word: &str, links: &dyn Links, atom: &mut String) {
    let starts = word.len() - word.trim_start_matches(['(', '"', '\'', '[']).len();
    // Few words have a colon, and to look for one is quick.
    let address = word
        .contains(':')
        .then(|| [word.find("https://"), word.find("http://")]);
    let address = address.into_iter().flatten().flatten().min();
    let (before, rest) = word.split_at(address.unwrap_or(starts));
    let core = rest.trim_end_matches(['.', ',', ';', ':', ')', '"', '\'', '?', '!', ']']);
    let after = rest.get(core.len()..).unwrap_or_default();
    if address.is_some() {
        let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '\\');
        let (open, close) = match core.chars().all(plain) {
            true => ('<', '>'),
            false => ('`', '`'),
        };
        escape(before, atom);
        atom.push(open);
        atom.push_str(core);
        atom.push(close);
        escape(after, atom);
    } else if links.is_name(core) {
        escape(before, atom);
        atom.push_str(&span(core, links));
        escape(after, atom);
    } else {
        escape(word, atom);
    }
}

/// Adds a text in which what Markdown would take for markup anywhere is escaped.
fn escape(text: &str, escaped: &mut String) {
    let is_special = |byte| b"<[]*\\|~_&".contains(&byte);
    if !text.bytes().any(is_special) {
        escaped.push_str(text);
        return;
    }
    let inner = text.trim_matches('_');
    let outside = text.len() - text.trim_start_matches('_').len();
    for (at, c) in text.char_indices() {
        let always = matches!(c, '<' | '[' | ']' | '*' | '\\' | '|' | '~');
        // Inside a word an underscore is only a letter.
        let emphasis = c == '_' && (at < outside || at >= outside + inner.len());
        let rest = text.get(at + 1..).unwrap_or_default();
        let entity = c == '&' && rest.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic());
        if always || emphasis || entity {
            escaped.push('\\');
        }
        escaped.push(c);
    }
}

/// Escapes what is markup only at the start of a line.
pub(super) fn line_start(atom: &str) -> Cow<'_, str> {
    let number = atom
        .strip_suffix(['.', ')'])
        .filter(|number| is_digits(number));
    if let Some(number) = number {
        let rest = atom.get(number.len()..).unwrap_or_default();
        return format!("{number}\\{rest}").into();
    }
    let bullet = atom.chars().all(|c| matches!(c, '-' | '+' | '='));
    if atom.starts_with(['#', '>']) || bullet {
        format!("\\{atom}").into()
    } else {
        atom.into()
    }
}

pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
