//! The report in Markdown, for pull requests and release notes.

use std::fmt::Write;

use codegen::diff::{Change, Report, Severity};

use super::entry::{details, documentation, headline, release};

/// Renders a report.
pub(super) fn render(report: &Report, with_docs: bool) -> String {
    let mut text = format!("# {} → {}\n\n", plain(&report.from), plain(&report.to));
    let _ = write!(text, "{}. ", sentence(&super::counts(report)));
    let _ = writeln!(text, "Generated Rust: {}.", report.semver().name());
    let _ = writeln!(text, "\nCompared: {}.", plain(&report.compared.join(", ")));
    if !report.not_compared.is_empty() {
        let _ = writeln!(text, "\nNot compared:\n");
        for reason in &report.not_compared {
            let _ = writeln!(text, "- {}", plain(reason));
        }
    }
    for severity in Severity::ALL.into_iter().rev() {
        let mut changes = report
            .changes
            .iter()
            .filter(|c| c.severity() == severity)
            .peekable();
        if changes.peek().is_none() {
            continue;
        }
        let title = match severity {
            Severity::None => "Without effect",
            Severity::Info => "Info",
            Severity::Warning => "Warning",
            Severity::Breaking => "Breaking",
        };
        let _ = writeln!(text, "\n## {title}\n");
        for change in changes {
            item(&mut text, change);
        }
    }
    if let Some(count) = documentation(report) {
        let _ = writeln!(text, "\n## Documentation\n");
        let _ = writeln!(text, "{count}.");
        if with_docs {
            let _ = writeln!(text);
        }
        for change in report.documentation.iter().filter(|_| with_docs) {
            let _ = writeln!(
                text,
                "- {}, {}",
                plain(&change.place.text()),
                plain(&change.keyword)
            );
        }
    }
    text
}

fn item(text: &mut String, change: &Change) {
    let release = release(change);
    let _ = writeln!(text, "- **{}**{release}", plain(&headline(change)));
    if change.severity() == Severity::None {
        return;
    }
    for (label, value) in details(change) {
        let _ = writeln!(text, "  - {label}: {}", plain(&value));
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Text without markup: what comes from documents must not become any. Code in our own texts stays.
fn plain(text: &str) -> String {
    let mut escaped = String::new();
    let mut is_code = false;
    for letter in text.chars() {
        is_code ^= letter == '`';
        let is_markup = matches!(letter, '*' | '_' | '[' | ']' | '<' | '>' | '|' | '\\' | '&');
        if letter.is_control() {
            escaped.push(' ');
            continue;
        }
        if is_markup && !is_code {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    if is_code {
        // A lone one would reach to the end.
        return escaped.replace('`', "'");
    }
    escaped
}
