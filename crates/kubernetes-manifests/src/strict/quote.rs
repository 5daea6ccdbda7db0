//! Text in quotes as Go's `strconv.Quote` writes it, as servers do in messages.

use std::fmt::{self, Write};

use kubernetes_kinds::names::is_printable;

pub(super) fn write(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            '\u{7}' => f.write_str("\\a")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{b}' => f.write_str("\\v")?,
            c if is_printable(c) => f.write_char(c)?,
            c if c.is_ascii() => write!(f, "\\x{:02x}", u32::from(c))?,
            c if u32::from(c) < 0x1_0000 => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "\\U{:08x}", u32::from(c))?,
        }
    }
    f.write_char('"')
}
