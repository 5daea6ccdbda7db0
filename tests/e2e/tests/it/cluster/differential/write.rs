//! Writes objects with errors as text, in the many ways that JSON and YAML have.

use std::collections::HashMap;

use conformance::doc::Doc;
use fastrand::Rng;
use serde_json::Value;

/// The name of a field that brings in those of its value, where it isn't quoted.
pub(crate) const MERGE: &str = "<<";

/// A text, and where its fields are.
pub(crate) struct Text {
    pub(crate) text: String,
    /// The name of each field, and the line of its value, by the line and column of the name.
    pub(crate) fields: HashMap<(usize, usize), (String, usize)>,
}

/// Writes JSON on lines and in characters chosen at random.
pub(crate) fn json(rng: &mut Rng, doc: &Doc) -> Text {
    let mut writer = Writer::new(rng, false);
    writer.flow(doc, 0);
    writer.done()
}

/// Writes YAML in block and flow style.
pub(crate) fn yaml(rng: &mut Rng, doc: &Doc) -> Text {
    let mut writer = Writer::new(rng, true);
    match doc {
        Doc::Fields(fields) if !fields.is_empty() && writer.mostly(8) => {
            writer.fields(fields, 0);
        }
        doc => writer.flow(doc, 0),
    }
    writer.done()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    is_yaml: bool,
    line: usize,
    column: usize,
    text: Text,
}

impl<'r> Writer<'r> {
    fn new(rng: &'r mut Rng, is_yaml: bool) -> Self {
        Self {
            rng,
            is_yaml,
            line: 1,
            column: 1,
            text: Text {
                text: String::new(),
                fields: HashMap::new(),
            },
        }
    }

    fn done(self) -> Text {
        self.text
    }

    /// Returns true in all but one of so many cases.
    fn mostly(&mut self, count: u8) -> bool {
        self.rng.u8(..count) > 0
    }

    fn push(&mut self, text: &str) {
        for character in text.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.text.text += text;
    }

    fn indent(&mut self, indent: usize) {
        self.push(&" ".repeat(indent));
    }

    /// Some space, which may be a line further.
    fn space(&mut self, indent: usize) {
        if self.mostly(4) {
            self.push(" ");
        } else {
            self.push("\n");
            self.indent(indent);
        }
    }

    /// Writes the name of a field, and returns where it is.
    fn name(&mut self, name: &str) -> (usize, usize) {
        let place = (self.line, self.column);
        let text = self.string(name, true);
        self.push(&text);
        self.push(":");
        place
    }

    /// The value of the field there begins here.
    fn value_of(&mut self, place: (usize, usize), name: &str) {
        self.text.fields.insert(place, (name.to_owned(), self.line));
    }

    /// Writes a value as in JSON, which YAML takes anywhere.
    fn flow(&mut self, doc: &Doc, indent: usize) {
        match doc {
            Doc::Simple(Value::String(text)) => {
                let text = self.string(text, false);
                self.push(&text);
            }
            Doc::Simple(value) => self.push(&value.to_string()),
            Doc::Items(items) => {
                self.push("[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.push(",");
                        self.space(indent + 1);
                    }
                    self.flow(item, indent + 1);
                }
                self.push("]");
            }
            Doc::Fields(fields) => {
                self.push("{");
                for (index, (name, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        self.push(",");
                        self.space(indent + 1);
                    }
                    let place = self.name(name);
                    self.space(indent + 2);
                    self.value_of(place, name);
                    self.flow(value, indent + 2);
                }
                self.push("}");
            }
        }
    }

    /// The fields of an object in block style; the first where the text has got to.
    fn fields(&mut self, fields: &[(String, Doc)], indent: usize) {
        for (index, (name, value)) in fields.iter().enumerate() {
            if index > 0 {
                if !self.mostly(8) {
                    self.push("# {\n");
                }
                self.indent(indent);
            }
            let place = self.name(name);
            self.block(value, indent, Some((place, name)));
        }
    }

    /// The value of a field or an item, to the end of its last line.
    fn block(&mut self, doc: &Doc, indent: usize, of: Option<((usize, usize), &str)>) {
        let (is_block, is_list) = match doc {
            Doc::Simple(_) => (false, false),
            Doc::Items(items) => (!items.is_empty(), true),
            Doc::Fields(fields) => (!fields.is_empty(), false),
        };
        let is_block = is_block && self.mostly(4);
        let inner = if is_list && of.is_some() {
            indent
        } else {
            indent + 2
        };
        match of {
            Some(_) if is_block => {
                self.push("\n");
                self.indent(inner);
            }
            Some(_) => self.space(indent + 2),
            None => self.push(" "),
        }
        if let Some((place, name)) = of {
            self.value_of(place, name);
        }
        match doc {
            Doc::Items(items) if is_block => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.indent(inner);
                    }
                    self.push("-");
                    self.block(item, inner, None);
                }
            }
            Doc::Fields(fields) if is_block => self.fields(fields, inner),
            doc => {
                self.flow(doc, indent + 2);
                self.push("\n");
            }
        }
    }

    fn string(&mut self, text: &str, is_name: bool) -> String {
        if self.is_yaml && text == MERGE {
            return text.to_owned();
        }
        let plain = self.is_yaml && is_plain(text);
        match self.rng.u8(..4) {
            0 | 1 if plain => text.to_owned(),
            2 if plain => format!("'{text}'"),
            _ => self.quoted(text, is_name),
        }
    }

    /// Quotes a text, with escapes for what YAML doesn't take as it is, and in names of JSON for
    /// some more; a server doesn't read quantities with escapes.
    fn quoted(&mut self, text: &str, is_name: bool) -> String {
        let mut quoted = String::new();
        for character in Value::from(text).to_string().chars() {
            let code = u32::from(character);
            let odd = (0x7f..0x1_0000).contains(&code) && !character.is_alphanumeric();
            let any = is_name && !self.is_yaml && character.is_alphanumeric() && code < 0x1_0000;
            // Not what follows a backslash.
            let any = any && !text.contains(|c| c < ' ' || c == '"' || c == '\\');
            if odd || any && !self.mostly(60) {
                quoted += &format!("\\u{code:04x}");
            } else {
                quoted.push(character);
            }
        }
        quoted
    }
}

/// Returns true if YAML reads a text without quotes as the same text.
fn is_plain(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "./-_".contains(c);
    let words = ["false", "n", "no", "null", "off", "on", "true", "y", "yes"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_inner)
        && !words.contains(&text.to_ascii_lowercase().as_str())
}
