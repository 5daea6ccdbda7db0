//! Output formats.

mod github;
mod json;
mod junit;
mod sarif;
mod text;

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};

use super::arguments::{Args, Color, OutputFormat};
use super::report::FileReport;
use super::summary::Summary;
pub(crate) use json::schema;
pub use text::Line;

/// Prints the findings to standard output.
///
/// # Errors
///
/// When standard output can't be written.
pub(super) fn print(args: &Args, files: &[FileReport], summary: &Summary) -> io::Result<()> {
    let choice = match (args.format, args.color) {
        (OutputFormat::Text, Color::Auto) => ColorChoice::Auto,
        (OutputFormat::Text, Color::Always) => ColorChoice::Always,
        _ => ColorChoice::Never,
    };
    let out = &mut AutoStream::new(io::stdout().lock(), choice);
    match args.format {
        OutputFormat::Text => text::print(out, files)?,
        OutputFormat::Json => json::print(out, files, summary)?,
        OutputFormat::Junit => junit::print(out, files)?,
        OutputFormat::Sarif => sarif::print(out, files)?,
        OutputFormat::Github => github::print(out, files)?,
    }
    out.flush()
}
