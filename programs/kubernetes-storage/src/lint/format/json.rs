//! One JSON object a line: each finding, then the summary.

use std::io::{self, Write};

use serde::Serialize;

use crate::lint::finding::{Finding, Message, Subject};
use crate::lint::report::FileReport;
use crate::lint::summary::{Summary, findings};

/// A finding as one JSON object.
#[derive(Serialize)]
struct Row<'f> {
    file: &'f str,
    line: usize,
    column: Option<usize>,
    #[serde(flatten)]
    subject: &'f Subject,
    #[serde(flatten)]
    message: &'f Message,
}

/// The last line, with the summary.
#[derive(Serialize)]
struct Last<'s> {
    summary: &'s Summary,
}

pub(super) fn print(
    out: &mut impl Write,
    files: &[FileReport],
    summary: &Summary,
) -> io::Result<()> {
    for finding in findings(files) {
        let Finding {
            file,
            line,
            column,
            subject,
            message,
        } = finding;
        let row = Row {
            file,
            line: *line,
            column: *column,
            subject,
            message,
        };
        writeln!(out, "{}", json(&row)?)?;
    }
    writeln!(out, "{}", json(&Last { summary })?)
}

fn json(value: &impl Serialize) -> io::Result<String> {
    serde_json::to_string(value).map_err(io::Error::other)
}
