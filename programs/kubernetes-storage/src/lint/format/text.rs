//! One line a finding.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::lint::finding::{Finding, Severity};
use crate::lint::report::FileReport;
use crate::lint::summary::findings;
use crate::output::Escaped;

pub(super) fn print(out: &mut impl Write, files: &[FileReport]) -> io::Result<()> {
    findings(files).try_for_each(|finding| writeln!(out, "{}", Line(finding)))
}

/// A finding as one line of text, with colours.
pub struct Line<'f>(pub &'f Finding);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            file,
            source,
            line,
            subject,
            message,
            ..
        } = self.0;
        let place = Style::new().bold();
        let color = match message.severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Note => AnsiColor::Cyan,
        };
        let kind = Style::new().bold().fg_color(Some(color.into()));
        match source {
            Some(source) => {
                let source = Escaped(source);
                write!(f, "{place}{source} ({}:{line}):{place:#} ", Escaped(file))?;
            }
            None => write!(f, "{place}{}:{line}:{place:#} ", Escaped(file))?,
        }
        write!(f, "{}: ", Escaped(&subject.to_string()))?;
        if !message.path.is_empty() {
            write!(f, "{}: ", Escaped(&message.path))?;
        }
        write!(
            f,
            "{kind}{}{kind:#}: {} [{}]",
            message.title,
            Escaped(&message.text),
            message.rule
        )
    }
}
