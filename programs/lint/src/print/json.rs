//! One JSON object a line: each finding, then the summary.

use std::io::{self, Write};

use serde::Serialize;

use super::{Checked, Summary, findings};
use crate::finding::{Finding, Note, Subject};

/// A finding as one JSON object.
#[derive(Serialize)]
struct Row<'f> {
    file: &'f str,
    line: usize,
    column: Option<usize>,
    #[serde(flatten)]
    subject: &'f Subject,
    #[serde(flatten)]
    note: &'f Note,
}

/// What there was in all.
#[derive(Serialize)]
struct Last<'s> {
    summary: &'s Summary,
}

pub(super) fn print(out: &mut impl Write, files: &[Checked], summary: &Summary) -> io::Result<()> {
    for finding in findings(files) {
        let Finding {
            file,
            line,
            column,
            subject,
            note,
        } = finding;
        let row = Row {
            file,
            line: *line,
            column: *column,
            subject,
            note,
        };
        writeln!(out, "{}", json(&row)?)?;
    }
    writeln!(out, "{}", json(&Last { summary })?)
}

/// Nothing that is printed is without a form in JSON.
fn json(value: &impl Serialize) -> io::Result<String> {
    serde_json::to_string(value).map_err(io::Error::other)
}
