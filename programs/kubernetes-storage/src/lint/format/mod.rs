//! Output formats.

mod github;
mod json;
mod junit;
mod sarif;
mod text;

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};

use super::arguments::{Args, Color, Format};
use super::report::FileReport;
use super::summary::Summary;
pub use text::Line;

/// Prints the findings to standard output.
///
/// # Errors
///
/// When standard output can't be written.
pub(super) fn print(args: &Args, files: &[FileReport], summary: &Summary) -> io::Result<()> {
    let choice = match (args.format, args.color) {
        (Format::Text, Color::Auto) => ColorChoice::Auto,
        (Format::Text, Color::Always) => ColorChoice::Always,
        _ => ColorChoice::Never,
    };
    let out = &mut AutoStream::new(io::stdout().lock(), choice);
    match args.format {
        Format::Text => text::print(out, files)?,
        Format::Json => json::print(out, files, summary)?,
        Format::Junit => junit::print(out, files)?,
        Format::Sarif => sarif::print(out, files)?,
        Format::Github => github::print(out, files)?,
    }
    out.flush()
}
