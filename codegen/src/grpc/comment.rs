//! The comments of a `.proto` file: documentation, and annotations in lines that begin with `@`.
//!
//! - `@required` at a field: the caller sets it. At a `oneof`: the caller sets one of its members.
//! - `@path` at a field of a string: an absolute path, as long as the operating system allows.
//! - `@size N` at a field of a string, a map or a list: at most N bytes in all, in place of the
//!   general limit.
//! - `@rule FUNCTION` at a field or a message: a hand-written function checks it, too.
//! - `@error CODE TEXT` at an rpc: when it fails with that code. The text continues in indented
//!   lines.

use std::collections::HashMap;

use prost_types::FileDescriptorProto;

use super::items::{FieldKind, Item, Kind};
use crate::diag::Diagnostics;
use crate::doc;
use crate::source::Source;

/// Fills the lines of paragraphs and of items of lists anew: in Rust they have less space.
fn filled(lines: &[String]) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let is_alone = line.is_empty() || line.starts_with('|');
        match blocks.last_mut() {
            Some(block) if is_open && !is_alone && !line.starts_with(ITEM) => {
                block.push(' ');
                block.push_str(line.trim());
            }
            _ => blocks.push(line.clone()),
        }
        is_open = !is_alone;
    }
    let mut filled = Vec::new();
    for block in blocks {
        match block.strip_prefix(ITEM) {
            Some(item) => doc::wrap(item.split_whitespace(), ITEM, &mut filled),
            None if block.is_empty() || block.starts_with('|') => filled.push(block),
            None => doc::wrap(block.split_whitespace(), "", &mut filled),
        }
    }
    filled
}

/// The start of an item of a list.
const ITEM: &str = "- ";

/// The codes of gRPC that an error can have.
const CODES: [&str; 16] = [
    "ABORTED",
    "ALREADY_EXISTS",
    "CANCELLED",
    "DATA_LOSS",
    "DEADLINE_EXCEEDED",
    "FAILED_PRECONDITION",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "UNAUTHENTICATED",
    "UNAVAILABLE",
    "UNIMPLEMENTED",
    "UNKNOWN",
];

/// The content of a comment.
#[derive(Default)]
pub(super) struct Comment {
    /// The line of the item, counted from 1.
    pub(super) line: Option<usize>,
    lines: Vec<String>,
    pub(super) is_required: bool,
    pub(super) is_path: bool,
    pub(super) size: Option<u32>,
    /// The name of the function that checks it.
    pub(super) rule: Option<String>,
    errors: Vec<(String, String)>,
}

/// Replaces the comments of a file by the documentation that they become, and returns them by the
/// names of their items.
pub(super) fn rewrite(
    file: &mut FileDescriptorProto,
    items: &[Item],
    source: &Source,
    diagnostics: &mut Diagnostics,
) -> HashMap<String, Comment> {
    let by_path: HashMap<&[i32], &Item> = items.iter().map(|item| (&*item.path, item)).collect();
    let mut comments = HashMap::new();
    for location in file
        .source_code_info
        .iter_mut()
        .flat_map(|all| &mut all.location)
    {
        let text = location.leading_comments.take();
        location.trailing_comments = None;
        location.leading_detached_comments.clear();
        let Some(item) = by_path.get(&*location.path) else {
            continue;
        };
        let line = location
            .span
            .first()
            .and_then(|line| usize::try_from(*line).ok())
            .map(|line| line + 1);
        let mut report = |message: String, help: &str| {
            diagnostics.in_file(&source.name, line, message, help);
        };
        let mut comment = read(&text.unwrap_or_default(), item, &mut report);
        comment.line = line;
        location.leading_comments = Some(comment.documentation(item));
        comments.insert(item.name.clone(), comment);
    }
    comments
}

fn read(text: &str, item: &Item, report: &mut dyn FnMut(String, &str)) -> Comment {
    let mut comment = Comment::default();
    for line in text.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if let Some(annotation) = line.strip_prefix('@') {
            comment.annotate(annotation, item, report);
        } else if let Some((_, error)) = comment.errors.last_mut() {
            error.push(' ');
            error.push_str(line.trim());
        } else {
            comment.lines.push(line.trim_end().to_owned());
        }
    }
    while comment.lines.last().is_some_and(String::is_empty) {
        comment.lines.pop();
    }
    if comment.lines.is_empty() {
        let message = format!("{} has no documentation", item.name);
        report(message, "write a comment in the lines before it");
    }
    comment
}

/// Returns true if a text can be the name of a function, such as `not_negative`.
fn is_function(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
        && syn::parse_str::<syn::Ident>(name).is_ok()
}

impl Comment {
    fn annotate(&mut self, text: &str, item: &Item, report: &mut dyn FnMut(String, &str)) {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let is_known = match (name, item.kind) {
            ("required", Kind::Field(_) | Kind::Oneof) => {
                self.is_required = true;
                rest.is_empty()
            }
            ("path", Kind::Field(FieldKind::String)) => {
                self.is_path = true;
                rest.is_empty()
            }
            ("size", Kind::Field(FieldKind::String | FieldKind::Several)) => {
                self.size = rest.parse().ok();
                self.size.is_some()
            }
            ("rule", Kind::Field(_) | Kind::Message) => {
                self.rule = is_function(rest).then(|| rest.to_owned());
                self.rule.is_some()
            }
            ("error", Kind::Rpc) => {
                let (code, when) = rest.split_once(' ').unwrap_or((rest, ""));
                self.errors.push((code.to_owned(), when.trim().to_owned()));
                CODES.contains(&code) && !when.trim().is_empty()
            }
            _ => false,
        };
        if !is_known {
            let message = format!("{} can't have the annotation `@{text}`", item.name);
            let help = "fields and oneofs may have `@required`, fields of strings `@path`, those \
                        of strings, maps and lists `@size BYTES`, fields and messages \
                        `@rule FUNCTION`, and rpcs `@error CODE TEXT` with a code of gRPC";
            report(message, help);
        }
    }

    /// Returns the documentation, of which each line has a space at its start, as in a comment.
    fn documentation(&self, item: &Item) -> String {
        let mut lines = filled(&self.lines);
        let mut facts = Vec::new();
        if self.is_required {
            facts.push("Required.".to_owned());
        }
        if self.is_path {
            facts.push("An absolute path.".to_owned());
        }
        if let Some(size) = self.size {
            facts.push(format!("At most {size} bytes."));
        }
        if item.is_secret {
            facts.push("Secret: it is never printed.".to_owned());
        }
        if item.is_alpha {
            facts.push("Alpha: the specification may change it.".to_owned());
        }
        if !facts.is_empty() {
            lines.extend([String::new(), facts.join(" ")]);
        }
        if !self.errors.is_empty() {
            lines.extend(["", "# Errors", ""].map(str::to_owned));
            for (code, when) in &self.errors {
                lines.extend(filled(&[format!("- `{code}`: {when}")]));
            }
        }
        let lines = lines.into_iter().map(|line| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!(" {line}\n"),
        });
        lines.collect()
    }
}
