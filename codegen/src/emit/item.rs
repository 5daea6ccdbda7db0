//! The items of a file before they are rendered.

use std::fmt::Write;

use proc_macro2::{Literal, TokenStream};

use super::table::{self, WIDTH};

/// An item of a file, or several that follow each other.
#[derive(Debug)]
pub(crate) enum Item {
    /// Tokens, whose layout is left to prettyplease and rustfmt.
    Tokens(TokenStream),
    /// The text of one item, as rustfmt leaves it. Most of a crate are declarations and tables,
    /// whose layout is plain: to write their text takes a small part of the time that tokens take,
    /// which are parsed and printed again.
    Text(String),
}

impl From<TokenStream> for Item {
    fn from(tokens: TokenStream) -> Self {
        Self::Tokens(tokens)
    }
}

/// The columns of a list of traits, and of a declaration without members, that are certainly not
/// too many: rustfmt breaks both somewhat earlier than other code.
const NARROW: usize = 90;

/// The most columns of an attribute's arguments on one line, but for a list of traits.
const ARGUMENTS: usize = 70;

/// A struct or an enumeration with documented members, a line each.
pub(super) struct Declaration {
    text: String,
    members: usize,
    /// True if a line of code is so long that rustfmt would break it.
    is_wide: bool,
}

impl Declaration {
    /// The start of a declaration: `pub struct Boat`, after its documentation and attributes.
    pub(super) fn new(docs: &[String], attributes: &[String], head: &str) -> Self {
        let mut new = Self {
            text: String::new(),
            members: 0,
            is_wide: false,
        };
        new.docs(docs, "");
        for attribute in attributes {
            new.code(&["#[", attribute, "]"]);
            new.is_wide |= is_wide(attribute);
        }
        new.code(&[head, " {"]);
        new
    }

    /// Adds a member: `pub name: String`, with its attribute.
    pub(super) fn member(&mut self, docs: &[String], attribute: Option<&str>, member: &str) {
        if self.members > 0 && !docs.is_empty() {
            self.text.push('\n');
        }
        self.members += 1;
        self.docs(docs, "    ");
        if let Some(attribute) = attribute {
            self.code(&["    #[", attribute, "]"]);
            self.is_wide |= is_wide(attribute);
        }
        self.code(&["    ", member, ","]);
    }

    pub(super) fn end(mut self) -> Item {
        if self.members == 0 {
            // Its braces are on one line.
            self.text.pop();
            let line = self.text.rsplit('\n').next();
            self.is_wide |= line.is_some_and(|line| line.len() > NARROW);
        }
        self.text.push_str("}\n");
        if self.is_wide
            && let Ok(tokens) = self.text.parse()
        {
            return Item::Tokens(tokens);
        }
        Item::Text(self.text)
    }

    fn docs(&mut self, lines: &[String], indent: &str) {
        for line in lines {
            let blank = if line.is_empty() { "" } else { " " };
            self.text.extend([indent, "///", blank, line, "\n"]);
        }
    }

    fn code(&mut self, parts: &[&str]) {
        let before = self.text.len();
        self.text.extend(parts.iter().copied());
        self.is_wide |= self.text.len() - before > WIDTH;
        self.text.push('\n');
    }
}

/// Returns true if rustfmt would break the line of an attribute.
fn is_wide(attribute: &str) -> bool {
    match attribute.split_once('(') {
        Some((name, arguments)) if name != "derive" => arguments.len() - 1 > ARGUMENTS,
        _ => attribute.len() > NARROW,
    }
}

/// The call of a macro with a table of a type: `wire::object! { Boat { … } }`, a row a line.
pub(super) fn table(name: &str, of: &str, rows: impl IntoIterator<Item = String>) -> Item {
    let mut text = format!("{name}! {{\n    {of} {{\n");
    for row in rows {
        text += &table::row("        ", &(row + ","));
    }
    text.push_str("    }\n}\n");
    // rustfmt formats nothing in the braces of a macro.
    Item::Text(text)
}

/// A text as a literal of Rust.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./ ".contains(&byte);
    match text.bytes().all(is_plain) {
        true => quoted.extend(["\"", text, "\""]),
        // Writing to a text doesn't fail.
        false => _ = write!(quoted, "{}", Literal::string(text)),
    }
    quoted
}
