//! Classes of characters in brackets.

use super::character::is_alike;
use super::escape::{self, Escape};
use super::set::{POSIX, Set};

/// A class in brackets at the start of a text.
pub(super) struct Class<'a> {
    pub(super) set: Set,
    pub(super) is_negated: bool,
    /// True if both languages read its text alike.
    pub(super) is_plain: bool,
    pub(super) rest: &'a str,
}

impl<'a> Class<'a> {
    pub(super) fn read(text: &'a str, folded: bool) -> Result<Self, String> {
        let inside = text.get(1..).unwrap_or_default();
        let (is_negated, rest) = match inside.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, inside),
        };
        let mut class = Self {
            set: Set::default(),
            is_negated,
            is_plain: !folded,
            rest,
        };
        let mut is_first = true;
        loop {
            if let Some(rest) = class.rest.strip_prefix(']').filter(|_| !is_first) {
                class.rest = rest;
                return Ok(class);
            }
            if !class.posix(folded)? {
                class.item(is_first, folded)?;
            }
            is_first = false;
        }
    }

    /// A class of POSIX, if there is one.
    fn posix(&mut self, folded: bool) -> Result<bool, String> {
        let Some(named) = self.rest.strip_prefix("[:") else {
            return Ok(false);
        };
        let Some((name, rest)) = named.split_once(":]") else {
            return Ok(false);
        };
        let (negated, name) = match name.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, name),
        };
        let found = POSIX.iter().find(|(known, _)| *known == name);
        let Some((_, group)) = found else {
            return Err(format!("Go has no class `[:{}:]`", name.escape_debug()));
        };
        self.set.extend(group.set(negated, folded)?);
        self.rest = rest;
        Ok(true)
    }

    /// A character, a range of them, or a class that is an escape.
    fn item(&mut self, is_first: bool, folded: bool) -> Result<(), String> {
        if self.rest.starts_with('\\')
            && let (Escape::Group(group, negated), rest) = escape::read(self.rest)?
        {
            // regex-lite has another character among spaces.
            self.is_plain &= !self.rest.starts_with("\\s") && !self.rest.starts_with("\\S");
            self.set.extend(group.set(negated, folded)?);
            self.rest = rest;
            return Ok(());
        }
        let is_last = self.rest.starts_with("-]");
        if self.rest.starts_with('-') {
            self.is_plain &= is_first || is_last;
        }
        let low = self.character()?;
        let mut high = low;
        let range = self.rest.strip_prefix('-');
        if let Some(rest) = range.filter(|rest| !rest.is_empty() && !rest.starts_with(']')) {
            self.is_plain &= !rest.starts_with('-') && !is_dash(low);
            self.rest = rest;
            high = self.character()?;
        }
        if high < low {
            return Err("Go refuses a range that ends before it starts".to_owned());
        }
        self.set.add(low, high, folded)
    }

    /// One character, which can be an escape.
    fn character(&mut self) -> Result<u32, String> {
        if self.rest.starts_with('\\') {
            let (Escape::Char(c), rest) = escape::read(self.rest)? else {
                return Err("Go refuses a range that ends in a class".to_owned());
            };
            let escaped = self.rest.get(1..2).unwrap_or_default();
            self.is_plain &= is_alike(escaped);
            self.rest = rest;
            return Ok(c);
        }
        let mut chars = self.rest.chars();
        let Some(c) = chars.next() else {
            return Err("Go refuses a class without its end".to_owned());
        };
        self.rest = chars.as_str();
        self.is_plain &= match c {
            '[' | ']' => false,
            // Two of them are operators on classes.
            '&' | '~' => !self.rest.starts_with(c),
            _ => true,
        };
        Ok(u32::from(c))
    }
}

fn is_dash(c: u32) -> bool {
    c == u32::from('-')
}
