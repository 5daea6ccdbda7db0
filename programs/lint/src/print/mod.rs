//! What is found, in each format.

mod github;
mod json;
mod junit;
mod sarif;
mod text;

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};

use crate::args::{Args, Color, Format};
use crate::check::Outcome;
use crate::finding::{Finding, Severity};
pub use text::Line;

/// What is found in a file.
pub struct Checked {
    /// The file, as it was named.
    pub file: String,
    /// What is found in it.
    pub outcome: Outcome,
}

/// Prints what is found to standard output.
///
/// # Errors
///
/// When it can't be written.
pub fn print(args: &Args, files: &[Checked], summary: &Summary) -> io::Result<()> {
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

/// All findings, in the order of the files.
fn findings(files: &[Checked]) -> impl Iterator<Item = &Finding> {
    files.iter().flat_map(|file| &file.outcome.findings)
}

/// A text without what would move the cursor of a terminal or hide what follows.
pub struct Plain<'t>(pub &'t str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            let turns_around =
                matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            if character.is_control() || turns_around {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

/// Tells something on standard error, beside the output; if that can't be written, nothing can be done.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{}", Plain(message));
}

/// A number of things, as in `1 file` and `2 files`.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How much there was, shown as `2 files, 3 objects, 2 errors, 1 warning`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Files that were read.
    pub files: usize,
    /// Objects that were checked.
    pub objects: usize,
    /// What a server refuses.
    pub errors: usize,
    /// What it accepts, but should not be.
    pub warnings: usize,
    /// Files that are templates, which are not checked.
    pub templates: usize,
    /// Documents and items of lists of other kinds.
    pub left_alone: usize,
    /// Files in folders that are no manifests, and files and folders that are ignored.
    pub skipped: usize,
}

impl Summary {
    /// Counts what is found.
    pub(crate) fn of(files: &[Checked], skipped: usize) -> Self {
        let count = |severity| {
            findings(files)
                .filter(|finding| finding.note.severity == severity)
                .count()
        };
        let outcomes = || files.iter().map(|file| &file.outcome);
        Self {
            files: files.len(),
            objects: outcomes().map(|outcome| outcome.objects).sum(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            templates: outcomes().filter(|outcome| outcome.is_template).count(),
            left_alone: outcomes().map(|outcome| outcome.left_alone.len()).sum(),
            skipped,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            files,
            objects,
            errors,
            warnings,
            ..
        } = *self;
        write!(
            f,
            "{}, {}, ",
            counted(files, "file"),
            counted(objects, "object")
        )?;
        write!(
            f,
            "{}, {}",
            counted(errors, "error"),
            counted(warnings, "warning")
        )?;
        for (what, is) in [
            (counted(self.templates, "template"), self.templates),
            (
                counted(self.left_alone, "document") + " left alone",
                self.left_alone,
            ),
            (counted(self.skipped, "file") + " skipped", self.skipped),
        ] {
            if is > 0 {
                write!(f, ", {what}")?;
            }
        }
        Ok(())
    }
}
