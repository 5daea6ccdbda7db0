//! The texts of numbers in JSON, and the depth of documents.

use std::borrow::Cow;

use k8s_openapi::serde_json::{self, Error, Value};

use super::tree::{MAX_DEPTH, TOO_DEEP, Tree};

/// Keeps the texts of numbers that aren't integers of 64 bits. The text is the tree's.
///
/// # Errors
///
/// When the text is deeper than a server reads.
pub(super) fn keep<'a>(tree: &mut Tree<'a>, text: &'a str) -> Result<(), Error> {
    let mut found = Found::default();
    find(tree, &mut found);
    let mut numbers = Numbers::of(text);
    if found.float {
        keep_next(tree, &mut numbers);
    }
    if found.depth {
        while numbers.next().is_some() {}
        if numbers.deepest > MOST {
            // `serde_json` says where it is too deep for it.
            serde_json::from_str::<Value>(text)?;
        }
    }
    Ok(())
}

/// The deepest nesting that a server reads.
const MOST: usize = 10_000;

/// What a tree has.
#[derive(Default)]
struct Found {
    float: bool,
    depth: bool,
}

fn find(tree: &Tree<'_>, found: &mut Found) {
    match tree {
        Tree::Number(number) => found.float |= number.is_f64(),
        Tree::Unreadable(message) => found.depth |= *message == TOO_DEEP,
        Tree::Items(items) => {
            for item in items {
                find(&item.tree, found);
            }
        }
        Tree::Fields(fields) => {
            for field in fields {
                find(&field.value.tree, found);
            }
        }
        _ => (),
    }
}

/// Takes a text for each number of a tree, in the order of the document.
fn keep_next<'a>(tree: &mut Tree<'a>, numbers: &mut Numbers<'a>) {
    match tree {
        Tree::Number(number) => {
            if let Some(text) = numbers.next()
                && number.is_f64()
            {
                *tree = match text {
                    // An integer to Go, and to `serde_json` none.
                    "-0" => Tree::Number(0.into()),
                    _ if is_huge(text) => Tree::Huge(Cow::Borrowed(text)),
                    _ => Tree::Decimal(number.clone(), Cow::Borrowed(text)),
                };
            }
        }
        Tree::Items(items) => {
            for item in items {
                keep_next(&mut item.tree, numbers);
            }
        }
        Tree::Fields(fields) => {
            for field in fields {
                keep_next(&mut field.value.tree, numbers);
            }
        }
        _ => (),
    }
}

/// Returns the text with other numbers for those that no float of 64 bits has, if there is one.
pub(super) fn mended(text: &str) -> Option<String> {
    let mut mended: Option<Vec<u8>> = None;
    let mut numbers = Numbers::of(text);
    while let Some(number) = numbers.next_at_any_depth() {
        if !is_huge(number) {
            continue;
        }
        let end = text.len() - numbers.rest.len();
        let start = end - number.trim_start_matches('-').len();
        let bytes = mended.get_or_insert_with(|| text.as_bytes().to_vec());
        // Of the same length, so that all other places stay.
        bytes[start..end].fill(b'0');
        bytes[start + 1] = b'.';
    }
    String::from_utf8(mended?).ok()
}

/// Returns true for a number beyond floats of 64 bits.
fn is_huge(number: &str) -> bool {
    /// The length of the shortest, `1e309`.
    const SHORTEST: usize = 5;
    number.len() >= SHORTEST && number.parse().is_ok_and(f64::is_infinite)
}

/// The numbers of a document, without those that are too deep for its tree.
struct Numbers<'a> {
    rest: &'a str,
    depth: usize,
    deepest: usize,
}

impl<'a> Numbers<'a> {
    const fn of(text: &'a str) -> Self {
        Self {
            rest: text,
            depth: 0,
            deepest: 0,
        }
    }

    fn next_at_any_depth(&mut self) -> Option<&'a str> {
        loop {
            let start = self.rest.bytes().position(counts)?;
            let rest = self.rest.get(start..)?;
            self.rest = rest.get(1..)?;
            match rest.as_bytes().first()? {
                b'"' => self.rest = after_string(self.rest),
                b'[' | b'{' => {
                    self.depth += 1;
                    self.deepest = self.deepest.max(self.depth);
                }
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {
                    let end = rest.bytes().position(ends).unwrap_or(rest.len());
                    let (number, rest) = rest.split_at(end);
                    self.rest = rest;
                    return Some(number);
                }
            }
        }
    }
}

impl<'a> Iterator for Numbers<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let number = self.next_at_any_depth()?;
            if self.depth < MAX_DEPTH {
                return Some(number);
            }
        }
    }
}

/// Returns true for a bracket, and for the first byte of a number or a string.
fn counts(byte: u8) -> bool {
    b"\"-[]{}".contains(&byte) || byte.is_ascii_digit()
}

/// Returns true for a byte that no number has.
fn ends(byte: u8) -> bool {
    !byte.is_ascii_digit() && !b"+-.eE".contains(&byte)
}

/// Returns what follows the string that the text is in.
fn after_string(mut text: &str) -> &str {
    loop {
        let Some(end) = text.find(['"', '\\']) else {
            return "";
        };
        let is_quote = text.as_bytes()[end] == b'"';
        text = text.get(end + 1..).unwrap_or_default();
        if is_quote {
            return text;
        }
        let mut rest = text.chars();
        rest.next();
        text = rest.as_str();
    }
}
