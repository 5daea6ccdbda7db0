//! One JSON object a line: each finding, then the summary.

use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::lint::finding::{Finding, Message, Subject};
use crate::lint::report::FileReport;
use crate::lint::summary::{Summary, findings};

/// A line: a finding, or the summary as the last one.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "Line of kubernetes-storage lint --format json")]
#[schemars(description = "A line that `lint` prints: a finding, or the numbers of the run.")]
enum Row<'f> {
    Finding(Found<'f>),
    Last(Last<'f>),
}

/// A finding.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
struct Found<'f> {
    /// The file, as it was named.
    file: &'f str,
    /// The file from which a template engine has made the text, if it says so.
    source: Option<&'f str>,
    /// The line of the file, counted from 1.
    line: usize,
    /// The column, counted from 1, in characters; null where only the line is known.
    column: Option<usize>,
    #[serde(flatten)]
    subject: &'f Subject,
    #[serde(flatten)]
    message: &'f Message,
}

/// The summary.
#[derive(Serialize, JsonSchema)]
struct Last<'s> {
    summary: &'s Summary,
}

/// Returns the JSON Schema of a line.
pub(crate) fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Row<'_>>()
}

pub(super) fn print(
    out: &mut impl Write,
    files: &[FileReport],
    summary: &Summary,
) -> io::Result<()> {
    for finding in findings(files) {
        let Finding {
            file,
            source,
            line,
            column,
            subject,
            message,
        } = finding;
        let row = Row::Finding(Found {
            file,
            source: source.as_deref(),
            line: *line,
            column: *column,
            subject,
            message,
        });
        writeln!(out, "{}", json(&row)?)?;
    }
    writeln!(out, "{}", json(&Row::Last(Last { summary }))?)
}

fn json(value: &impl Serialize) -> io::Result<String> {
    serde_json::to_string(value).map_err(io::Error::other)
}
