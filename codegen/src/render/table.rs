//! Macros with tables, which neither prettyplease nor rustfmt formats.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprLit, Item, Lit, MacroDelimiter, MetaNameValue};

use crate::emit::{NEXT_LINE, WIDTH, row as wrapped};

/// Returns the text of an item that is a macro with a table in braces.
pub(super) fn text(item: &Item) -> Option<String> {
    let Item::Macro(item) = item else {
        return None;
    };
    let is_table = item.ident.is_none() && matches!(item.mac.delimiter, MacroDelimiter::Brace(_));
    if !is_table || !item.attrs.is_empty() {
        return None;
    }
    let path = joined(item.mac.path.to_token_stream());
    let table = item.mac.tokens.clone();
    let has_rows = table.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        // A documentation comment.
        TokenTree::Punct(punct) => punct.as_char() == '#',
        _ => false,
    });
    if !has_rows {
        let line = format!("{path}! {{ {} }}\n", joined(table.clone()));
        if line.len() <= WIDTH + 1 {
            return Some(line);
        }
    }
    let mut text = format!("{path}! {{\n");
    rows(table, "    ", &mut text);
    Some(text + "}\n")
}

/// Each row of a table on a line.
fn rows(tokens: TokenStream, indent: &str, text: &mut String) {
    let mut row = Vec::new();
    // The number of open brackets of generic arguments.
    let mut depth = 0_usize;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let lines = tokens.next().and_then(comment).unwrap_or_default();
                for line in lines.split(NEXT_LINE) {
                    text.extend([indent, "///", line, "\n"]);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ',' && depth == 0 => {
                let line = joined(row.drain(..).collect());
                *text += &wrapped(indent, &(line + ","));
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let line = joined(row.drain(..).collect());
                *text += &wrapped(indent, &(line + " {"));
                rows(group.stream(), &format!("{indent}    "), text);
                let comma = tokens.next_if(|token| sign(token) == Some(','));
                let comma = comma.map_or("", |_| ",");
                *text += &format!("{indent}}}{comma}\n");
            }
            token => {
                let is_arrow = row.last().is_some_and(|last| sign(last) == Some('='));
                match sign(&token) {
                    Some('<') => depth += 1,
                    Some('>') if !is_arrow => depth = depth.saturating_sub(1),
                    _ => {}
                }
                row.push(token);
            }
        }
    }
    if !row.is_empty() {
        *text += &format!("{indent}{}\n", joined(row.into_iter().collect()));
    }
}

/// Returns the lines of a documentation comment, from its attribute without the sign.
fn comment(attribute: TokenTree) -> Option<String> {
    let TokenTree::Group(group) = attribute else {
        return None;
    };
    let attribute: MetaNameValue = syn::parse2(group.stream()).ok()?;
    match attribute.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(lines),
            ..
        }) => Some(lines.value()),
        _ => None,
    }
}

fn sign(token: &TokenTree) -> Option<char> {
    match token {
        TokenTree::Punct(punct) => Some(punct.as_char()),
        _ => None,
    }
}

/// Tokens with blanks between them, but for those of a path and of its generic arguments.
fn joined(tokens: TokenStream) -> String {
    let mut text = String::new();
    let mut glued = true;
    for token in tokens {
        let punct = match &token {
            TokenTree::Punct(punct) => Some((punct.as_char(), punct.spacing())),
            _ => None,
        };
        let sign = punct.map(|(sign, _)| sign);
        // The `>` of `=>` is glued to the sign before it.
        let is_left =
            matches!(sign, Some('!' | ':' | ',' | '.' | '<')) || sign == Some('>') && !glued;
        if !glued && !is_left {
            text.push(' ');
        }
        text += &match &token {
            TokenTree::Group(group) => grouped(group),
            token => token.to_string(),
        };
        glued = matches!(sign, Some(':' | '.' | '<'))
            || punct.is_some_and(|(_, spacing)| spacing == Spacing::Joint);
    }
    text
}

/// A group as rustfmt writes it.
fn grouped(group: &Group) -> String {
    let inside = joined(group.stream());
    match group.delimiter() {
        Delimiter::Parenthesis => format!("({inside})"),
        Delimiter::Bracket => format!("[{inside}]"),
        Delimiter::Brace | Delimiter::None => group.to_string(),
    }
}
