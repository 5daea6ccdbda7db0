//! Escapes.

use super::set::{Group, Set};

/// The meaning of a backslash and what follows it, inside or outside of a class.
pub(super) enum Escape {
    /// One character.
    Char(u32),
    /// A class, or all but it.
    Group(Group, bool),
}

/// Reads an escape at the start of a text. Returns it with the rest of the text.
pub(super) fn read(text: &str) -> Result<(Escape, &str), String> {
    let mut rest = text.chars();
    rest.next();
    let Some(c) = rest.next() else {
        return Err("Go refuses a backslash at the end".to_owned());
    };
    let after = rest.as_str();
    let unknown = || format!("Go has no escape `\\{}`", c.escape_debug());
    let escape = match c {
        'd' | 'D' => Escape::Group(Group::DIGIT, c == 'D'),
        's' | 'S' => Escape::Group(Group::SPACE, c == 'S'),
        'w' | 'W' => Escape::Group(Group::WORD, c == 'W'),
        'p' | 'P' => return Err("it has a class of Unicode, and those are large".to_owned()),
        'a' => Escape::Char(0x07),
        'f' => Escape::Char(0x0C),
        'n' => Escape::Char(0x0A),
        'r' => Escape::Char(0x0D),
        't' => Escape::Char(0x09),
        'v' => Escape::Char(0x0B),
        'x' => return hex(after).ok_or_else(unknown),
        // One digit alone is a reference to a group in other languages.
        '1'..='7' if !after.starts_with(is_octal) => return Err(unknown()),
        '0'..='7' => return Ok(octal(c, after)),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Escape::Char(u32::from(c)),
        _ => return Err(unknown()),
    };
    Ok((escape, after))
}

fn is_octal(c: char) -> bool {
    ('0'..='7').contains(&c)
}

/// Up to three digits, of which the first is given.
fn octal(first: char, after: &str) -> (Escape, &str) {
    let mut value = first.to_digit(8).unwrap_or_default();
    let mut rest = after;
    for _ in 0..2 {
        let Some(digit) = rest.chars().next().and_then(|c| c.to_digit(8)) else {
            break;
        };
        value = value * 8 + digit;
        rest = rest.get(1..).unwrap_or_default();
    }
    (Escape::Char(value), rest)
}

/// Two digits, or any number of them in braces.
fn hex(after: &str) -> Option<(Escape, &str)> {
    let (digits, rest) = match after.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => (after.get(..2)?, after.get(2..)?),
    };
    let is_hex = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    let digits = Some(digits).filter(|_| is_hex)?.trim_start_matches('0');
    let value = match digits {
        "" => 0,
        digits => u32::from_str_radix(digits, 16).ok()?,
    };
    let value = Some(value).filter(|value| *value <= Set::LAST)?;
    Some((Escape::Char(value), rest))
}
