//! Documentation comments, which are half of what is generated: they go around the parser and the
//! formatter of Rust, for which each would be an attribute.

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};
use quote::quote;

/// What stands for a comment in formatted text, before its number. No comment of ours starts so: a
/// blank is first.
const MARK: &str = "@";

/// The comments that have been taken out of an item.
#[derive(Default)]
pub(super) struct Comments(Vec<String>);

impl Comments {
    /// The tokens with one short comment in place of the lines of each.
    pub(super) fn take(&mut self, tokens: Vec<TokenTree>) -> Vec<TokenTree> {
        let mut left = Vec::with_capacity(tokens.len());
        let mut tokens = tokens.into_iter().peekable();
        let mut continues = false;
        // The bodies of functions have none.
        let mut is_body = false;
        while let Some(token) = tokens.next() {
            let comment = match sign(&token) {
                Some('#') => tokens.peek().and_then(of),
                _ => None,
            };
            if let Some(lines) = comment.filter(|lines| fits(lines)) {
                tokens.next();
                match self.0.last_mut().filter(|_| continues) {
                    Some(before) => before.extend(["\n", &lines]),
                    None => {
                        let mark = format!("{MARK}{}", self.0.len());
                        left.extend(quote!(#[doc = #mark]));
                        self.0.push(lines);
                    }
                }
                continues = true;
                continue;
            }
            continues = false;
            left.push(match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    if std::mem::take(&mut is_body) {
                        left.push(group.into());
                        continue;
                    }
                    let inside = self.take(owned(group).into_iter().collect());
                    Group::new(Delimiter::Brace, inside.into_iter().collect()).into()
                }
                token => {
                    is_body |= matches!(&token, TokenTree::Ident(word) if word == "fn");
                    token
                }
            });
        }
        left
    }

    /// The text with the comments where they were.
    pub(super) fn restored(&self, text: String) -> String {
        if self.0.is_empty() {
            return text;
        }
        let mut restored = String::with_capacity(2 * text.len());
        for line in text.lines() {
            let comment = line.trim_start().strip_prefix("///");
            let number = comment.and_then(|comment| comment.strip_prefix(MARK));
            match number.and_then(|number| self.0.get(number.parse::<usize>().ok()?)) {
                Some(lines) => {
                    let indent = line.len() - line.trim_start().len();
                    for line in lines.split('\n') {
                        restored.extend(std::iter::repeat_n(' ', indent));
                        restored.push_str("///");
                        restored.push_str(line.trim_end_matches(' '));
                        restored.push('\n');
                    }
                }
                None => {
                    restored.push_str(line);
                    restored.push('\n');
                }
            }
        }
        restored
    }
}

/// Whether the lines of a comment can start with `///`, as all of ours do.
fn fits(lines: &str) -> bool {
    lines.split('\n').all(|line| !line.starts_with(['/', '@']))
}

/// What is in a group. Without the group nobody else holds it, so that it needn't be copied.
pub(super) fn owned(group: Group) -> TokenStream {
    group.stream()
}

/// The sign that a token is.
pub(super) fn sign(token: &TokenTree) -> Option<char> {
    match token {
        TokenTree::Punct(punct) => Some(punct.as_char()),
        _ => None,
    }
}

/// The lines of a documentation comment, from its attribute without the sign.
pub(super) fn of(attribute: &TokenTree) -> Option<String> {
    let TokenTree::Group(group) = attribute else {
        return None;
    };
    let mut tokens = group.stream().into_iter();
    match (
        tokens.next()?,
        tokens.next()?,
        tokens.next()?,
        tokens.next(),
    ) {
        (TokenTree::Ident(name), TokenTree::Punct(equals), TokenTree::Literal(text), None)
            if name == "doc" && equals.as_char() == '=' =>
        {
            value(text)
        }
        _ => None,
    }
}

/// The text that a literal is for.
fn value(literal: Literal) -> Option<String> {
    let source = literal.to_string();
    let inside = source
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inside.filter(|inside| !inside.contains('\\')) {
        Some(inside) => Some(inside.to_owned()),
        None => match syn::Lit::new(literal) {
            syn::Lit::Str(text) => Some(text.value()),
            _ => None,
        },
    }
}
