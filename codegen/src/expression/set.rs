//! Sets of characters.

use super::character;

/// The classes of POSIX, which have ASCII only.
pub(super) const POSIX: [(&str, Group); 14] = [
    ("alnum", Group(&[('0', '9'), ('A', 'Z'), ('a', 'z')])),
    ("alpha", Group(&[('A', 'Z'), ('a', 'z')])),
    ("ascii", Group(&[('\0', '\x7F')])),
    ("blank", Group(&[('\t', '\t'), (' ', ' ')])),
    ("cntrl", Group(&[('\0', '\x1F'), ('\x7F', '\x7F')])),
    ("digit", Group::DIGIT),
    ("graph", Group(&[('!', '~')])),
    ("lower", Group(&[('a', 'z')])),
    ("print", Group(&[(' ', '~')])),
    (
        "punct",
        Group(&[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ),
    ("space", Group(&[('\t', '\r'), (' ', ' ')])),
    ("upper", Group(&[('A', 'Z')])),
    ("word", Group::WORD),
    ("xdigit", Group(&[('0', '9'), ('A', 'F'), ('a', 'f')])),
];

/// The characters beyond ASCII that differ from a letter of ASCII in case only.
const FOLDED: [(u8, u32); 2] = [(b'k', 0x212A), (b's', 0x017F)];

/// The last character that differs from another in case only.
const LAST_CASED: u32 = 0x1_E943;

/// A class with a name.
#[derive(Clone, Copy)]
pub(super) struct Group(&'static [(char, char)]);

impl Group {
    pub(super) const DIGIT: Self = Self(&[('0', '9')]);
    /// Without the vertical tab, which regex-lite has in it.
    pub(super) const SPACE: Self = Self(&[('\t', '\n'), ('\x0C', '\r'), (' ', ' ')]);
    pub(super) const WORD: Self = Self(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);

    /// Its characters, or all others; with other cases of its letters first.
    pub(super) fn set(self, negated: bool, folded: bool) -> Result<Set, String> {
        let mut set = Set::default();
        for (low, high) in self.0 {
            set.add(u32::from(*low), u32::from(*high), folded)?;
        }
        Ok(match negated {
            true => set.others(),
            false => set,
        })
    }
}

/// Characters, as ranges. They can have surrogates, which no text has.
#[derive(Default)]
pub(super) struct Set(Vec<(u32, u32)>);

impl Set {
    /// The last character.
    pub(super) const LAST: u32 = 0x10_FFFF;

    /// Adds a range, with other cases of its letters if that is wanted.
    pub(super) fn add(&mut self, low: u32, high: u32, folded: bool) -> Result<(), String> {
        self.0.push((low, high));
        if !folded {
            return Ok(());
        }
        for c in (low..=high.min(0x7F)).filter_map(|c| u8::try_from(c).ok()) {
            self.add_cases(c);
        }
        let beyond = low.max(0x80);
        if beyond == 0x80 && high >= LAST_CASED {
            // All of them, so that only letters of ASCII can be added.
            FOLDED.iter().for_each(|(c, _)| self.add_cases(*c));
            return Ok(());
        }
        let mut cased = (beyond..=high).filter_map(char::from_u32);
        match cased.find(|c| is_cased(*c)) {
            Some(c) => Err(format!(
                "it ignores the case of `{}`, which isn't ASCII",
                c.escape_debug()
            )),
            None => Ok(()),
        }
    }

    /// Adds a letter of ASCII in both cases, with what Go takes for the same letter.
    fn add_cases(&mut self, c: u8) {
        let both = [c.to_ascii_lowercase(), c.to_ascii_uppercase()];
        let beyond = FOLDED.iter().filter(|(lower, _)| *lower == both[0]);
        let beyond = beyond.map(|(_, c)| *c);
        let all = both.into_iter().map(u32::from).chain(beyond);
        self.0.extend(all.map(|c| (c, c)));
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The ranges in their order, none of which touches another.
    fn merged(mut self) -> Vec<(u32, u32)> {
        self.0.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (low, high) in self.0 {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        merged
    }

    /// All other characters.
    fn others(self) -> Self {
        let mut others = Vec::new();
        let mut next = 0;
        for (low, high) in self.merged() {
            if next < low {
                others.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= Self::LAST {
            others.push((next, Self::LAST));
        }
        Self(others)
    }

    /// Writes it, or all but it.
    pub(super) fn write(self, negated: bool, out: &mut String) -> Result<(), String> {
        let ranges = self.merged().into_iter().filter_map(|(low, high)| {
            let low = char::from_u32(low).unwrap_or('\u{E000}');
            let high = char::from_u32(high).unwrap_or('\u{D7FF}');
            (low <= high).then_some((low, high))
        });
        let ranges: Vec<_> = ranges.collect();
        match ranges.as_slice() {
            // There is no other way to write that nothing matches.
            [] => return Self(vec![(0, Self::LAST)]).write(!negated, out),
            [(low, high)] if low == high && !negated => {
                character::write(*low, out);
                return Ok(());
            }
            _ => {}
        }
        out.push_str(if negated { "[^" } else { "[" });
        for (low, high) in ranges {
            character::write(low, out);
            if high > low {
                if u32::from(high) > u32::from(low) + 1 {
                    out.push('-');
                }
                character::write(high, out);
            }
        }
        out.push(']');
        Ok(())
    }
}

/// Returns true if a character beyond ASCII could differ from another in case only.
fn is_cased(c: char) -> bool {
    let is_changed = !c.to_lowercase().eq([c]) || !c.to_uppercase().eq([c]);
    c.is_lowercase() || c.is_uppercase() || is_changed
}
