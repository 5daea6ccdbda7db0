//! Messages on standard error, and text that is safe to print on a terminal.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

/// A text in which control characters and changes of direction are escaped, so that it can neither
/// move the cursor of a terminal nor hide what follows.
pub(crate) struct Escaped<'t>(pub(crate) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            let changes_direction =
                matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            if character.is_control() || changes_direction {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

/// Prints a line to standard error. A failure is ignored, because nothing could report it.
pub(crate) fn report(message: &str) {
    let _ = writeln!(io::stderr(), "{}", Escaped(message));
}

/// Prints an error to standard error.
pub(crate) fn report_error(message: &str) {
    report(&format!("error: {message}"));
}
