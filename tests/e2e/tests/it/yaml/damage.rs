//! Damage to texts of YAML, as slips of the hand and of programs make it.

use fastrand::Rng;
use serde_json::Value;

/// Texts that may be anywhere by mistake.
const TOKENS: [&str; 65] = [
    ": ",
    ":",
    "- ",
    "-",
    "? ",
    "?",
    "#",
    " #",
    "\"",
    "'",
    "|",
    ">",
    "|2-",
    ">+",
    "&a ",
    "*a",
    "&",
    "*",
    "!",
    "!!str ",
    "!!int ",
    "!!null ",
    "!!float ",
    "!!bool ",
    "!!binary ",
    "!!timestamp ",
    "!foo ",
    "%",
    "@",
    "`",
    "{",
    "}",
    "[",
    "]",
    ",",
    ", ",
    "{}",
    "[]",
    "\t",
    "\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "<<: ",
    "<<: *a",
    "---\n",
    "...\n",
    "--- ",
    "\\",
    "\\/",
    "\\n",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "é",
    "\u{1f600}",
    "\n\n",
    "\n  ",
    "\n    ",
    " : ",
    "''",
];

/// Values that are read in other ways than they look.
const VALUES: [&str; 84] = [
    "",
    "~",
    "null",
    "Null",
    "NULL",
    "nULL",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "N",
    "tRue",
    "True",
    "FALSE",
    "0",
    "-0",
    "+0",
    "00",
    "08",
    "010",
    "0o10",
    "0O7",
    "0x1f",
    "0X1F",
    "0b11",
    "-0x10",
    "+5",
    "1_000",
    "1__0",
    "_1",
    "1_",
    "0x_1",
    "0b-1",
    "1.",
    ".5",
    "-.5",
    "+.5e3",
    ".5_0",
    "1e3",
    "1E+3",
    "1e-7",
    "1e400",
    "12e03",
    "1.5",
    "-1.5e2",
    "5.0",
    "1e20",
    "1e21",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "+9223372036854775808",
    ".inf",
    "-.INF",
    ".nan",
    "2001-12-14",
    "2001-12-14T21:59:43Z",
    "1:30",
    "0.1.2",
    "1,5",
    "=",
    "<<",
    "\"\\/\"",
    "\"\\x41\\u00e9\"",
    "\"a\\\n  b\"",
    "'a\n b'",
    "'it''s'",
    "\"tab\there\"",
    "a: b",
    "a #b",
    "a#b",
    "[a, b: c]",
    "{a, b: }",
    "{? a : b}",
    "|\n  a\n   b\n",
    ">-\n  a\n  b\n\n  c\n",
    "\n  - a",
    "!!str 5",
    "!!int \"7\"",
    "! x",
];

/// Keys that are read in other ways than they look.
const KEYS: [&str; 20] = [
    "yes",
    "1",
    "0x10",
    "1.5",
    "1e6",
    "123456.7",
    "0.00001",
    "~",
    "true",
    "? a\n",
    "[a]",
    "{a: b}",
    "\"<<\"",
    "<<",
    "*a",
    "&a b",
    "'x y'",
    "a b",
    "",
    "18446744073709551615",
];

/// Damages a text in up to three places.
pub(crate) fn damage(rng: &mut Rng, text: &mut String) {
    for _ in 0..rng.usize(1..4) {
        match rng.u8(..12) {
            0..4 => insert(rng, text),
            4 => delete(rng, text),
            5..8 => value(rng, text),
            8 => key(rng, text),
            9 => indent(rng, text),
            _ => lines(rng, text),
        }
    }
}

/// A value with texts that look like something else.
pub(crate) fn any(rng: &mut Rng, depth: usize) -> Value {
    match rng.u8(..if depth == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 => [i64::MIN, -1, 0, 1, i64::MAX][rng.usize(..5)].into(),
        3 => [0.5, -1.5e-7, 1e300, 123_456.7][rng.usize(..4)].into(),
        4..7 => text(rng).into(),
        7 | 8 => (0..rng.usize(..4))
            .map(|_| (text(rng), any(rng, depth - 1)))
            .collect(),
        _ => (0..rng.usize(..4)).map(|_| any(rng, depth - 1)).collect(),
    }
}

fn text(rng: &mut Rng) -> String {
    let parts = [&TOKENS[..], &VALUES[..], &KEYS[..]];
    let one = |rng: &mut Rng| {
        let part = parts[rng.usize(..parts.len())];
        part[rng.usize(..part.len())].to_owned()
    };
    match rng.u8(..3) {
        0 => one(rng) + &one(rng),
        1 => {
            ["\n", "a\n", "b", " ", "\t", "\r", "c"].repeat(2)[rng.usize(..7)..].concat()
                + &one(rng)
        }
        _ => one(rng),
    }
}

/// A position between two characters.
fn anywhere(rng: &mut Rng, text: &str) -> usize {
    let mut at = rng.usize(..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn insert(rng: &mut Rng, text: &mut String) {
    let at = anywhere(rng, text);
    text.insert_str(at, TOKENS[rng.usize(..TOKENS.len())]);
}

fn delete(rng: &mut Rng, text: &mut String) {
    let at = anywhere(rng, text);
    let mut end = (at + [1, 1, 1, 2, 5, 30][rng.usize(..6)]).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text.replace_range(at..end, "");
}

/// Returns the start and end of the text of a random line.
fn line(rng: &mut Rng, text: &str) -> (usize, usize) {
    let at = anywhere(rng, text);
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    (start, end)
}

fn value(rng: &mut Rng, text: &mut String) {
    let (start, end) = line(rng, text);
    let line = &text[start..end];
    let before = line
        .find(": ")
        .map(|at| at + 2)
        .or(line.find("- ").map(|at| at + 2));
    if let Some(before) = before {
        text.replace_range(start + before..end, VALUES[rng.usize(..VALUES.len())]);
    }
}

fn key(rng: &mut Rng, text: &mut String) {
    let (start, end) = line(rng, text);
    let line = &text[start..end];
    let after = line.find(':').unwrap_or(0);
    let before = line.len() - line.trim_start_matches([' ', '-']).len();
    if before < after {
        let key = KEYS[rng.usize(..KEYS.len())];
        text.replace_range(start + before..start + after, key);
    }
}

fn indent(rng: &mut Rng, text: &mut String) {
    let (start, _) = line(rng, text);
    let spaces = [" ", "  ", "    ", "\t"][rng.usize(..4)];
    if rng.bool() {
        text.insert_str(start, spaces);
    } else if text[start..].starts_with(spaces) {
        text.replace_range(start..start + spaces.len(), "");
    }
}

/// Doubles a line, takes one away, or moves one.
fn lines(rng: &mut Rng, text: &mut String) {
    let mut lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return;
    }
    let one = rng.usize(..lines.len());
    let other = rng.usize(..lines.len());
    match rng.u8(..4) {
        0 => drop(lines.remove(one)),
        1 => lines.swap(one, other),
        2 => lines.insert(other, lines[one].clone()),
        _ => lines.insert(one, lines[one].clone()),
    }
    *text = lines.concat();
}
