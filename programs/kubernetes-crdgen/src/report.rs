//! Reports of generated crates and of the definitions that they are made of.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use codegen::{CostOf, CostlyRule, Generated};

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

/// Prints what a server refuses of definitions for its cost.
pub(crate) fn print_refused(found: &Found) {
    let sources = found.inputs.documents.values();
    let costly = codegen::costly(sources.map(|document| &document.source));
    print!("{}", refused(&costly, found));
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

/// Returns the list of what a server refuses for its cost; empty without any.
fn refused(costly: &[CostlyRule], found: &Found) -> String {
    if costly.is_empty() {
        return String::new();
    }
    let mut text =
        "\na server refuses these definitions, for the cost of their rules:\n".to_owned();
    for rule in costly {
        let dot = if rule.path.is_empty() { "" } else { "." };
        let what = match rule.of {
            CostOf::Rule => format!("`{}`", printable(&rule.rule)),
            CostOf::Message => format!("the message `{}`", printable(&rule.rule)),
            CostOf::All => "all rules together".to_owned(),
        };
        text += &format!(
            "  {} {} {}{dot}{}: {what}: it can cost {}, {} the {} that are allowed; {}\n",
            found.shown(&rule.file),
            rule.version,
            rule.kind,
            rule.path,
            rule.cost,
            times(rule),
            rule.of.limit(),
            remedy(rule)
        );
    }
    text
}

/// A cost as so many times what is allowed; servers tell it no more exactly.
#[allow(clippy::cast_precision_loss)]
fn times(rule: &CostlyRule) -> String {
    match rule.cost as f64 / rule.of.limit() as f64 {
        times if times > 100.0 => "more than 100 times".to_owned(),
        times if times < 1.5 => format!("{times:.6} times"),
        times => format!("{times:.1} times"),
    }
}

/// The advice that lowers a cost.
fn remedy(rule: &CostlyRule) -> String {
    let bounds = rule.missing.iter().map(|bound| {
        let path = match bound.path.as_str() {
            "" => "the object",
            path => path,
        };
        format!("{} to {path}", bound.keyword)
    });
    let bounds: Vec<_> = bounds.collect();
    match bounds.split_last() {
        None => "lower the limits of what is read, or make it simpler".to_owned(),
        Some((last, [])) => format!("add {last}"),
        Some((last, others)) => format!("add {} and {last}", others.join(", ")),
    }
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
