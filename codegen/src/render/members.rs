//! The members of an `impl`, most of which are plain functions: those need no parser, and they are the
//! most of what there is to format.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

use super::comments::{self, owned, sign};
use super::{WIDTH, unparse};

/// The words that mean more than a name or a type.
const WORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "dyn", "else", "for", "if", "in", "let",
    "loop", "match", "move", "ref", "return", "unsafe", "where", "while",
];

/// The text of an `impl`, as prettyplease has it. Functions of another form than the plain one go
/// through it.
pub(super) fn text(item: &[TokenTree]) -> Option<String> {
    let (TokenTree::Group(group), head) = item.split_last()? else {
        return None;
    };
    let is_impl = matches!(head.first(), Some(TokenTree::Ident(word)) if word == "impl");
    if !is_impl || group.delimiter() != Delimiter::Brace || group.stream().is_empty() {
        return None;
    }
    let mut text = match head {
        [_, TokenTree::Ident(name)] => format!("impl {name} "),
        _ => {
            let empty = wrapped(head, TokenStream::new())?;
            empty.strip_suffix("{}\n")?.to_owned()
        }
    };
    text.push_str("{\n");
    for member in split(group.stream()) {
        match plain(&member) {
            Some(lines) => text.push_str(&lines),
            None => {
                let whole = wrapped(&head[..1], member.into_iter().collect())?;
                let lines = whole.split_once("{\n")?.1;
                text.push_str(lines.strip_suffix("}\n")?);
            }
        }
    }
    Some(text + "}\n")
}

/// An `impl` with something in it, formatted.
fn wrapped(head: &[TokenTree], inside: TokenStream) -> Option<String> {
    let inside = Group::new(Delimiter::Brace, inside);
    let head = head.iter().cloned();
    let name = (head.len() == 1).then(|| proc_macro2::Ident::new("It", inside.span()));
    let name = name.map(TokenTree::from).into_iter();
    unparse(head.chain(name).chain([inside.into()]).collect()).ok()
}

/// The members, each with its attributes.
fn split(inside: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut members, mut member) = (Vec::new(), Vec::new());
    for token in inside {
        let ends = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            token => sign(token) == Some(';'),
        };
        member.push(token);
        if ends {
            members.push(std::mem::take(&mut member));
        }
    }
    // Something that is no member, for the parser to refuse.
    members.extend((!member.is_empty()).then_some(member));
    members
}

/// The lines of a member, if it is a plain one and all of them are short.
fn plain(member: &[TokenTree]) -> Option<String> {
    let (last, mut head) = member.split_last()?;
    let mut text = String::new();
    while let [hash, attribute @ TokenTree::Group(group), rest @ ..] = head {
        if sign(hash) != Some('#') {
            break;
        }
        match comments::of(attribute) {
            Some(comment) => text.extend(["    ///", &comment, "\n"]),
            None => text.extend(["    #[", &only_word(group)?, "]\n"]),
        }
        head = rest;
    }
    let starts_with = |words: &[&str]| match head.first() {
        Some(TokenTree::Ident(first)) => words.iter().any(|word| first == word),
        _ => false,
    };
    match last {
        TokenTree::Group(body) if starts_with(&["fn", "pub"]) => {
            signature(&mut text, head)?;
            statements(&mut text, body)?;
        }
        _ if starts_with(&["const", "type"]) => {
            let line = joined(head.iter().cloned(), Place::Item)?;
            push_line(&mut text, "    ", &line, ";")?;
        }
        _ => return None,
    }
    Some(text)
}

