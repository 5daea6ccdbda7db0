//! Annotations of GitHub Actions, which shows them beside the lines of a pull request.

use std::io::{self, Write};

use super::{Checked, findings};
use crate::finding::Severity;

pub(super) fn print(out: &mut impl Write, files: &[Checked]) -> io::Result<()> {
    for finding in findings(files) {
        let note = &finding.note;
        let command = match note.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        write!(
            out,
            "::{command} file={},line={}",
            value(&finding.file),
            finding.line
        )?;
        if let Some(column) = finding.column {
            write!(out, ",col={column}")?;
        }
        let place = match note.path.as_str() {
            "" => finding.subject.to_string(),
            path => format!("{}: {path}", finding.subject),
        };
        let message = message(&format!("{place}: {}", note.message));
        writeln!(out, ",title={}::{message}", value(&note.title))?;
    }
    Ok(())
}

/// A message as it has to be written.
fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, which ends with a comma or colon.
fn value(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
