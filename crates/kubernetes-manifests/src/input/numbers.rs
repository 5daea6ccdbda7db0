//! The texts of numbers in JSON.

use std::borrow::Cow;

use super::tree::Tree;

/// Keeps the texts of numbers that aren't integers of 64 bits. The text is the tree's.
pub(super) fn keep<'a>(tree: &mut Tree<'a>, text: &'a str) {
    if has_float(tree) {
        keep_next(tree, &mut Numbers(text));
    }
}

fn has_float(tree: &Tree<'_>) -> bool {
    match tree {
        Tree::Number(number) => number.is_f64(),
        Tree::Items(items) => items.iter().any(|item| has_float(&item.tree)),
        Tree::Fields(fields) => fields.iter().any(|field| has_float(&field.value.tree)),
        _ => false,
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

/// The numbers in the rest of a valid document.
struct Numbers<'a>(&'a str);

impl<'a> Iterator for Numbers<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let start = self.0.bytes().position(begins)?;
            let rest = self.0.get(start..)?;
            if let Some(string) = rest.strip_prefix('"') {
                self.0 = after_string(string);
                continue;
            }
            let end = rest.bytes().position(ends).unwrap_or(rest.len());
            let (number, rest) = rest.split_at(end);
            self.0 = rest;
            return Some(number);
        }
    }
}

/// Returns true for the first byte of a number or a string.
fn begins(byte: u8) -> bool {
    byte == b'"' || byte == b'-' || byte.is_ascii_digit()
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
