//! A reader of Go's syntax, which writes what it reads for regex-lite.

use super::character::is_alike;
use super::class::Class;
use super::escape::{self, Escape};
use super::set::Set;

/// The most repetitions that Go allows, nested ones multiplied.
const MOST: u64 = 1000;

/// The flags that are in effect at a position.
#[derive(Clone, Copy, Default)]
struct Flags {
    /// `i`: the case of letters is ignored.
    folds: bool,
    /// `m`: `^` and `$` match at lines.
    lines: bool,
    /// `s`: `.` matches a newline.
    all: bool,
    /// `U`: repetitions prefer few.
    lazy: bool,
}

/// What is before a position, for a repetition.
#[derive(Clone, Copy)]
enum Before {
    /// The start of an alternative.
    Start,
    /// What can be repeated, with the most repetitions in it.
    Item(u64),
    Repetition,
    /// What matches nothing, and stands between a repetition and what it repeats.
    Nothing,
}

/// An open group.
struct Open {
    /// What was in effect before it.
    flags: Flags,
    /// The most repetitions before it.
    most: u64,
}

pub(super) struct Reader<'a> {
    rest: &'a str,
    out: String,
    flags: Flags,
    before: Before,
    open: Vec<Open>,
    /// The most repetitions in the current group, nested ones multiplied.
    most: u64,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            out: String::new(),
            flags: Flags {
                folds: false,
                lines: false,
                all: false,
                lazy: false,
            },
            before: Before::Start,
            open: Vec::new(),
            most: 1,
        }
    }

    /// Returns the expression for regex-lite, or why there is none.
    pub(super) fn translate(mut self) -> Result<String, String> {
        while let Some(c) = self.rest.chars().next() {
            self.next(c)?;
        }
        match self.open.is_empty() {
            true => Ok(self.out),
            false => Err("Go refuses a group without its end".to_owned()),
        }
    }

    fn next(&mut self, c: char) -> Result<(), String> {
        match c {
            '(' if self.rest.starts_with("(?") => return self.special(),
            '[' => return self.class(),
            '\\' => return self.escape(),
            '{' => {
                if let Some((least, most, rest)) = counts(self.rest) {
                    return self.counted(least, most, rest);
                }
            }
            _ => {}
        }
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '(' => self.enter("("),
            ')' => return self.leave(),
            '|' => {
                self.out.push('|');
                self.before = Before::Start;
            }
            '^' if self.flags.lines => self.item("(?m:^)"),
            '$' if self.flags.lines => self.item("(?m:$)"),
            '.' if self.flags.all => self.item("(?s:.)"),
            '^' => self.item("^"),
            '$' => self.item("$"),
            '.' => self.item("."),
            '*' | '+' | '?' => return self.repetition(&c.to_string(), 1),
            c => return self.literal(c),
        }
        Ok(())
    }

    /// Writes what can be repeated.
    fn item(&mut self, text: &str) {
        self.out.push_str(text);
        self.before = Before::Item(1);
    }

    /// A character that stands for itself.
    fn literal(&mut self, c: char) -> Result<(), String> {
        self.before = Before::Item(1);
        match c {
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | '{' | '^' | '$' => {
                self.out.extend(['\\', c]);
            }
            c if !self.flags.folds => self.out.push(c),
            c => {
                let mut set = Set::default();
                set.add(u32::from(c), u32::from(c), true)?;
                set.write(false, &mut self.out)?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, text: &str) {
        self.out.push_str(text);
        let (flags, most) = (self.flags, self.most);
        self.open.push(Open { flags, most });
        self.most = 1;
        self.before = Before::Start;
    }

    fn leave(&mut self) -> Result<(), String> {
        let Some(open) = self.open.pop() else {
            return Err("Go refuses the end of a group without its start".to_owned());
        };
        self.out.push(')');
        self.flags = open.flags;
        self.before = Before::Item(self.most);
        self.most = self.most.max(open.most);
        Ok(())
    }

    /// A group with a name or flags, or flags alone.
    fn special(&mut self) -> Result<(), String> {
        let inside = self.rest.get(2..).unwrap_or_default();
        let named = inside.strip_prefix("P<").or(inside.strip_prefix('<'));
        if let Some(named) = named {
            let is_letter = |c: char| c == '_' || c.is_ascii_alphanumeric();
            let Some((_, rest)) = named
                .split_once('>')
                .filter(|(name, _)| !name.is_empty() && name.chars().all(is_letter))
            else {
                return Err("Go refuses the name of a group, or has no such group".to_owned());
            };
            // Nothing asks for the name.
            self.enter("(?:");
            self.rest = rest;
            return Ok(());
        }
        let before = self.flags;
        let (mut value, mut is_given) = (true, false);
        let mut chars = inside.chars();
        loop {
            let flag = match chars.next() {
                Some('i') => &mut self.flags.folds,
                Some('m') => &mut self.flags.lines,
                Some('s') => &mut self.flags.all,
                Some('U') => &mut self.flags.lazy,
                Some('-') if value => {
                    (value, is_given) = (false, false);
                    continue;
                }
                Some(end @ (':' | ')')) if value || is_given => {
                    self.rest = chars.as_str();
                    if end == ':' {
                        self.enter("(?:");
                        self.opened_with(before);
                    } else {
                        self.before = Before::Nothing;
                    }
                    return Ok(());
                }
                _ => return Err("Go has no group or flag of that form".to_owned()),
            };
            *flag = value;
            is_given = true;
        }
    }

    /// Says what was in effect before the innermost group.
    fn opened_with(&mut self, flags: Flags) {
        if let Some(open) = self.open.last_mut() {
            open.flags = flags;
        }
    }

    fn class(&mut self) -> Result<(), String> {
        let Class {
            set,
            is_negated,
            is_plain,
            rest,
        } = Class::read(self.rest, self.flags.folds)?;
        let length = self.rest.len() - rest.len();
        match self.rest.get(..length) {
            Some(text) if is_plain => self.out.push_str(text),
            _ => set.write(is_negated, &mut self.out)?,
        }
        self.rest = rest;
        self.before = Before::Item(1);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), String> {
        let next = self.rest.get(1..2).unwrap_or_default();
        match next {
            "A" | "z" | "b" | "B" => {
                let (text, rest) = self.rest.split_at(2);
                self.item(text);
                self.rest = rest;
                return Ok(());
            }
            "Q" => {
                let quoted = self.rest.get(2..).unwrap_or_default();
                let (quoted, rest) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                self.rest = rest;
                if quoted.is_empty() {
                    self.before = Before::Nothing;
                }
                return quoted.chars().try_for_each(|c| self.literal(c));
            }
            _ => {}
        }
        let (escape, rest) = escape::read(self.rest)?;
        let text = self
            .rest
            .get(..self.rest.len() - rest.len())
            .unwrap_or_default();
        self.rest = rest;
        let folds = self.flags.folds;
        match escape {
            Escape::Group(..) if !folds && !matches!(next, "s" | "S") => self.item(text),
            Escape::Group(group, negated) => {
                // Negated when it is written, which is shorter.
                group.set(false, folds)?.write(negated, &mut self.out)?;
            }
            Escape::Char(_) if is_alike(next) => self.item(text),
            Escape::Char(c) => {
                let mut set = Set::default();
                set.add(c, c, folds)?;
                set.write(false, &mut self.out)?;
            }
        }
        self.before = Before::Item(1);
        Ok(())
    }

    fn counted(&mut self, least: u64, most: Option<u64>, rest: &'a str) -> Result<(), String> {
        if least.max(most.unwrap_or_default()) > MOST || most.is_some_and(|most| most < least) {
            return Err("Go refuses numbers of repetitions above 1000 or in this order".to_owned());
        }
        let length = self.rest.len() - rest.len();
        let text = self.rest.get(..length).unwrap_or_default();
        self.rest = rest;
        self.repetition(text, most.unwrap_or(least))
    }

    /// Writes a repetition of what is before it, so many times.
    fn repetition(&mut self, text: &str, times: u64) -> Result<(), String> {
        let inner = match self.before {
            Before::Item(inner) => inner,
            Before::Start => return Err("Go refuses a repetition of nothing".to_owned()),
            Before::Repetition => return Err("Go refuses a repetition of another".to_owned()),
            Before::Nothing => {
                return Err("a repetition follows flags or an empty quotation".to_owned());
            }
        };
        let all = inner.saturating_mul(times.max(1));
        if times >= 2 && all > MOST {
            return Err("Go refuses more than 1000 nested repetitions".to_owned());
        }
        self.most = self.most.max(all);
        self.out.push_str(text);
        let is_other = self.rest.starts_with('?');
        if is_other {
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        if is_other != self.flags.lazy {
            self.out.push('?');
        }
        self.before = Before::Repetition;
        Ok(())
    }
}

/// The least and the most of `{2}`, `{2,}` and `{2,3}`, and the text after it. Go takes any other
/// brace as one.
fn counts(text: &str) -> Option<(u64, Option<u64>, &str)> {
    let (inside, rest) = text.strip_prefix('{')?.split_once('}')?;
    let (least, most) = match inside.split_once(',') {
        Some((least, "")) => (number(least)?, None),
        Some((least, most)) => (number(least)?, Some(number(most)?)),
        None => (number(inside)?, Some(number(inside)?)),
    };
    Some((least, most, rest))
}

/// A number without a leading zero.
fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_padded = text.len() > 1 && text.starts_with('0');
    // One that is too large is above the limit.
    (is_number && !is_padded).then(|| text.parse().unwrap_or(u64::MAX))
}
