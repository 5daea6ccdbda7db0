//! The bytes that are written, from the last to the first: the length of a message is known only
//! after it.

use super::Wire;

/// Bytes that have been written, from the last to the first.
#[derive(Debug, Default)]
pub struct Output {
    /// Unused bytes, and after them those that are written.
    buffer: Vec<u8>,
    /// The number of unused bytes.
    free: usize,
}

/// The unused bytes that a first write makes room for.
const FIRST: usize = 1024;

impl Output {
    /// Returns what has been written.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<u8> {
        self.buffer.drain(..self.free);
        self.buffer
    }

    /// Writes the bytes before all others.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if self.free < bytes.len() {
            self.grow(bytes.len());
        }
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
        self.buffer.len() - self.free
    }

    /// Makes room for more bytes, and for twice as many as there are.
    #[cold]
    fn grow(&mut self, more: usize) {
        let more = more.max(self.buffer.len()).max(FIRST);
        let mut buffer = vec![0; more + self.buffer.len()];
        buffer[more + self.free..].copy_from_slice(&self.buffer[self.free..]);
        self.free += more;
        self.buffer = buffer;
    }
}
