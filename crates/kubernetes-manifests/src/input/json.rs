//! JSON documents as trees, with the positions of names.

use std::borrow::Cow;

use k8s_openapi::serde_json::{self, Error};

use super::position::Source;
use super::read::Read;
use super::tree::{Node, Position, Tree};
use super::{escapes, numbers};

/// A text of JSON.
pub(crate) struct Text<'a> {
    pub(crate) text: Cow<'a, str>,
    /// True if bytes that are not UTF-8 have been replaced.
    is_damaged: bool,
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self {
            is_damaged: matches!(text, Cow::Owned(_)),
            text: escapes::mended(text),
        }
    }

    /// Returns the text as one document.
    pub(crate) fn source(&self) -> Source<'_> {
        Source {
            text: &self.text,
            before: "",
        }
    }

    /// Reads the documents that are not `null`, up to and including the first with a syntax error.
    pub(crate) fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        documents(&self.text).map(|mut document| {
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
        let mut node = serde_json::from_str::<Read<'_>>(&self.text)?.0;
        numbers::keep(&mut node.tree, &self.text);
        Cursor::new(&self.text).locate(&mut node.tree);
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

/// Reads the documents of a text, except those that are `null`.
pub(crate) fn documents(text: &str) -> impl Iterator<Item = Document<'_>> {
    let mut cursor = Cursor::new(text);
    let mut documents = serde_json::Deserializer::from_str(text).into_iter::<Read<'_>>();
    let documents = std::iter::from_fn(move || {
        let start = documents.byte_offset();
        let node = documents.next()?.map(|read| {
            let mut node = read.0;
            cursor.locate(&mut node.tree);
            let text = text.get(start..documents.byte_offset());
            numbers::keep(&mut node.tree, text.unwrap_or_default());
            node
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
        Tree::Text(text) if is_damaged(text) => *tree = Tree::NotText,
        Tree::Items(items) => {
            items
                .iter_mut()
                .for_each(|item| hide_damage(&mut item.tree));
        }
        Tree::Fields(fields) => {
            for field in fields {
                if is_damaged(&field.name) {
                    field.value = Tree::NotText.into();
                }
                hide_damage(&mut field.value.tree);
            }
        }
        _ => (),
    }
}

/// The message for a string that is not UTF-8.
pub(super) const NOT_TEXT: &str = "invalid unicode code point";

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
                items
                    .iter_mut()
                    .for_each(|item| self.locate(&mut item.tree));
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
