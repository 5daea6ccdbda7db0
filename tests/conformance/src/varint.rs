//! Numbers of protobuf.

/// Returns a number in the form of protobuf: seven bits in a byte, the lowest first.
#[must_use]
pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
