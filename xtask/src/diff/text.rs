//! The report for a terminal.

use std::fmt::Write;

use codegen::diff::{Change, Report, Severity};

use super::entry::{self, documentation, headline, not_compared, release};
use super::summary::counts;

/// The indentation of the lines below the first of a change.
const INDENT: &str = "          ";

/// Renders a report.
pub(super) fn render(report: &Report, with_docs: bool) -> String {
    let mut text = format!("{} → {}: {}\n", report.from, report.to, counts(report));
    let line = |text: &mut String, line: &str| {
        let _ = writeln!(text, "{line}");
    };
    if !report.changes.is_empty() {
        line(
            &mut text,
            &format!("generated Rust: {}", report.semver().name()),
        );
    }
    line(
        &mut text,
        &format!("compared: {}", report.compared.join(", ")),
    );
    for reason in not_compared(report) {
        line(&mut text, &format!("not compared: {reason}"));
    }
    let is_effective = |change: &&Change| change.severity() > Severity::None;
    for change in report.changes.iter().filter(is_effective) {
        line(&mut text, "");
        for part in lines(change) {
            line(&mut text, &part);
        }
    }
    let others: Vec<_> = report
        .changes
        .iter()
        .filter(|change| !is_effective(change))
        .collect();
    if !others.is_empty() {
        line(&mut text, "\nwithout effect:");
    }
    for change in others {
        line(
            &mut text,
            &format!("{INDENT}{}{}", plain(&headline(change)), release(change)),
        );
    }
    if let Some(count) = documentation(report) {
        line(&mut text, "");
        let hint = if with_docs {
            ":"
        } else {
            "; --docs lists them"
        };
        line(&mut text, &format!("documentation: {count}{hint}"));
        for change in report.documentation.iter().filter(|_| with_docs) {
            line(
                &mut text,
                &format!("  {}, {}", change.place.text(), change.keyword),
            );
        }
    }
    text
}

/// Text without control characters: those from documents must not reach a terminal.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn lines(change: &Change) -> Vec<String> {
    let release = release(change);
    let severity = change.severity().name();
    let mut lines = vec![format!(
        "{severity:8}  {}{release}",
        plain(&headline(change))
    )];
    let details = entry::lines(change).into_iter();
    lines.extend(details.map(|line| format!("{INDENT}{}", plain(&line))));
    lines
}
