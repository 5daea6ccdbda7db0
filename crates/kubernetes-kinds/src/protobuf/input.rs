//! The bytes that are read.

use super::error::{DecodeError, DecodeErrorKind};

/// The most levels of objects in each other that are read, as `serde_json` has it.
pub const DEPTH: u8 = 128;

/// The form of a value on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wire {
    /// A number of up to ten bytes.
    Varint = 0,
    /// Eight bytes.
    Eight = 1,
    /// A length and as many bytes.
    Length = 2,
    /// The begin of a group, which only unknown fields have.
    Group = 3,
    /// Four bytes.
    Four = 5,
}

/// Bytes that are still to be read.
// Its methods are those that the macros of this crate and hand-written messages need.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    rest: &'a [u8],
    /// The number and the wire type of the field that was begun last.
    tag: u64,
    depth: u8,
}

impl<'a> Input<'a> {
    /// Takes a message to read.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            tag: 0,
            depth: DEPTH,
        }
    }

    /// Reads the number and the wire type of the next field, or `None` at the end.
    ///
    /// # Errors
    ///
    /// When the input is invalid.
    #[inline]
    pub fn tag(&mut self) -> Result<Option<(u32, Wire)>, DecodeError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.any_varint()?;
        self.tag = tag;
        let wire = match tag & 7 {
            0 => Wire::Varint,
            1 => Wire::Eight,
            2 => Wire::Length,
            3 => Wire::Group,
            5 => Wire::Four,
            4 => return Err(DecodeErrorKind::EndOfGroup.into()),
            other => return Err(DecodeErrorKind::WireType(other as u8).into()),
        };
        // As Go cuts it.
        let number = (tag >> 3) as i32;
        match u32::try_from(number) {
            Ok(number) if number > 0 => Ok(Some((number, wire))),
            _ => Err(DecodeErrorKind::Number(number).into()),
        }
    }

    /// Reads a number.
    ///
    /// # Errors
    ///
    /// When the value has another wire type, or the input is invalid.
    #[inline]
    pub fn varint(&mut self, wire: Wire) -> Result<u64, DecodeError> {
        expect(wire, Wire::Varint)?;
        self.any_varint()
    }

    /// Reads eight bytes, the lowest first.
    ///
    /// # Errors
    ///
    /// As [`varint`](Self::varint).
    #[inline]
    pub fn eight(&mut self, wire: Wire) -> Result<[u8; 8], DecodeError> {
        expect(wire, Wire::Eight)?;
        match self.rest.split_first_chunk() {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(*bytes)
            }
            None => Err(DecodeErrorKind::Truncated.into()),
        }
    }

    /// Reads bytes with their length before them.
    ///
    /// # Errors
    ///
    /// As [`varint`](Self::varint).
    #[inline]
    pub fn bytes(&mut self, wire: Wire) -> Result<&'a [u8], DecodeError> {
        expect(wire, Wire::Length)?;
        let length = self.any_varint()?;
        self.take(length)
    }

    /// Reads a message that is a field of this one, to be read itself.
    ///
    /// # Errors
    ///
    /// As [`varint`](Self::varint), and when it is deeper than [`DEPTH`].
    #[inline]
    pub fn message(&mut self, wire: Wire) -> Result<Self, DecodeError> {
        let rest = self.bytes(wire)?;
        let Some(depth) = self.depth.checked_sub(1) else {
            return Err(DecodeErrorKind::TooDeep(DEPTH).into());
        };
        let tag = 0;
        Ok(Self { rest, tag, depth })
    }

    /// Begins the next field if it is the same one again.
    #[inline]
    pub(super) fn again(&mut self) -> bool {
        let mut next = *self;
        if next.is_empty() || next.any_varint() != Ok(self.tag) {
            return false;
        }
        *self = next;
        true
    }

    /// Returns how often the field that was begun follows itself, this time included, and the bytes
    /// that this takes.
    pub(super) fn repetitions(mut self) -> (usize, usize) {
        let all = self.rest.len();
        let mut times = 0;
        while self.bytes(Wire::Length).is_ok() {
            times += 1;
            if !self.again() {
                break;
            }
        }
        (times, all - self.rest.len())
    }

    /// Skips a value. Groups are skipped to their end.
    ///
    /// # Errors
    ///
    /// When the input is invalid.
    pub fn skip(&mut self, wire: Wire) -> Result<(), DecodeError> {
        let mut open = 0_usize;
        let mut wire = wire as u8;
        loop {
            match wire {
                0 => drop(self.any_varint()?),
                1 => drop(self.take(8)?),
                2 => drop(self.bytes(Wire::Length)?),
                3 => open += 1,
                4 => open -= 1,
                5 => drop(self.take(4)?),
                other => return Err(DecodeErrorKind::WireType(other).into()),
            }
            if open == 0 {
                return Ok(());
            }
            wire = (self.any_varint()? & 7) as u8;
        }
    }

    /// Returns true if all has been read.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    fn take(&mut self, length: u64) -> Result<&'a [u8], DecodeError> {
        let split = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.split_at_checked(length));
        match split {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(DecodeErrorKind::Length(length).into()),
        }
    }

    #[inline]
    fn any_varint(&mut self) -> Result<u64, DecodeError> {
        match self.rest {
            [first, rest @ ..] if *first < 0x80 => {
                self.rest = rest;
                Ok(u64::from(*first))
            }
            _ => self.long_varint(),
        }
    }

    /// Reads a number of several bytes. Of the tenth, Go takes what fits.
    fn long_varint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0;
        for (index, byte) in self.rest.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if *byte < 0x80 {
                self.rest = self.rest.get(index + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        Err(match self.rest.len() {
            0..10 => DecodeErrorKind::Truncated,
            _ => DecodeErrorKind::Overlong,
        }
        .into())
    }
}

#[inline]
fn expect(found: Wire, expected: Wire) -> Result<(), DecodeError> {
    if found == expected {
        Ok(())
    } else {
        Err(DecodeErrorKind::WireType(found as u8).into())
    }
}
