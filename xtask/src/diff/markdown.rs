//! The report in Markdown, for pull requests and release notes.

use std::fmt::Write;

use codegen::diff::{Change, Report, Severity};

use super::entry::{documentation, headline, lines, not_compared, release};
use super::summary::{self, counts, sentence, title};

/// Renders a report.
pub(super) fn render(report: &Report, with_docs: bool) -> String {
    let mut text = format!("# {} → {}\n\n", plain(&report.from), plain(&report.to));
    let _ = write!(text, "{}. ", sentence(&counts(report)));
    let _ = writeln!(text, "Generated Rust: {}.", report.semver().name());
    table(&mut text, report);
    let _ = writeln!(text, "\nCompared: {}.", plain(&report.compared.join(", ")));
    let not_compared = not_compared(report);
    if !not_compared.is_empty() {
        let _ = writeln!(text, "\nNot compared:\n");
    }
    for reason in not_compared {
        let _ = writeln!(text, "- {}", plain(&reason));
    }
    for severity in Severity::WORST_FIRST {
        let mut changes = summary::of(report, severity).peekable();
        if changes.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "\n## {}\n", sentence(title(severity)));
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
    for line in lines(change) {
        let _ = writeln!(text, "  - {}", plain(&line));
    }
}

/// The number of changes of each severity, by kind.
fn table(text: &mut String, report: &Report) {
    let rows = summary::rows(report);
    if rows.is_empty() {
        return;
    }
    let titles = Severity::WORST_FIRST.map(title).join(" | ");
    let _ = writeln!(text, "\n| group-version | kind | {titles} |");
    let _ = writeln!(text, "|---|---|---:|---:|---:|---:|");
    let cells = |counts: [usize; 4]| counts.map(|count| count.to_string()).join(" | ");
    for row in rows {
        let (group_version, kind) = (&row.subject.group_version, &row.subject.kind);
        let counts = cells(row.counts);
        let _ = writeln!(
            text,
            "| {} | {} | {counts} |",
            plain(group_version),
            plain(kind)
        );
    }
    let totals = cells(summary::totals(report));
    let _ = writeln!(text, "| all | | {totals} |");
}

/// Text without markup: what comes from documents must not become any. Code in our own texts stays,
/// unless other backticks are in it, which could end it too early or too late.
fn plain(text: &str) -> String {
    let is_clear = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let text = match is_clear {
        true => text.to_owned(),
        false => text.replace('`', "'"),
    };
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
    escaped
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_documents_say_is_no_markup() {
        for (text, expected) in [
            ("a *b* <i>", r"a \*b\* \<i\>"),
            ("set `a_b` and `<c>`", "set `a_b` and `<c>`"),
            ("a ` <img>", r"a ' \<img\>"),
            ("` <img> ``` [l](h)", r"' \<img\> ''' \[l\](h)"),
            ("a\u{1b}[1m\nb", r"a \[1m b"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
