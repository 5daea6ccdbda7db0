//! The report as one page of HTML, without anything from elsewhere and without scripts.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};

use codegen::diff::{Change, Report, Severity};

use super::entry::{details, documentation, headline, not_compared, release};
use super::summary::{self, Row, Subject, counts, sentence, title};

const STYLE: &str = include_str!("page.css");

/// Text without markup: what comes from documents must not become any.
struct Escaped<T>(T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.to_string().chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                letter if letter.is_control() => f.write_char(' ')?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// Renders a report.
pub(super) fn render(report: &Report, with_docs: bool) -> String {
    let mut page = String::new();
    // Writing to a text doesn't fail.
    _ = write(&mut page, report, with_docs);
    page
}

fn write(page: &mut String, report: &Report, with_docs: bool) -> fmt::Result {
    let rows = summary::rows(report);
    let heading = format!("{} → {}", report.from, report.to);
    let heading = Escaped(&heading);
    writeln!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>API changes, {heading}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>API changes, {heading}</h1>\n<p>{}. Generated Rust: {}.</p>\n</header>\n\
         <main>",
        Escaped(sentence(&counts(report))),
        report.semver().name()
    )?;
    if !rows.is_empty() {
        table(page, report, &rows)?;
    }
    scope(page, report)?;
    for severity in Severity::WORST_FIRST {
        section(page, report, &rows, severity)?;
    }
    if let Some(count) = documentation(report) {
        writeln!(page, "<h2>Documentation</h2>\n<p>{count}.</p>")?;
        let texts = report.documentation.iter().filter(|_| with_docs);
        let texts = texts.map(|change| format!("{}, {}", change.place.text(), change.keyword));
        list(page, texts)?;
    }
    writeln!(page, "</main>\n</body>\n</html>")
}

/// The number of changes of each severity by kind, with links to them.
fn table(page: &mut String, report: &Report, rows: &[Row]) -> fmt::Result {
    writeln!(
        page,
        "<div class=\"wide\" role=\"region\" aria-label=\"Summary\" tabindex=\"0\">\n<table>\n<caption>Changes by kind and severity</caption>\n<thead>\n\
         <tr><th scope=\"col\">Group-version</th><th scope=\"col\">Kind</th>"
    )?;
    for severity in Severity::WORST_FIRST {
        let title = sentence(title(severity));
        writeln!(page, "<th scope=\"col\" class=\"number\">{title}</th>")?;
    }
    writeln!(page, "</tr>\n</thead>\n<tbody>")?;
    for (index, Row { subject, counts }) in rows.iter().enumerate() {
        let (group_version, kind) = (Escaped(&subject.group_version), Escaped(&subject.kind));
        write!(
            page,
            "<tr><td>{group_version}</td><th scope=\"row\">{kind}</th>"
        )?;
        for (count, severity) in counts.iter().zip(Severity::WORST_FIRST) {
            let name = severity.name();
            match count {
                0 => write!(page, "<td class=\"number zero\">0</td>")?,
                _ => write!(
                    page,
                    "<td class=\"number\"><a class=\"{name}\" href=\"#{name}-{index}\" \
                     aria-label=\"{count} {}, {group_version} {kind}\">{count}</a></td>",
                    title(severity)
                )?,
            }
        }
        writeln!(page, "</tr>")?;
    }
    write!(
        page,
        "</tbody>\n<tfoot>\n<tr><th scope=\"row\" colspan=\"2\">All</th>"
    )?;
    for count in summary::totals(report) {
        write!(page, "<td class=\"number\">{count}</td>")?;
    }
    writeln!(page, "</tr>\n</tfoot>\n</table>\n</div>")
}

/// The group-versions that are compared, and what isn't.
fn scope(page: &mut String, report: &Report) -> fmt::Result {
    let compared = report.compared.join(", ");
    writeln!(page, "<p>Compared: {}.</p>", Escaped(compared))?;
    let not_compared = not_compared(report);
    if not_compared.is_empty() {
        return Ok(());
    }
    writeln!(page, "<p>Not compared:</p>")?;
    list(page, not_compared.into_iter())
}

/// The changes of a severity, by kind.
fn section(page: &mut String, report: &Report, rows: &[Row], severity: Severity) -> fmt::Result {
    let mut by_subject = BTreeMap::<Subject, Vec<&Change>>::new();
    for change in summary::of(report, severity) {
        let of_subject = by_subject.entry(Subject::of(change)).or_default();
        of_subject.push(change);
    }
    if by_subject.is_empty() {
        return Ok(());
    }
    let name = severity.name();
    let title = sentence(title(severity));
    writeln!(page, "<section class=\"{name}\">\n<h2>{title}</h2>")?;
    for (index, Row { subject, .. }) in rows.iter().enumerate() {
        let Some(changes) = by_subject.get(subject) else {
            continue;
        };
        let (group_version, kind) = (Escaped(&subject.group_version), Escaped(&subject.kind));
        writeln!(
            page,
            "<h3 id=\"{name}-{index}\">{kind} <small>{group_version}</small></h3>"
        )?;
        for change in changes {
            item(page, change)?;
        }
    }
    writeln!(page, "</section>")
}

fn item(page: &mut String, change: &Change) -> fmt::Result {
    let (headline, release) = (headline(change), release(change));
    writeln!(
        page,
        "<article>\n<h4>{}{}</h4>",
        Escaped(headline),
        Escaped(release)
    )?;
    if change.severity() > Severity::None {
        writeln!(page, "<dl>")?;
        for (label, value) in details(change) {
            let label = sentence(label);
            writeln!(page, "<dt>{label}</dt><dd>{}</dd>", Escaped(value))?;
        }
        writeln!(page, "</dl>")?;
    }
    writeln!(page, "</article>")
}

fn list(page: &mut String, texts: impl Iterator<Item = String>) -> fmt::Result {
    let mut texts = texts.peekable();
    if texts.peek().is_none() {
        return Ok(());
    }
    writeln!(page, "<ul>")?;
    for text in texts {
        writeln!(page, "<li>{}</li>", Escaped(text))?;
    }
    writeln!(page, "</ul>")
}
