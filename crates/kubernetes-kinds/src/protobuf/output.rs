//! The bytes that are written, from the last to the first: the length of a message is known only
//! after it.

use std::mem;

use super::Wire;

/// Bytes that have been written, from the last to the first.
#[derive(Debug, Default)]
pub struct Output {
    /// Unused bytes, and after them those that are written.
    buffer: Vec<u8>,
    /// The number of unused bytes.
    free: usize,
    /// Earlier buffers, all of whose bytes are written: they follow.
    full: Vec<Vec<u8>>,
    /// The bytes in those.
    in_full: usize,
}

/// The sizes of the first buffer and of the largest ones. Larger ones would come from the kernel
/// and go back to it each time.
const FIRST: usize = 1024;
const LARGEST: usize = 64 * 1024;

impl Output {
    /// Returns what has been written.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        bytes.extend_from_slice(&self.buffer[self.free..]);
        while let Some(buffer) = self.full.pop() {
            bytes.extend_from_slice(&buffer);
        }
        bytes
    }

    /// Writes the bytes before all others.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        let bytes = match bytes.len() <= self.free {
            true => bytes,
            false => self.fill(bytes),
        };
        let start = self.free - bytes.len();
        self.buffer[start..self.free].copy_from_slice(bytes);
        self.free = start;
    }

    /// Writes a field of bytes.
    #[inline]
    pub fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.put(bytes);
        self.varint(bytes.len() as u64);
        self.tag(number, Wire::Length);
    }

    /// Writes a field that is a message, whose fields a function writes, the last one first.
    #[inline]
    pub fn message(&mut self, number: u32, write: impl FnOnce(&mut Self)) {
        let before = self.len();
        write(self);
        self.varint((self.len() - before) as u64);
        self.tag(number, Wire::Length);
    }

    /// Writes a field that is a number.
    #[inline]
    pub fn number(&mut self, number: u32, value: u64) {
        self.varint(value);
        self.tag(number, Wire::Varint);
    }

    /// Writes a number and a wire type.
    #[inline]
    pub(super) fn tag(&mut self, number: u32, wire: Wire) {
        self.varint(u64::from(number << 3 | wire as u32));
    }

    #[inline]
    fn varint(&mut self, value: u64) {
        if value < 0x80 {
            self.put(&[value as u8]);
        } else {
            self.long_varint(value);
        }
    }

    fn long_varint(&mut self, mut value: u64) {
        let mut bytes = [0; 10];
        let mut length = 0;
        for byte in &mut bytes {
            length += 1;
            *byte = value as u8 & 0x7f;
            value >>= 7;
            if value == 0 {
                break;
            }
            *byte |= 0x80;
        }
        self.put(&bytes[..length]);
    }

    fn len(&self) -> usize {
        self.in_full + self.buffer.len() - self.free
    }

    /// Fills the buffer with the last of the bytes, and makes one with room for the others, which
    /// it returns.
    #[cold]
    fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (others, last) = bytes.split_at(bytes.len() - self.free);
        self.buffer[..self.free].copy_from_slice(last);
        let size = (2 * self.buffer.len()).clamp(FIRST, LARGEST);
        let buffer = vec![0; size.max(others.len())];
        self.free = buffer.len();
        let full = mem::replace(&mut self.buffer, buffer);
        // The first time there was none.
        if !full.is_empty() {
            self.in_full += full.len();
            self.full.push(full);
        }
        others
    }
}
