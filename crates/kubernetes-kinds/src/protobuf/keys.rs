//! The keys of fields.
//!
//! A key has the number of a field, and before it those of the objects that Go has inlined and
//! protobuf has not: in JSON `csi` is a field of a volume's `spec`; in protobuf it is field 22 of
//! field 2 of that. Keys have ten bits for each number, the first one highest, so that they are
//! sorted as the fields are written.

use super::Output;

/// The bits of a number, and the most numbers of a key.
const BITS: u32 = 10;
const NUMBERS: u32 = 3;

/// The place of the first number.
pub(super) const FIRST: u32 = BITS * (NUMBERS - 1);

const MASK: u32 = (1 << BITS) - 1;

/// Returns the key of a path of numbers.
///
/// # Panics
///
/// When there are more than three numbers, or one is larger than 1,023. It is called in constants,
/// so that this is an error of the compiler.
#[must_use]
pub const fn key(path: &[u32]) -> u32 {
    let mut key = 0;
    let mut index = 0;
    while index < path.len() {
        assert!(
            path[index] > 0 && path[index] <= MASK,
            "a number has ten bits"
        );
        key |= path[index] << (FIRST - BITS * index as u32);
        index += 1;
    }
    key
}

/// Returns the last number of a path.
///
/// # Panics
///
/// When the path is empty, in constants as above.
#[must_use]
pub const fn number(path: &[u32]) -> u32 {
    path[path.len() - 1]
}

/// Returns the keys in the order of writing.
#[must_use]
pub const fn sorted<const N: usize>(mut keys: [u32; N]) -> [u32; N] {
    let mut end = 1;
    while end < N {
        let mut at = end;
        while at > 0 && keys[at - 1] > keys[at] {
            (keys[at - 1], keys[at]) = (keys[at], keys[at - 1]);
            at -= 1;
        }
        end += 1;
    }
    keys
}

/// Returns the key of a field of the message or inlined object with a key; 0, which no field has,
/// if its number is larger than those of known fields.
#[inline]
pub(super) const fn below(above: u32, shift: u32, number: u32) -> u32 {
    if number > MASK {
        0
    } else {
        above | number << shift
    }
}

/// The place of the next number.
pub(super) const fn next(shift: u32) -> u32 {
    shift.saturating_sub(BITS)
}

/// Returns true if some of the keys have several numbers.
pub(super) const fn has_inlined(keys: &[u32]) -> bool {
    let mut index = 0;
    while index < keys.len() {
        if keys[index] & ((1 << FIRST) - 1) != 0 {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns true if a key is that of an inlined object.
pub(super) fn is_inlined(keys: &[u32], key: u32, shift: u32) -> bool {
    key != 0 && shift > 0 && keys.iter().any(|other| other >> shift == key >> shift)
}

/// Writes fields at one level, the last one first, and the inlined objects among them.
pub(super) fn write_inlined(
    keys: &[u32],
    shift: u32,
    output: &mut Output,
    write: &dyn Fn(u32, &mut Output),
) {
    for group in keys
        .chunk_by(|one, other| one >> shift == other >> shift)
        .rev()
    {
        match group {
            [key] if key & ((1 << shift) - 1) == 0 => write(*key, output),
            [first, ..] => output.message(first >> shift & MASK, |output| {
                write_inlined(group, next(shift), output, write);
            }),
            [] => {}
        }
    }
}
