//! JSON documents as trees, with the positions of names.

use std::borrow::Cow;

use k8s_openapi::serde_json::{self, Error};

use super::position::Source;
use super::read::Read;
use super::tree::{Node, Position, Tree};
use super::{escapes, numbers};

/// A text of JSON.
pub(crate) struct Text<'a> {
    written: Cow<'a, str>,
    /// The text for `serde_json`, if that is another one.
    readable: Option<String>,
    /// True if bytes that are not UTF-8 have been replaced.
    is_damaged: bool,
}

/// Returns a text of the same length that `serde_json` reads, if it doesn't read this one though a
/// server does, because of escapes and numbers.
fn readable(text: &str) -> Option<String> {
    let escaped = escapes::mended(text);
    numbers::mended(escaped.as_deref().unwrap_or(text)).or(escaped)
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let written = String::from_utf8_lossy(bytes);
        Self {
            is_damaged: matches!(written, Cow::Owned(_)),
            readable: readable(&written),
            written,
        }
    }

    /// Returns the text, in which escapes and numbers that `serde_json` doesn't read are replaced.
    pub(crate) fn text(&self) -> &str {
        self.readable.as_deref().unwrap_or(&self.written)
    }

    /// Returns the text as one document.
    pub(crate) fn source(&self) -> Source<'_> {
        Source {
            text: self.text(),
            before: "",
        }
    }

    /// Reads the documents that are not `null`, up to and including the first with a syntax error.
    pub(crate) fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        read_documents(self.text(), &self.written).map(|mut document| {
            if let Ok(node) = &mut document.node
                && self.is_damaged
            {
                hide_damage(&mut node.tree);
            }
            document
        })
    }

    /// Reads the only document.
    ///
    /// # Errors
    ///
    /// When the text has a syntax error, or another document.
    pub(crate) fn document(&self) -> Result<Node<'_>, Error> {
        let mut node = serde_json::from_str::<Read<'_>>(self.text())?.0;
        numbers::keep(&mut node.tree, &self.written)?;
        Cursor::new(self.text()).locate(&mut node.tree);
        if self.is_damaged {
            hide_damage(&mut node.tree);
        }
        Ok(node)
    }
}

/// A document of a stream, with its part of the text.
pub(crate) struct Document<'a> {
    pub(crate) node: Result<Node<'a>, Error>,
    pub(crate) text: &'a str,
    /// The text before it.
    pub(crate) before: &'a str,
}

/// Parts of the messages of `serde_json` for what [`readable`] replaces.
#[cfg(feature = "yaml")]
const READABLE: [&str; 2] = ["hex escape", "number out of range"];

/// Reads the documents of a text as [`Text::documents`] does.
#[cfg(feature = "yaml")]
pub(crate) fn documents(text: &str) -> Vec<Document<'_>> {
    let documents: Vec<_> = read_documents(text, text).collect();
    // Only then, because a damaged text is read again and again from behind its damages.
    let is_other = documents.iter().any(|document| {
        let error = document.node.as_ref().err().map(ToString::to_string);
        error.is_some_and(|error| READABLE.iter().any(|text| error.contains(text)))
    });
    let Some(readable) = is_other.then(|| readable(text)).flatten() else {
        return documents;
    };
    let documents = read_documents(&readable, text).map(|document| Document {
        node: document.node.map(Node::into_owned),
        text: text
            .get(document.before.len()..)
            .and_then(|rest| rest.get(..document.text.len()))
            .unwrap_or_default(),
        before: text.get(..document.before.len()).unwrap_or_default(),
    });
    documents.collect()
}

/// Reads the documents of a text, except those that are `null`. Numbers have the texts that are
/// written at the same places of the other text.
fn read_documents<'a>(text: &'a str, written: &'a str) -> impl Iterator<Item = Document<'a>> {
    let mut cursor = Cursor::new(text);
    let mut documents = serde_json::Deserializer::from_str(text).into_iter::<Read<'_>>();
    let documents = std::iter::from_fn(move || {
        let start = documents.byte_offset();
        let node = documents.next()?.and_then(|read| {
            let mut node = read.0;
            cursor.locate(&mut node.tree);
            let text = written.get(start..documents.byte_offset());
            numbers::keep(&mut node.tree, text.unwrap_or_default())?;
            Ok(node)
        });
        Some(Document {
            node,
            text: text.get(start..documents.byte_offset()).unwrap_or_default(),
            before: text.get(..start).unwrap_or_default(),
        })
    });
    documents
        .filter(|document| !matches!(&document.node, Ok(node) if matches!(node.tree, Tree::Null)))
}

/// Hides texts and fields in which bytes that are not UTF-8 have been replaced.
fn hide_damage(tree: &mut Tree<'_>) {
    let is_damaged = |text: &str| text.contains('\u{fffd}');
    match tree {
        Tree::Text(text) if is_damaged(text) => *tree = Tree::Unreadable(NOT_TEXT),
        Tree::Items(items) => {
            items
                .iter_mut()
                .for_each(|item| hide_damage(&mut item.tree));
        }
        Tree::Fields(fields) => {
            for field in fields {
                if is_damaged(&field.name) {
                    field.value = Tree::Unreadable(NOT_TEXT).into();
                }
                hide_damage(&mut field.value.tree);
            }
        }
        _ => (),
    }
}

/// The message for a string that is not UTF-8.
const NOT_TEXT: &str = "invalid unicode code point";

/// A position in a text, which moves from one name to the next.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// Sets the positions of names that are borrowed from the text.
    fn locate(&mut self, tree: &mut Tree<'a>) {
        match tree {
            Tree::Items(items) => {
                for item in items {
                    if let Tree::Text(Cow::Borrowed(text)) = item.tree {
                        item.position = self.position(text);
                    }
                    self.locate(&mut item.tree);
                }
            }
            Tree::Fields(fields) => {
                for field in fields {
                    if let Cow::Borrowed(name) = field.name {
                        field.position = self.position(name);
                    }
                    self.locate(&mut field.value.tree);
                }
            }
            _ => (),
        }
    }

    /// Returns the position of the quote before a name that is borrowed from the text.
    fn position(&mut self, name: &'a str) -> Option<Position> {
        let offset = name
            .as_ptr()
            .addr()
            .checked_sub(self.text.as_ptr().addr())?;
        let quote = offset.checked_sub(1)?;
        for character in self.text.get(self.offset..quote)?.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.offset = quote;
        Some((self.line, self.column))
    }
}
