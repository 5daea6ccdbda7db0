//! Findings as text and as JSON.

use std::fmt::{self, Write as _};
use std::io::{self, Stdout, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::args::{Color, Format};
use crate::finding::{Finding, Note, Severity, Subject};

/// Prints findings to standard output.
pub struct Printer {
    format: Format,
    out: AutoStream<Stdout>,
}

impl Printer {
    /// Prints in a format; colours are for text.
    #[must_use]
    pub fn new(format: Format, color: Color) -> Self {
        let choice = match (format, color) {
            (Format::Json, _) | (_, Color::Never) => ColorChoice::Never,
            (Format::Text, Color::Auto) => ColorChoice::Auto,
            (Format::Text, Color::Always) => ColorChoice::Always,
        };
        Self {
            format,
            out: AutoStream::new(io::stdout(), choice),
        }
    }

    /// Prints a finding, on one line.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub fn print(&mut self, finding: &Finding) -> io::Result<()> {
        match self.format {
            Format::Text => writeln!(self.out, "{}", Line(finding)),
            Format::Json => {
                // Nothing in a finding is without a form in JSON.
                let line = serde_json::to_string(&Row::of(finding))
                    .map_err(io::Error::other)?;
                writeln!(self.out, "{line}")
            }
        }
    }

    /// Writes what is left.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

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

impl<'f> Row<'f> {
    fn of(finding: &'f Finding) -> Self {
        Self {
            file: &finding.file,
            line: finding.line,
            column: finding.column,
            subject: &finding.subject,
            note: &finding.note,
        }
    }
}

/// A finding as one line of text, with colours.
pub struct Line<'f>(pub &'f Finding);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            file,
            line,
            subject,
            note,
            ..
        } = self.0;
        let place = Style::new().bold();
        let color = match note.severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
        };
        let kind = Style::new().bold().fg_color(Some(color.into()));
        write!(f, "{place}{}:{line}:{place:#} ", Plain(file))?;
        write!(f, "{}: ", Plain(&subject.to_string()))?;
        if !note.path.is_empty() {
            write!(f, "{}: ", Plain(&note.path))?;
        }
        write!(f, "{kind}{}{kind:#}: {}", note.title, Plain(&note.message))
    }
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

/// How much there was, shown as `3 objects, 2 errors, 1 warning`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Objects that were checked.
    pub objects: usize,
    /// What a server refuses.
    pub errors: usize,
    /// What it accepts, but should not be.
    pub warnings: usize,
    /// Documents and items of lists of other kinds.
    pub left_alone: usize,
    /// Files in folders that are no manifests.
    pub skipped: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let Self {
            objects,
            errors,
            warnings,
            ..
        } = self;
        write!(f, "{objects} object{}, {errors} error{}", s(*objects), s(*errors))?;
        write!(f, ", {warnings} warning{}", s(*warnings))?;
        if self.left_alone > 0 {
            write!(
                f,
                ", {} document{} left alone",
                self.left_alone,
                s(self.left_alone)
            )?;
        }
        if self.skipped > 0 {
            write!(f, ", {} file{} skipped", self.skipped, s(self.skipped))?;
        }
        Ok(())
    }
}
