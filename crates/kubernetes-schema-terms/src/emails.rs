//! Addresses of mailboxes, as Go's net/mail reads them.

use std::net::IpAddr;

/// Returns true for one address: `a@b`, `Name <a@b>`, or a group with only one.
#[inline]
pub(crate) fn is_email(text: &str) -> bool {
    let mut reader = Reader { rest: text };
    reader.address(true) == Some(1) && reader.comments().is_some() && reader.rest.is_empty()
}

/// What a word of a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Plain,
    /// Encoded text, which may be empty.
    Encoded {
        is_empty: bool,
    },
    /// Encoded text of an unknown character set.
    Unknown,
}

/// Reads from the start of a text. Most functions return nothing if what they read isn't there.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// Reads an address, and returns the number of addresses; a group has any number.
    #[inline]
    fn address(&mut self, may_be_group: bool) -> Option<usize> {
        self.spaces();
        let start = self.rest;
        if self.mailbox().is_some() {
            self.spaces();
            if self.take('(') {
                let words = self.comment()?;
                let mut words = words.split([' ', '\t']);
                return words.all(|text| word(text) != Word::Unknown).then_some(1);
            }
            return Some(1);
        }
        self.rest = start;
        if !self.rest.starts_with('<') {
            self.name()?;
        }
        self.spaces();
        if may_be_group && self.take(':') {
            return self.group();
        }
        self.expect('<')?;
        self.mailbox()?;
        self.expect('>')?;
        Some(1)
    }

    /// Reads the addresses of a group after its name.
    #[inline]
    fn group(&mut self) -> Option<usize> {
        let mut count = 0;
        self.spaces();
        while !self.take(';') {
            if count > 0 {
                self.expect(',')?;
            }
            count += self.address(false)?;
            self.comments()?;
        }
        self.comments()?;
        Some(count)
    }

    /// Reads `local@domain`.
    #[inline]
    fn mailbox(&mut self) -> Option<()> {
        self.spaces();
        match self.take('"') {
            true => self.quoted().filter(|is_empty| !is_empty).map(drop)?,
            false => self.atom().filter(|atom| is_dotted(atom)).map(drop)?,
        }
        self.expect('@')?;
        self.spaces();
        match self.take('[') {
            true => {
                let (address, rest) = self.rest.split_once(']')?;
                self.rest = rest;
                address.parse::<IpAddr>().ok().map(drop)
            }
            false => self.atom().filter(|atom| is_dotted(atom)).map(drop),
        }
    }

    /// Reads the words of a name. What isn't one ends it, if there is one before.
    #[inline]
    fn name(&mut self) -> Option<()> {
        // Encoded text becomes a word together with what is encoded after it.
        let (mut has_words, mut has_encoded) = (false, false);
        let ended = loop {
            if has_words {
                self.comments()?;
            }
            self.spaces();
            if self.rest.is_empty() {
                break Some(());
            }
            let start = self.rest;
            let read = match self.take('"') {
                true => self.quoted().map(|_| Word::Plain),
                false => self.atom().map(word),
            };
            match read {
                Some(Word::Plain) => has_words = true,
                Some(Word::Encoded { is_empty }) => has_encoded |= !is_empty,
                Some(Word::Unknown) => break None,
                None => {
                    self.rest = start;
                    break None;
                }
            }
        };
        ended.or((has_words || has_encoded).then_some(()))
    }

    /// Reads the rest of a quoted text, and returns true if it is empty.
    #[inline]
    fn quoted(&mut self) -> Option<bool> {
        let (mut is_empty, mut is_escaped) = (true, false);
        for (at, c) in self.rest.char_indices() {
            match c {
                '"' if !is_escaped => {
                    self.rest = &self.rest[at + 1..];
                    return Some(is_empty);
                }
                '\\' if !is_escaped => is_escaped = true,
                ' ' | '\t' => (is_empty, is_escaped) = (false, false),
                c if is_visible(c) => (is_empty, is_escaped) = (false, false),
                _ => return None,
            }
        }
        None
    }

    /// Reads characters without special ones, but with dots.
    #[inline]
    fn atom(&mut self) -> Option<&'t str> {
        let is_in = |c: char| is_visible(c) && !"()<>[]:;@\\,\"".contains(c);
        let end = self.rest.find(|c| !is_in(c)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!atom.is_empty()).then_some(atom)
    }

    /// Reads comments and spaces, of which there may be none.
    #[inline]
    fn comments(&mut self) -> Option<()> {
        self.spaces();
        while self.take('(') {
            self.comment()?;
            self.spaces();
        }
        Some(())
    }

    /// Reads the rest of a comment, which may have others inside, and returns its text.
    #[inline]
    fn comment(&mut self) -> Option<String> {
        let (mut text, mut depth) = (String::new(), 1);
        let mut characters = self.rest.chars();
        while let Some(c) = characters.next() {
            let c = match c {
                '\\' => characters.next().unwrap_or(c),
                _ => {
                    depth += i32::from(c == '(');
                    depth -= i32::from(c == ')');
                    c
                }
            };
            if depth == 0 {
                self.rest = characters.as_str();
                return Some(text);
            }
            text.push(c);
        }
        None
    }

    #[inline]
    fn spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    #[inline]
    fn expect(&mut self, c: char) -> Option<()> {
        self.take(c).then_some(())
    }

    /// Reads a character, if it is the next.
    #[inline]
    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

#[inline]
fn is_visible(c: char) -> bool {
    c.is_ascii_graphic() || !c.is_ascii()
}

/// Returns true if there is something on both sides of each dot.
#[inline]
fn is_dotted(atom: &str) -> bool {
    atom.split('.').all(|part| !part.is_empty())
}

/// Reads a word as RFC 2047 has it, `=?utf-8?q?text?=`.
#[inline]
fn word(text: &str) -> Word {
    let inside = text.strip_prefix("=?").and_then(|t| t.strip_suffix("?="));
    let mut parts = inside.unwrap_or_default().split('?');
    let (set, coding, content) = (parts.next(), parts.next(), parts.next());
    let (Some(set), Some(coding), Some(content), None) = (set, coding, content, parts.next())
    else {
        return Word::Plain;
    };
    let is_valid = match coding {
        "B" | "b" => is_base64(content),
        "Q" | "q" => is_escaped(content),
        _ => false,
    };
    if set.is_empty() || !is_valid {
        return Word::Plain;
    }
    // Servers compare names of character sets by Unicode, in which the long s is a form of the s.
    let set = set.replace('\u{17f}', "s");
    let known = ["utf-8", "iso-8859-1", "us-ascii"];
    match known.iter().any(|known| set.eq_ignore_ascii_case(known)) {
        true => Word::Encoded {
            is_empty: content.is_empty(),
        },
        false => Word::Unknown,
    }
}

/// Returns true for groups of four characters, of which the last two may be padding.
#[inline]
fn is_base64(text: &str) -> bool {
    let digits = text.strip_suffix('=').unwrap_or(text);
    let digits = digits.strip_suffix('=').unwrap_or(digits);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    text.len().is_multiple_of(4) && digits.bytes().all(is_digit)
}

/// Returns true for visible ASCII in which each `=` has two hexadecimal digits.
#[inline]
fn is_escaped(text: &str) -> bool {
    let is_hex = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let is_visible = |byte: u8| (b' '..=b'~').contains(&byte);
    text.bytes().all(is_visible) && text.split('=').skip(1).all(is_hex)
}
