//! Annotations of GitHub Actions, which shows them beside the lines of a pull request.

use std::io::{self, Write};

use crate::lint::finding::Severity;
use crate::lint::report::FileReport;
use crate::lint::summary::findings;

pub(super) fn print(out: &mut impl Write, files: &[FileReport]) -> io::Result<()> {
    for finding in findings(files) {
        let message = &finding.message;
        let command = match message.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        match &finding.source {
            // Where it is in the file from which the text was made isn't known.
            Some(source) => write!(out, "::{command} file={}", property(source))?,
            None => {
                let file = property(&finding.file);
                write!(out, "::{command} file={file},line={}", finding.line)?;
            }
        }
        if let (Some(column), None) = (finding.column, &finding.source) {
            write!(out, ",col={column}")?;
        }
        let place = match message.path.as_str() {
            "" => finding.subject.to_string(),
            path => format!("{}: {path}", finding.subject),
        };
        let text = data(&format!("{place}: {} [{}]", message.text, message.rule));
        writeln!(out, ",title={}::{text}", property(&message.title))?;
    }
    Ok(())
}

/// Escapes the data of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property, which ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
