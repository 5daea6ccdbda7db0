//! One line a finding.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{Checked, Plain, findings};
use crate::finding::{Finding, Severity};

pub(super) fn print(out: &mut impl Write, files: &[Checked]) -> io::Result<()> {
    findings(files).try_for_each(|finding| writeln!(out, "{}", Line(finding)))
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
            Severity::Note => AnsiColor::Cyan,
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