/// Adds the start of a function, with a line for each parameter if it doesn't fit on one.
fn signature(text: &mut String, head: &[TokenTree]) -> Option<()> {
    let line = joined(head.iter().cloned(), Place::Item)?;
    if push_line(text, "    ", &line, " {").is_some() {
        return Some(());
    }
    let is_list = |token: &TokenTree| matches!(token, TokenTree::Group(_));
    let at = head.iter().position(is_list)?;
    let (Some(TokenTree::Group(parameters)), before, after) =
        (head.get(at), head.get(..at)?, head.get(at + 1..)?)
    else {
        return None;
    };
    push_line(
        text,
        "    ",
        &joined(before.iter().cloned(), Place::Item)?,
        "(",
    )?;
    let (mut parameter, mut depth) = (Vec::new(), 0_usize);
    for token in parameters.stream() {
        match sign(&token) {
            Some('<') => depth += 1,
            Some('>') => depth = depth.checked_sub(1)?,
            Some(',') if depth == 0 => {
                let line = joined(parameter.drain(..), Place::Item)?;
                push_line(text, "        ", &line, ",")?;
                continue;
            }
            _ => {}
        }
        parameter.push(token);
    }
    let line = joined(parameter.into_iter(), Place::Item)?;
    push_line(text, "        ", &line, ",")?;
    let result = joined(after.iter().cloned(), Place::Item)?;
    push_line(text, "    ) ", &result, " {")
}

/// Adds the statements of a function, and the sign of its end.
fn statements(text: &mut String, body: &Group) -> Option<()> {
    let start = text.len();
    let mut statement = Vec::new();
    for token in body.stream() {
        if sign(&token) == Some(';') {
            let line = joined(statement.drain(..), Place::Statement)?;
            push_line(text, "        ", &line, ";")?;
        } else {
            statement.push(token);
        }
    }
    match statement.as_slice() {
        [] => {}
        [TokenTree::Ident(name), TokenTree::Group(fields)]
            if fields.delimiter() == Delimiter::Brace =>
        {
            literal(text, &name.to_string(), fields)?;
        }
        _ => {
            let line = joined(statement.into_iter(), Place::Statement)?;
            push_line(text, "        ", &line, "")?;
        }
    }
    // An empty function is on one line.
    (text.len() > start).then(|| text.push_str("    }\n"))
}

/// Adds a struct, with a line for each field if it doesn't fit on one.
fn literal(text: &mut String, name: &str, fields: &Group) -> Option<()> {
    let (mut lines, mut rest) = (Vec::new(), None);
    let mut tokens = fields.stream().into_iter().peekable();
    while let Some(first) = tokens.next() {
        let is_rest = sign(&first) == Some('.');
        if is_rest && tokens.next().as_ref().and_then(sign) != Some('.') {
            return None;
        }
        let start = (!is_rest).then_some(first);
        let mut field: Vec<_> = start.into_iter().collect();
        while let Some(token) = tokens.next_if(|token| sign(token) != Some(',')) {
            field.push(token);
        }
        tokens.next();
        let field = joined(field.into_iter(), Place::Statement)?;
        match is_rest {
            true => rest = Some(format!("..{field}")),
            false => lines.push(field),
        }
    }
    let all: Vec<_> = lines.iter().chain(&rest).map(String::as_str).collect();
    let line = format!("{name} {{ {} }}", all.join(", "));
    // Several fields are never on one line.
    let is_short = lines.len() <= 1 && !all.is_empty();
    if is_short && push_line(text, "        ", &line, "").is_some() {
        return Some(());
    }
    text.extend(["        ", name, " {\n"]);
    for line in &lines {
        push_line(text, "            ", line, ",")?;
    }
    if let Some(line) = &rest {
        push_line(text, "            ", line, "")?;
    }
    (!all.is_empty()).then(|| text.push_str("        }\n"))
}

fn only_word(attribute: &Group) -> Option<String> {
    let mut tokens = attribute.stream().into_iter();
    match (tokens.next()?, tokens.next()) {
        (TokenTree::Ident(word), None) => Some(word.to_string()),
        _ => None,
    }
}

/// Adds a line, if it isn't too long.
fn push_line(text: &mut String, indent: &str, line: &str, end: &str) -> Option<()> {
    let width = indent.len() + line.chars().count() + end.len();
    let fits = !line.is_empty() && width <= WIDTH;
    fits.then(|| text.extend([indent, line, end, "\n"]))
}

