//! The paths in the code of a crate, and the files that they lead to.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;

use super::circles::Uses;
use super::modules::{Crate, Meaning};

/// Returns the names that each hand-written file uses of another one.
pub(super) fn uses(krate: &Crate<'_>) -> Uses {
    let mut uses = Uses::new();
    for (index, module) in krate.modules.iter().enumerate() {
        if !krate.is_by_hand(module.file) {
            continue;
        }
        let mut paths = Vec::new();
        for item in &module.code {
            collect(item.to_token_stream(), &mut paths);
        }
        for path in paths {
            let (Some(Meaning::Item(file)), Some(name)) = (used(krate, index, &path), path.last())
            else {
                continue;
            };
            if file != module.file && krate.is_by_hand(file) {
                uses.entry((module.file, file))
                    .or_insert_with(|| name.clone());
            }
        }
    }
    uses
}

/// Returns the meaning of a path in another module. An import of everything uses the items of the
/// module. A module that names its own child imports nothing: it declares the child.
fn used(krate: &Crate<'_>, module: usize, path: &[String]) -> Option<Meaning> {
    if path.len() == 1 || krate.modules.get(module)?.is_of_child(path.first()?) {
        return None;
    }
    match path {
        [start @ .., all] if all == "*" => match krate.resolve(module, start)? {
            Meaning::Module(found) => krate.modules.get(found).map(|m| Meaning::Item(m.file)),
            item => Some(item),
        },
        path => krate.resolve(module, path),
    }
}

/// Collects all paths in tokens.
fn collect(tokens: TokenStream, paths: &mut Vec<Vec<String>>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Group(group) => {
                collect(group.stream(), paths);
                at += 1;
            }
            TokenTree::Ident(_) => at = path(&tokens, at, &[], paths),
            _ => at += 1,
        }
    }
}

/// Collects the path that starts at a token, or several if it ends in braces, and returns where it
/// ends.
fn path(
    tokens: &[TokenTree],
    mut at: usize,
    start: &[String],
    paths: &mut Vec<Vec<String>>,
) -> usize {
    let mut path = start.to_vec();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => path.push(name.to_string()),
            Some(TokenTree::Punct(star)) if star.as_char() == '*' => path.push("*".to_owned()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                branches(group.stream(), &path, paths);
                return at + 1;
            }
            // The arguments of a generic function.
            _ => break,
        }
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    paths.push(path);
    at
}

/// Collects the paths in the braces of an import.
fn branches(tokens: TokenStream, start: &[String], paths: &mut Vec<Vec<String>>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    for branch in tokens.split(is_comma).filter(|branch| !branch.is_empty()) {
        path(branch, 0, start, paths);
    }
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1))
}
