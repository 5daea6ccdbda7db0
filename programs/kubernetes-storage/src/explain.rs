//! `kubernetes-storage explain`: what the rules are that findings name.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use kubernetes_manifests::scheme::Syntax;
use kubernetes_validation::Target;

use crate::lint::{Levels, Line, Linter};
use crate::rules::{self, Rule};

/// The name of an example in its findings.
const FILE: &str = "example.yaml";

/// The width of the text.
const WIDTH: usize = 100;

/// Prints the explanation of a rule, or a line for each.
///
/// # Errors
///
/// When standard output can't be written.
pub(crate) fn run(rule: Option<&Rule>) -> io::Result<()> {
    let text = match rule {
        Some(rule) => explanation(rule),
        None => list(),
    };
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    out.write_all(text.as_bytes())
}

/// Returns a line for each rule.
fn list() -> String {
    let rules = rules::all();
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let lines = rules
        .iter()
        .map(|rule| format!("{:width$}  {}\n", rule.id, rule.title));
    lines.collect()
}

/// Returns what a rule asks for, since when, and what an object is told that breaks it.
fn explanation(rule: &Rule) -> String {
    let mut text = format!("{}: {}\n\n{}", rule.id, rule.title, wrapped(&rule.about));
    if let Some(since) = rule.since() {
        let _ = write!(text, "\nServers have the rule since Kubernetes {since}.\n");
    }
    let Some(example) = &rule.example else {
        return text;
    };
    let release = rule.target();
    let _ = write!(text, "\nFor example, for Kubernetes {release}:\n\n");
    for line in example.lines() {
        let _ = writeln!(text, "    {line}");
    }
    text.push('\n');
    let linter = Linter::new(Target::new(release));
    let mut report = linter.check(FILE, example, Syntax::JsonOrYaml);
    report.settle(&Levels::new());
    let findings = report.findings.iter();
    for finding in findings.filter(|finding| finding.message.rule == rule.id) {
        let _ = writeln!(text, "{}", Line(finding));
    }
    text
}

/// Returns a text in lines of the usual width.
fn wrapped(text: &str) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 {
            let is_full = width + 1 + length > WIDTH;
            lines.push(if is_full { '\n' } else { ' ' });
            width = if is_full { 0 } else { width + 1 };
        }
        lines.push_str(word);
        width += length;
    }
    lines.push('\n');
    lines
}
