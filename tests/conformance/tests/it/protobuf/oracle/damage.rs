//! Damage to bodies.

use conformance::varint;
use fastrand::Rng;

/// Changes, removes, repeats and inserts bytes, so that lengths are seldom right.
pub(super) fn torn(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.usize(1..4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.usize(..bytes.len());
        let end = (at + rng.usize(..12)).min(bytes.len());
        match rng.u8(..7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                let to = rng.usize(..=bytes.len());
                bytes.splice(to..to, part);
            }
            3 => bytes[at] = rng.u8(..),
            4 => bytes[at] = bytes[at].wrapping_add(1),
            _ => bytes[at] ^= 1 << rng.u8(..8),
        }
    }
    bytes
}

/// Removes, repeats and moves fields at every depth, and changes their numbers and values. Lengths
/// are right, and the prefix of the body is kept.
pub(super) fn rearranged(body: &[u8], rng: &mut Rng) -> Vec<u8> {
    let (prefix, message) = body.split_at(4);
    [prefix, &rearranged_message(message, rng)].concat()
}

fn rearranged_message(message: &[u8], rng: &mut Rng) -> Vec<u8> {
    let Some(mut fields) = fields(message) else {
        return message.to_vec();
    };
    // Most of a message stays, or little would be read of most bodies.
    if rng.u8(..8) == 0 && !fields.is_empty() {
        let at = rng.usize(..fields.len());
        let to = rng.usize(..fields.len());
        match rng.u8(..6) {
            0 => drop(fields.remove(at)),
            1 => fields.insert(to, fields[at].clone()),
            2 => fields.swap(at, to),
            3 => fields[at].tag = u64::from(rng.u32(..200)),
            4 => fields[at].tag ^= 8 << rng.u8(..12),
            _ => {
                fields[at].value =
                    [varint(0), varint(1), varint(rng.u64(..))][rng.usize(..3)].clone()
            }
        }
    }
    let mut bytes = Vec::new();
    for field in fields {
        bytes.extend(varint(field.tag));
        if field.tag & 7 == 2 {
            let value = rearranged_message(&field.value, rng);
            bytes.extend(varint(value.len() as u64));
            bytes.extend(value);
        } else {
            bytes.extend(field.value);
        }
    }
    bytes
}

/// A field: its number and wire type, and its value without a length.
#[derive(Clone)]
struct Field {
    tag: u64,
    value: Vec<u8>,
}

/// The fields of a message; texts may look like one.
fn fields(mut bytes: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = take_varint(&mut bytes)?;
        let length = match tag & 7 {
            0 => bytes.iter().position(|byte| *byte < 0x80)? + 1,
            1 => 8,
            2 => usize::try_from(take_varint(&mut bytes)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (value, rest) = bytes.split_at_checked(length)?;
        let value = value.to_vec();
        fields.push(Field { tag, value });
        bytes = rest;
    }
    Some(fields)
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let length = bytes.iter().position(|byte| *byte < 0x80)? + 1;
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    let seven = number.iter().rev().map(|byte| u64::from(byte & 0x7f));
    (length < 10).then(|| seven.fold(0, |value, seven| value << 7 | seven))
}
