//! The spelling of characters.

/// Writes a character so that it stands for itself, inside and outside of a class.
pub(super) fn write(c: char, out: &mut String) {
    match c {
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\x0C' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
        | '&' | '-' | '~' => out.extend(['\\', c]),
        ' '..='~' => out.push(c),
        c => out.push_str(&format!("\\x{{{:X}}}", u32::from(c))),
    }
}

/// Returns true if both languages read a backslash before this alike.
pub(super) fn is_alike(escaped: &str) -> bool {
    let is_alike = |c: char| match c {
        'a' | 'f' | 'n' | 'r' | 't' | 'v' => true,
        '<' | '>' => false,
        c => c.is_ascii_punctuation(),
    };
    escaped.chars().all(is_alike)
}