/// Where tokens are, which decides what some of them mean.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Statement,
    Item,
}

/// The tokens of a line with the blanks between them, if there are none but names, paths, types,
/// calls, fields and assignments.
fn joined(tokens: impl Iterator<Item = TokenTree>, place: Place) -> Option<String> {
    let mut line = Line {
        text: String::new(),
        place,
        glued: true,
        after_value: false,
        depth: 0,
    };
    line.extend(tokens)?;
    (line.depth == 0).then_some(line.text)
}

struct Line {
    text: String,
    place: Place,
    /// Whether no blank comes before the next token.
    glued: bool,
    /// Whether what is left of the next token is a value or a type.
    after_value: bool,
    /// The brackets of generic arguments that are open.
    depth: usize,
}

impl Line {
    fn extend(&mut self, tokens: impl Iterator<Item = TokenTree>) -> Option<()> {
        let mut tokens = tokens;
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if WORDS.contains(&name.as_str()) {
                        return None;
                    }
                    self.word(&name);
                    self.after_value = !["mut", "impl", "let"].contains(&name.as_str());
                }
                TokenTree::Literal(literal) => {
                    let literal = literal.to_string();
                    if literal.contains('\n') {
                        return None;
                    }
                    self.word(&literal);
                    self.after_value = true;
                }
                TokenTree::Group(group) => self.group(group)?,
                TokenTree::Punct(punct) => {
                    let is_joint = punct.spacing() == Spacing::Joint;
                    let next = if is_joint { Some(tokens.next()?) } else { None };
                    match (punct.as_char(), &next) {
                        ('\'', Some(TokenTree::Ident(name))) => {
                            self.word(&format!("'{name}"));
                            self.after_value = false;
                        }
                        (first, Some(next)) => self.sign(first, Some(sign(next)?))?,
                        (first, None) => self.sign(first, None)?,
                    }
                }
            }
        }
        Some(())
    }

    fn word(&mut self, word: &str) {
        if !self.glued {
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.glued = false;
    }

    /// Adds a sign of one or two characters.
    fn sign(&mut self, sign: char, second: Option<char>) -> Option<()> {
        let is_item = self.place == Place::Item;
        let is_right_of_value = matches!(sign, '.' | ',' | ':' | '?' | '=' | '<' | '>' | '-');
        if is_right_of_value != self.after_value {
            return None;
        }
        match (sign, second) {
            (':', Some(':')) => self.text.push_str("::"),
            ('.', None) => self.text.push('.'),
            ('&', None) => self.word("&"),
            ('<', None) if is_item || self.text.ends_with("::") => {
                self.text.push('<');
                self.depth += 1;
            }
            ('-', Some('>')) if is_item => self.word("->"),
            ('=', None) => self.word("="),
            (',' | ':', None) => self.text.push(sign),
            ('?', None) if !is_item => self.text.push('?'),
            ('>', None) => {
                self.depth = self.depth.checked_sub(1)?;
                self.text.push('>');
            }
            ('>', Some('>')) => {
                self.depth = self.depth.checked_sub(2)?;
                self.text.push_str(">>");
            }
            _ => return None,
        }
        self.glued = matches!((sign, second), (':', Some(_)) | ('.' | '&' | '<', _));
        self.after_value = matches!(sign, '>' | '?');
        Some(())
    }

    fn group(&mut self, group: Group) -> Option<()> {
        if group.delimiter() != Delimiter::Parenthesis {
            return None;
        }
        if !self.glued && !self.after_value {
            self.text.push(' ');
        }
        let inside = joined(owned(group).into_iter(), self.place)?;
        // A comma at the end is left out on one line, or makes a tuple.
        if inside.ends_with(',') {
            return None;
        }
        self.text.extend(["(", &inside, ")"]);
        self.glued = false;
        self.after_value = true;
        Some(())
    }
}
