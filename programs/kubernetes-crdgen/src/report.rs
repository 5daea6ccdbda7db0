//! What is printed about generated crates.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use codegen::Generated;

use crate::Found;
use crate::output::{Change, Plan};

/// Prints what has been done for each crate, and the rules that are left to a server.
pub fn print(generated: &[Generated], plans: &[Plan], found: &Found, started: Instant) {
    let elapsed = started.elapsed().as_millis();
    for (krate, plan) in generated.iter().zip(plans) {
        println!("{}", summary(krate, plan, elapsed));
    }
    for krate in generated {
        print!("{}", unchecked(krate, found));
    }
}

/// Returns the line about a crate that is written.
fn summary(krate: &Generated, plan: &Plan, elapsed: u128) -> String {
    let Generated {
        name,
        documents,
        structs,
        enums,
        ..
    } = krate;
    format!(
        "{name}: {documents} document{} read, {} types and {enums} enums, {} files written, \
         {} unchanged, {} removed ({elapsed} ms)",
        if *documents == 1 { "" } else { "s" },
        structs,
        plan.changes.iter().filter(|c| c.text().is_some()).count(),
        plan.unchanged,
        plan.changes.iter().filter(|c| c.text().is_none()).count(),
    )
}

/// Returns the list of a crate's rules that only a server checks; empty without any.
fn unchecked(krate: &Generated, found: &Found) -> String {
    if krate.unchecked.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}: left to a server:\n", krate.name);
    for rule in &krate.unchecked {
        let line = rule.line.map(|line| format!(":{line}")).unwrap_or_default();
        text += &format!(
            "  {}{line} {}{}{}: `{}`: {}\n",
            found.shown(&rule.file),
            rule.kind,
            if rule.path.is_empty() { "" } else { "." },
            rule.path,
            printable(&rule.rule),
            rule.reason
        );
    }
    text
}

/// A text in one line, without what a terminal would follow.
fn printable(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = String::new();
    for c in words.chars() {
        match c {
            '\'' | '"' | '\\' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    shown
}

/// Says that files are as they would be written.
///
/// # Errors
///
/// The files that aren't, and what to do.
pub fn check(out: &Path, plans: &[Plan], help: &str) -> Result<(), Box<dyn Error>> {
    let stale: Vec<_> = plans.iter().flat_map(|plan| &plan.changes).collect();
    if stale.is_empty() {
        let files: usize = plans.iter().map(|plan| plan.unchanged).sum();
        println!("{files} generated files are up to date");
        return Ok(());
    }
    let mut message = "error: generated files are stale:\n".to_owned();
    for change in stale {
        let what = match change {
            Change::Create { .. } => "missing",
            Change::Replace { .. } => "differs",
            Change::Remove { .. } => "has no source any more",
        };
        let path = change.path();
        let path = path.strip_prefix(out).unwrap_or(path);
        message += &format!("  {} ({what})\n", path.display());
    }
    message += &format!("  help: {help}");
    Err(message.into())
}
